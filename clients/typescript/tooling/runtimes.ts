import { deepStrictEqual } from 'node:assert'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Miniflare } from 'miniflare'
import { chromium } from 'playwright-core'

/** The built client in Node, in Chromium (from a page of another origin) and in workerd, against a service. */

const packageRoot = join(import.meta.dirname, '..')
const projectRoot = join(packageRoot, '..', '..')
const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const token = 'super-admin-token-of-the-check'
const files = ['/tooling/probe.js', '/dist/index.js']
const read = (path: string) => readFile(join(packageRoot, path), 'utf8')

interface Given {
  baseUrl: string
  token: string
  scope: string
}

async function startPages(): Promise<{ origin: string; stop(): void }> {
  const server = createServer(async ({ url = '' }, outgoing) => {
    if (url === '/') return outgoing.setHeader('content-type', 'text/html').end('<!doctype html><title>client</title>')
    if (!files.includes(url)) return outgoing.writeHead(404).end()
    outgoing.setHeader('content-type', 'text/javascript').end(await read(url))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { origin: `http://127.0.0.1:${port}`, stop }
}

async function startService(dataDir: string, allowed: string): Promise<{ url: string; stop(): Promise<void> }> {
  const args = ['src/main.ts', 'serve', '--port', '0', '--host', '127.0.0.1', '--data-dir', dataDir]
  const env = { ...process.env, SUPER_ADMIN_TOKEN: token, ALLOWED_ORIGINS: allowed, LOG_LEVEL: 'warn' }
  const child = spawn('node', args, { cwd: projectRoot, env, stdio: ['ignore', 'pipe', 'inherit'] })
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

async function inNode(given: Given): Promise<unknown> {
  const { probe } = await import('./probe.js' as string)
  return probe(given)
}

async function inChromium(given: Given, page: string): Promise<unknown> {
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
  try {
    const tab = await browser.newPage()
    await tab.goto(page)
    return await tab.evaluate(async (input) => (await import('/tooling/probe.js' as string)).probe(input), given)
  } finally {
    await browser.close()
  }
}

async function inWorkerd(given: Given): Promise<unknown> {
  const worker = `import { probe } from './tooling/probe.js'
    export default { fetch: async (request) => Response.json(await probe(await request.json())) }`
  const sources = await Promise.all(files.map(async (path) => ({ path: path.slice(1), contents: await read(path) })))
  const modules = [{ path: 'worker.js', contents: worker }, ...sources]
  const miniflare = new Miniflare({
    modules: modules.map((one) => ({ type: 'ESModule' as const, ...one })),
    modulesRoot: '/',
    compatibilityDate: '2026-07-30',
  })
  try {
    const reply = await miniflare.dispatchFetch('http://worker/', { method: 'POST', body: JSON.stringify(given) })
    return await reply.json()
  } finally {
    await miniflare.dispose()
  }
}

const expected = {
  created: 2,
  listed: ['The lighthouse keeper lights the lamp at dusk.', 'Ferries leave the harbour twice a day.'],
  cited: [true, false],
  uploaded: [17, 1],
  included: true,
  consistent: true,
  exported: true,
  missing: 404,
  aborted: 'enough',
  unreachable: 'ConnectionError',
}

const folder = await mkdtemp(join(tmpdir(), 'client-check-'))
const pages = await startPages()
const service = await startService(join(folder, 'data'), pages.origin)
try {
  const runtimes = { node: inNode, chromium: inChromium, workerd: inWorkerd }
  for (const [name, run] of Object.entries(runtimes)) {
    if (name === 'chromium' && !existsSync(chromiumPath)) {
      console.log(`client: skipped in Chromium, which is not at ${chromiumPath}; CHROMIUM names another path`)
      continue
    }
    deepStrictEqual(await run({ baseUrl: service.url, token, scope: name }, pages.origin), expected)
    console.log(`client: works in ${name}`)
  }
} finally {
  pages.stop()
  await service.stop()
  await rm(folder, { recursive: true })
}
