import { readdirSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sampled } from '../../support/amounts.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { environmentOf, failedStart, startServerProcess } from '../../support/process/server-process.ts'

/** Most of the time is process starts, which are slow on a busy machine. */
const timeout = 300_000

const withStorage = async (work: (storage: TestStorage) => Promise<void>) => {
  const storage = await createStorage()
  await work(storage).finally(() => storage.remove())
}

/** With the embedded catalog; the other tests may use another storage. */
const embedded = (storage: TestStorage) => ({ HOST: '127.0.0.1', PORT: '0', DATA_DIR: storage.dataDir })

/** The most memory of a process so far, in KiB; nothing where the system does not say. */
const peakOf = (pid: number) =>
  process.platform === 'linux'
    ? Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
    : 0

describe('the data directory', { timeout }, () => {
  test('is refused to a second server in one clear paragraph, and free again after kill -9', () =>
    withStorage(async (storage) => {
      await using first = await startServerProcess(embedded(storage))
      await seed(first.url)
      // V8 takes 604 MB to optimise the parser of SQL. The catalog was made in a process of its own.
      expect(peakOf(first.pid)).toBeLessThan(600 * 1024)
      const second = await failedStart(embedded(storage))
      expect(second.exit).toEqual({ code: 1, signal: null })
      expect(second.stdout).toBe('')
      expect(second.stderr).toContain(storage.dataDir)
      expect(second.stderr).toContain(`pid ${first.pid}`)
      expect(second.stderr.trim().split('\n')).toHaveLength(1)
      expect(second.stderr).not.toMatch(/^\s+at /m)
      expect((await fetch(`${first.url}/readyz`)).status).toBe(200)

      first.kill('SIGKILL')
      expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' })
      await using third = await startServerProcess(embedded(storage))
      expect((await fetch(`${third.url}/v1/health`)).status).toBe(200)
      expect(peakOf(third.pid)).toBeLessThan(600 * 1024)
    }))
})

describe('compiled modules', () => {
  // Other tests share what their servers compile.
  beforeAll(() => void vi.stubEnv('TEST_COMPILED', undefined))
  afterAll(() => void vi.unstubAllEnvs())

  test('are kept for the next start, for the service alone to read', () =>
    withStorage(async (storage) => {
      await using first = await startServerProcess(environmentOf(storage))
      first.kill('SIGTERM')
      await first.exited
      const folder = join(storage.dataDir, 'compiled')
      const kept = () => readdirSync(folder, { recursive: true }).length
      expect(statSync(folder).mode & 0o777).toBe(0o700)
      expect(kept()).toBeGreaterThan(100)
      const before = kept()
      await using next = await startServerProcess(environmentOf(storage))
      expect((await fetch(`${next.url}/readyz`)).status).toBe(200)
      next.kill('SIGTERM')
      await next.exited
      expect(kept()).toBeLessThan(1.5 * before)
    }))
})

describe('npm start', { timeout }, () => {
  const cwd = fileURLToPath(new URL('../../../', import.meta.url))

  test('ends with the service when npm gets a signal, and frees the data', () =>
    withStorage(async (storage) => {
      for (const signal of sampled(['SIGTERM', 'SIGINT'] as const, 1)) {
        await using npm = await startServerProcess(environmentOf(storage), { cwd, command: ['npm', 'start'] })
        expect((await fetch(`${npm.url}/livez`)).status).toBe(200)
        npm.kill(signal)
        expect(await npm.exited, signal).toEqual({ code: 0, signal: null })
        await expect(fetch(`${npm.url}/livez`)).rejects.toThrow()
      }
      await using next = await startServerProcess(environmentOf(storage))
      // A supervisor may react to the boot block immediately.
      next.kill('SIGINT')
      expect(await next.exited).toEqual({ code: 0, signal: null })
    }))
})

describe('SIGTERM', () => {
  test('answers what is in flight, ends idle connections, and exits with 0', () =>
    withStorage(async (storage) => {
      await using server = await startServerProcess(environmentOf(storage))
      const { tokens } = await seed(server.url)
      const idle = await fetch(`${server.url}/v1/health`)
      await idle.text()
      const slow = slowIngest(server.url, tokens.admin ?? '')
      await slow.begun
      server.kill('SIGTERM')
      // The listener closes before the request is complete.
      await expect
        .poll(() =>
          fetch(`${server.url}/livez`).then(
            () => 'open',
            () => 'closed',
          ),
        )
        .toBe('closed')
      slow.finish()
      const { status, body } = await slow.answer
      expect(status).toBe(200)
      expect(JSON.parse(body).counts).toEqual({ created: 1, updated: 0, unchanged: 0 })
      expect(await server.exited).toEqual({ code: 0, signal: null })
      expect(server.stderr).toBe('')

      await using next = await startServerProcess(environmentOf(storage))
      const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' }
      const search = { q: 'drained', top_k: 1 }
      const found = await fetch(`${next.url}/v1/search`, { method: 'POST', headers, body: JSON.stringify(search) })
      const { hits } = (await found.json()) as { hits: { text: string }[] }
      expect(hits.map((hit) => hit.text)).toEqual(['written while the server drained'])
    }))

  test('with a grace continues serving while it says that it leaves, until a second signal', () =>
    withStorage(async (storage) => {
      await using server = await startServerProcess({ ...environmentOf(storage), DRAIN_MS: '60000' })
      const { tokens } = await seed(server.url)
      const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' }
      const search = () =>
        fetch(`${server.url}/v1/search`, { method: 'POST', headers, body: JSON.stringify({ q: 'ferry' }) })
      expect((await search()).headers.get('connection')).toBe('keep-alive')
      server.kill('SIGTERM')
      await expect.poll(() => fetch(`${server.url}/readyz`).then(({ status }) => status)).toBe(503)
      const late = await search()
      expect([late.status, late.headers.get('connection')]).toEqual([200, 'close'])
      expect((await fetch(`${server.url}/livez`)).status).toBe(200)
      server.kill('SIGTERM')
      expect(await server.exited).toEqual({ code: 0, signal: null })
      expect(server.stderr).toBe('')
    }))
})

