import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from './app.ts'
import type { RunningServer } from './http/server.ts'
import type { Runtime } from './runtime.ts'

/** How long the process may take, after its last answer, to write out its state. */
const maxMs = 20_000

interface Stopped {
  app: App
  server: RunningServer
  runtime: Runtime
  control: { close(): Promise<void> } | null
  exit(code: number): void
}

/**
 * Handles a stop signal. First the process only announces that it leaves. It continues to serve for DRAIN_MS, so that a
 * load balancer sees it in /readyz in time. Then it accepts nothing new, finishes running work, and exits with 0. A
 * second signal skips the drain.
 */
export function createStop({ app, server, runtime, control, exit }: Stopped): () => Promise<void> {
  const { config, bindings } = runtime
  const skipDrain = new AbortController()
  let stopping = false
  return async () => {
    if (stopping) return skipDrain.abort()
    stopping = true
    app.leave()
    server.leave()
    await sleep(config.drainMs, undefined, { signal: skipDrain.signal }).catch(() => {})
    // They end by themselves only when their documents are done.
    runtime.domain.endWatches()
    await server.close()
    setTimeout(() => {
      bindings.log.error({}, 'the shutdown timed out and was aborted')
      exit(1)
    }, maxMs).unref()
    try {
      await control?.close()
      await runtime.dispose()
    } catch (err) {
      bindings.log.error({ err }, 'the shutdown failed')
      return exit(1)
    }
    exit(0)
  }
}
