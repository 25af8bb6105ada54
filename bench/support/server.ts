import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { startServer } from '../../src/http/server.ts'
import { createRuntime, type Runtime } from '../../src/runtime.ts'

export interface BenchServer {
  /** Internals behind the server, for facts that the API does not show. */
  runtime: Runtime
  /** The user of the enterprise tier. */
  authorization: string
  /** A JSON request over HTTP as the enterprise tier's user; throws unless it succeeds. */
  post(path: string, body: object, scope?: string): Promise<unknown>
  close(): Promise<void>
}

/** The real service on an empty data directory, over real HTTP on a free local port; `settings` replace the defaults. */
export async function startBenchServer(settings: Record<string, string> = {}): Promise<BenchServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'retrieval-bench-'))
  // An ingest waits until all is embedded, however slow the machine is now.
  const timeouts = { INGEST_WAIT_MS: '600000', INFERENCE_TIMEOUT_MS: '600000' }
  const config = readConfig({ DATA_DIR: dataDir, ...timeouts, LOG_LEVEL: 'warn', ...settings })
  const runtime = await createRuntime(config)
  const server = await startServer(createApp(runtime).handler, {
    host: '127.0.0.1',
    port: 0,
    log: runtime.bindings.log,
  })

  const send = async (path: string, body: object, headers: Record<string, string>) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
    return JSON.parse(text)
  }

  const { tokens } = await send('/v1/admin/seed', {}, {})
  const authorization = `Bearer ${tokens.enterprise}`
  return {
    runtime,
    authorization,
    post: (path, body, scope = '*') => send(path, body, { authorization, 'x-svc-scope': scope }),
    close: async () => {
      await server.close()
      await runtime.dispose()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