describe('a bad environment', () => {
  test('is reported with every problem at once and no value', async () => {
    const { exit, stdout, stderr } = await failedStart({
      PORT: 'abc',
      BRAND: 'Bad!',
      DATABASE_URL: 'nonsense:hidden-password@nowhere',
      SUPER_ADMIN_TOKEN: 'short-secret',
    })
    expect(exit).toEqual({ code: 1, signal: null })
    expect(stdout).toBe('')
    for (const name of ['PORT', 'BRAND', 'DATABASE_URL', 'SUPER_ADMIN_TOKEN']) expect(stderr).toContain(`${name}: `)
    expect(stderr).not.toMatch(/hidden-password|short-secret|Bad!/)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test('an unreachable database ends the start without showing its password', () =>
    withStorage(async ({ dataDir }) => {
      // Port 1 is reserved, and nothing listens on it.
      const url = 'postgresql://app:hidden-password@127.0.0.1:1/retrieval'
      const { exit, stdout, stderr } = await failedStart({
        ...environmentOf({ dataDir, catalog: { kind: 'postgresql', url } }),
      })
      expect(exit).toEqual({ code: 1, signal: null })
      expect(stderr).toMatch(/ECONNREFUSED|EACCES/)
      expect(stdout + stderr).not.toContain('hidden-password')
    }))
})

describe('output', () => {
  const superAdminToken = 'a-super-admin-token-that-nobody-may-see'
  let stdout: string
  let stderr: string
  let boot: string
  let expected: { url: string; dataDir: string; engine: string; secrets: string[] }

  beforeAll(() =>
    withStorage(async (storage) => {
      const env = { ...environmentOf(storage), SUPER_ADMIN_TOKEN: superAdminToken, LOG_LEVEL: 'debug' }
      await using server = await startServerProcess(env)
      boot = server.stdout
      const { tokens } = await seed(server.url)
      const call = (path: string, token: string, body?: string) =>
        fetch(`${server.url}${path}`, {
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { method: 'POST', body }),
        })
      expect((await call('/v1/context', superAdminToken)).status).toBe(200)
      expect((await call('/v1/context', `${tokens.admin}x`)).status).toBe(401)
      expect((await call('/v1/search', tokens.admin ?? '', '{')).status).toBe(400)
      expect((await call('/v1/search', tokens.admin ?? '', '{"q":"ferry"}')).status).toBe(200)
      server.kill('SIGTERM')
      await server.exited
      stdout = server.stdout
      stderr = server.stderr
      const password = storage.catalog.kind === 'postgresql' ? [new URL(storage.catalog.url).password] : []
      expected = {
        url: server.url,
        dataDir: storage.dataDir,
        engine: storage.catalog.kind,
        secrets: [superAdminToken, ...Object.values(tokens), ...password].filter((secret) => secret !== ''),
      }
    }),
  )

  test('begins with a boot block: address, data directory, bindings, how to seed', () => {
    expect(boot).toContain(expected.url)
    expect(boot).toContain(`${expected.url}/graphql`)
    expect(boot).toContain(expected.dataDir)
    expect(boot).toMatch(new RegExp(`catalog +${expected.engine}`))
    for (const line of [/index +embedded/, /objects +filesystem/, /key-value +memory/, /inference +built in/]) {
      expect(boot).toMatch(line)
    }
    expect(boot).toContain(`curl -X POST ${expected.url}/v1/admin/seed`)
  })

  test('shows no secret in any answer', () => {
    expect(expected.secrets.length).toBeGreaterThanOrEqual(6)
    for (const secret of expected.secrets) expect(stdout + stderr).not.toContain(secret)
  })
})

async function seed(url: string): Promise<{ tokens: Record<string, string> }> {
  const response = await fetch(`${url}/v1/admin/seed`, { method: 'POST' })
  expect(response.status).toBe(200)
  return (await response.json()) as { tokens: Record<string, string> }
}

/** An ingest whose body pauses halfway until `finish`. */
function slowIngest(url: string, token: string) {
  const body = JSON.stringify({ units: [{ scope: 'harbor/general', text: 'written while the server drained' }] })
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': body.length,
  }
  const begun = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<{ status: number; body: string }>()
  const outgoing = request(`${url}/v1/ingest`, { method: 'POST', headers }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    response.on('end', () => answer.resolve({ status: response.statusCode ?? 0, body: text }))
  })
  outgoing.on('error', answer.reject)
  outgoing.write(body.slice(0, 20), () => setTimeout(begun.resolve, 50))
  return { begun: begun.promise, finish: () => outgoing.end(body.slice(20)), answer: answer.promise }
}
