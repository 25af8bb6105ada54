import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

/**
 * The protocol's conformance suite and its inspector against a service of their own. The suite sends no credential, so
 * it goes through a proxy that adds one and changes nothing else.
 */

const scenarios = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']
const token = 'super-admin-token-of-the-check'
const run = promisify(execFile)

function check(holds: boolean, problem: string): void {
  if (!holds) throw new Error(problem)
}

const bin = (name: string) => join(import.meta.dirname, 'node_modules', '.bin', name)

async function startService(dataDir: string): Promise<{ url: string; stop(): Promise<void> }> {
  const root = join(import.meta.dirname, '..', '..')
  const child = spawn('node', ['src/main.ts', 'serve', '--port', '0', '--host', '127.0.0.1', '--data-dir', dataDir], {
    cwd: root,
    env: { ...process.env, SUPER_ADMIN_TOKEN: token, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await exited
  }
  for await (const line of createInterface(child.stdout)) {
    const [, url] = /^ {2}address +(http:\S+)/.exec(line) ?? []
    if (url === undefined) continue
    child.stdout.resume()
    return { url, stop }
  }
  throw new Error('the service did not start')
}

/** Adds the credential. Host and Origin stay as they are sent: a scenario is about them. */
async function startProxy(target: string): Promise<{ url: string; stop(): void }> {
  const { hostname, port } = new URL(target)
  const server = createServer((incoming, outgoing) => {
    const { method, url: path } = incoming
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const forwarded = request({ hostname, port, method, path, headers, setHost: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: opened } = server.address() as AddressInfo
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${opened}`, stop }
}

async function conform(proxy: string, folder: string): Promise<void> {
  for (const scenario of scenarios) {
    const args = ['server', '--url', `${proxy}/mcp`, '--scenario', scenario, '--output-dir', join(folder, scenario)]
    const { stdout } = await run(bin('conformance'), args).catch((error) => {
      throw new Error(`${scenario} failed\n${error.stdout}\n${error.stderr}`)
    })
    // The suite also ends well if it has not checked anything.
    check(/Passed: ([1-9]\d*)\/\1, 0 failed/.test(stdout), `${scenario} checked nothing\n${stdout}`)
    console.log(`conformance: ${scenario} passes`)
  }
}

async function inspect(service: string, folder: string): Promise<void> {
  const ask = async (...args: string[]) => {
    const given = ['--cli', `${service}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`]
    const { stdout } = await run(bin('mcp-inspector'), [...given, ...args], {
      env: { ...process.env, MCP_CATALOG_PATH: join(folder, 'catalog.json'), HOME: folder },
    })
    return JSON.parse(stdout)
  }
  const { tools } = await ask('--method', 'tools/list')
  check(tools.length === 9, `the inspector lists ${tools.length} tools`)
  const { resources } = await ask('--method', 'resources/list')
  check(resources.length > 0, 'the inspector lists no resource')
  const search = ['--method', 'tools/call', '--tool-name', 'search', '--tool-arg', 'query=lighthouse', 'top_k=1']
  const { structuredContent, isError } = await ask(...search)
  check(!isError && structuredContent.results.length === 1, 'the inspector finds nothing')
  const { contents } = await ask('--method', 'resources/read', '--uri', resources[0].uri)
  check(contents[0].text.length > 0, 'the inspector reads no resource')
  console.log('inspector: lists, calls and reads')
}

const folder = await mkdtemp(join(tmpdir(), 'mcp-check-'))
const service = await startService(join(folder, 'data'))
const proxy = await startProxy(service.url)
try {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'X-Svc-Scope': 'harbour' }
  const units = [{ text: 'The lighthouse keeper lights the lamp at dusk.' }]
  const body = JSON.stringify({ units })
  const written = await fetch(`${service.url}/v1/ingest`, { method: 'POST', headers, body })
  check(written.ok, `ingest answered ${written.status} ${await written.text()}`)
  await conform(proxy.url, folder)
  await inspect(service.url, folder)
} finally {
  proxy.stop()
  await service.stop()
  await rm(folder, { recursive: true })
}
