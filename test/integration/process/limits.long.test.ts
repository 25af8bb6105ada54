import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { atNight } from '../../support/amounts.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { reportFault } from '../../support/process/report-fault.ts'
import { failedStart, type ServerProcess, startServerProcess } from '../../support/process/server-process.ts'

const timeout = 600_000
const timeoutMs = 300_000

let storage: TestStorage
beforeAll(async () => {
  storage = await createStorage({ embedded: true })
}, timeout)
afterAll(() => storage.remove())

const env = () => ({ HOST: '127.0.0.1', PORT: '0', DATA_DIR: storage.dataDir, LOG_LEVEL: 'warn' })
const withOpenFiles = (count: number) => ['sh', '-c', `ulimit -n ${count}; exec "$@"`, 'sh']

async function callerOf({ url }: ServerProcess) {
  const seeded = await fetch(`${url}/v1/admin/seed`, { method: 'POST', headers: { authorization: `Bearer ${secret}` } })
  expect(seeded.status).toBe(200)
  return async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'x-svc-namespace': 'demo' }
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
}
const secret = 'super-admin-of-the-limits'
const unitOf = (id: string) => ({ scope: 'harbor/general', external_id: id, text: `the ferry ${id}` })

describe('a limit of open files', { timeout }, () => {
  it('that is too low is a sentence that names the least, which serves more clients than it can hold, and after them', async () => {
    const { exit, stdout, stderr } = await failedStart(env(), { wrapper: withOpenFiles(64), timeoutMs })
    expect([exit, stdout]).toEqual([{ code: 1, signal: null }, ''])
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^this process may have at most 64 files open, and needs at least \d+; raise the limit/),
    ])
    const least = Number(/at least (\d+)/.exec(stderr)?.[1])
    const options = { wrapper: withOpenFiles(least), timeoutMs }
    await using server = await startServerProcess({ ...env(), SUPER_ADMIN_TOKEN: secret }, options)
    const call = await callerOf(server)
    expect((await call('POST', '/v1/ingest', { units: [unitOf('before')] })).status).toBe(200)

    const { hostname, port } = new URL(server.url)
    const crowd: Socket[] = []
    for (let i = 0; i < 2 * least; i += 1) {
      const socket = connect(Number(port), hostname).on('error', () => {})
      crowd.push(socket)
      await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    }
    // The one connection that is kept open since before the crowd.
    expect((await call('POST', '/v1/search', { q: 'ferry', top_k: 3 })).status).toBe(200)
    expect((await call('POST', '/v1/ingest', { units: [unitOf('in the crowd')] })).status).toBe(200)
    for (const socket of crowd) socket.destroy()
    const after = () => call('POST', '/v1/ingest', { units: [unitOf('after')] }).catch(() => null)
    const served = () => expect.poll(async () => (await after())?.status).toBe(200)
    await reportFault('the fewest open files', `${2 * least} connections, a write, a search`, served)

    const query = 'mutation($input: CreateSourceInput!) { createSource(input: $input) { sourceUri } }'
    const data = Buffer.from('# Ferry').toString('base64')
    const source = await call('POST', '/graphql', { query, variables: { input: { data } } })
    expect(source.body.errors).toBeUndefined()
    for (const id of ['before', 'in the crowd', 'after']) {
      expect((await call('GET', `/v1/units/${encodeURIComponent(id)}`)).status, id).toBe(200)
    }
    expect((await call('GET', '/v1/audit/verify')).body).toMatchObject({ intact: true })
    server.kill('SIGTERM')
    expect(await server.exited).toEqual({ code: 0, signal: null })
  })
})

describe('a limit of memory', { timeout }, () => {
  it('that is too low is a sentence that names the least', async () => {
    const { exit, stdout, stderr } = await failedStart(env(), { nodeFlags: ['--max-old-space-size=64'] })
    expect([exit, stdout]).toEqual([{ code: 1, signal: null }, ''])
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^--max-old-space-size=64 .* at least \d+ \(MB\)$/),
    ])
  })

  it('of 192 MB serves large bodies that come all at once', async () => {
    const options = { nodeFlags: ['--max-old-space-size=192'], timeoutMs }
    await using server = await startServerProcess({ ...env(), SUPER_ADMIN_TOKEN: secret }, options)
    const call = await callerOf(server)
    expect((await call('POST', '/v1/ingest', { units: [unitOf('small')] })).status).toBe(200)
    // 15 MB of Units, of which the last one is wrong: they are read and checked, not stored.
    const texts = Array.from({ length: 999 }, (_, i) => ({ ...unitOf(`large ${i}`), text: 'ferry '.repeat(2500) }))
    const large = { units: [...texts, { scope: 'harbor/general', text: 7 }] }
    const replies = await Promise.all(Array.from({ length: 16 }, () => call('POST', '/v1/ingest', large)))
    for (const reply of replies) {
      expect(reply).toEqual({
        status: 400,
        body: { error: 'bad_request', status: 400, detail: expect.stringContaining('units[999].text') },
      })
    }
    const small = await reportFault('192 MB', '16 bodies of 15 MB at once', () => call('GET', '/v1/units/small'))
    expect(small.status).toBe(200)
    expect((await call('GET', '/v1/audit/verify')).body).toMatchObject({ intact: true })
    server.kill('SIGTERM')
    expect(await server.exited).toEqual({ code: 0, signal: null })
  })
})

describe.runIf(process.platform === 'linux' && atNight)('an idle process, at night', { timeout }, () => {
  it('gives the memory of many writes back', async () => {
    await using server = await startServerProcess(
      { ...env(), SUPER_ADMIN_TOKEN: secret, INFERENCE: 'builtin' },
      { timeoutMs },
    )
    const call = await callerOf(server)
    const resident = async () => {
      const status = await readFile(`/proc/${server.pid}/status`, 'utf8')
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
    }
    const metadata = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`field ${i}`, i]))
    for (let batch = 0; batch < 20; batch += 1) {
      const units = Array.from({ length: 500 }, (_, i) => ({ ...unitOf(`${batch}-${i}`), metadata }))
      expect((await call('POST', '/v1/ingest', { units })).status).toBe(200)
    }
    const held = await resident()
    await expect.poll(resident, { timeout: 120_000, interval: 500 }).toBeLessThan(held - 25)
  })
})
