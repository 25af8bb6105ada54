import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { internalProblem } from '../../../src/errors.ts'
import { routes } from '../../../src/http/rest/route.ts'
import { boot, type Reply, superAdminToken, type TestApp } from '../../support/boot.ts'
import { withCatalogRows } from '../../support/database/catalog-rows.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { environmentOf, startServerProcess } from '../../support/process/server-process.ts'
import { startTcpProxy, type TcpProxy } from '../../support/process/tcp-proxy.ts'
import { startPatientClock, waited } from '../../support/waited.ts'

/** The documented limits. */
const errorMs = 5000
const recoveryMs = 15_000

const internalError = { error: 'internal_error', detail: internalProblem, status: 500 }
/** Routes that need no catalog. */
const withoutCatalog: Record<string, number> = {
  'GET /v1/health': 200,
  'GET /v1/billing/plans': 200,
  'POST /v1/billing/webhook': 503,
  'POST /v1/billing/reconcile': 401,
}

describe.skipIf(!process.env.TEST_DATABASE_URL)('a PostgreSQL server that goes away (needs TEST_DATABASE_URL)', () => {
  let storage: TestStorage
  let proxy: TcpProxy
  let app: TestApp
  let enterprise: string
  let clock: ReturnType<typeof startPatientClock>

  // One service for all tests: after each outage it must work as before.
  beforeAll(async () => {
    clock = startPatientClock()
    storage = await createStorage()
    if (storage.catalog.kind !== 'postgresql') throw new Error('a server was wanted')
    const url = new URL(storage.catalog.url)
    proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port || 5432) })
    url.hostname = '127.0.0.1'
    url.port = `${proxy.port}`
    app = await boot({ config: { catalog: { kind: 'postgresql', url: url.href } }, storage })
    enterprise = (await call('POST', '/v1/admin/seed', {})).body.tokens.enterprise
  })
  afterEach(async () => {
    proxy.mode = 'pass'
    await proxy.listen()
    await recovers()
  })
  afterAll(async () => {
    clock.stop()
    await app.close({ keep: true })
    await proxy[Symbol.asyncDispose]()
    await storage.remove()
  })

  /** In namespace `demo`. */
  const call = (method: string, path: string, body?: object): Promise<Reply> =>
    app.call(method, path, { token: superAdminToken, scope: 'harbor/general', ...(body && { body }) })
  const timed = async (request: Promise<Reply>) => {
    const [started, patientlyStarted] = [performance.now(), clock.now()]
    const { status, body } = await request
    return { status, body, ms: clock.now() - patientlyStarted, wallMs: performance.now() - started }
  }
  const ingest = (name: string) =>
    call('POST', '/v1/ingest', { units: [{ external_id: name, text: `written as ${name}`, acl_groups: ['*'] }] })
  const recovers = async () => {
    const isReady = () => app.call('GET', '/readyz').then(({ status }) => status)
    const { ms } = await waited(() => expect.poll(isReady).toBe(200))
    expect(ms).toBeLessThan(recoveryMs)
  }

  const expectOutage = async () => {
    const all = await Promise.all(
      routes.map(async ({ method, path, body: kind }) => {
        const filled = path.replace(/:(scope|id|ns)$/, 'some-$1')
        const body = method === 'POST' && kind !== 'none' ? {} : undefined
        return { name: `${method} ${path}`, ...(await timed(call(method, filled, body))) }
      }),
    )
    for (const { name, status, body, ms } of all) {
      expect(ms, name).toBeLessThan(errorMs)
      const expected = withoutCatalog[name]
      if (expected === undefined) expect({ name, body }).toEqual({ name, body: internalError })
      expect({ name, status }).toEqual({ name, status: expected ?? 500 })
    }
    expect(all).toHaveLength(routes.length)
    const health = await timed(app.call('GET', '/v1/health'))
    expect(health.ms).toBeLessThan(errorMs)
    expect(health.body).toMatchObject({ status: 'degraded', bindings: { catalog: 'postgresql (down)' } })
    expect((await app.call('GET', '/livez')).status).toBe(200)
    expect((await app.call('GET', '/readyz')).status).toBe(503)
    const graphql = await timed(app.graphql('{ context { perms } }', {}, { token: superAdminToken }))
    expect(graphql.ms).toBeLessThan(errorMs)
    expect(graphql.body.errors[0].extensions).toEqual({ code: 'internal_error', status: 500 })
    const cookie = { cookie: 'svc.session_token=x.y', 'sec-fetch-site': 'same-origin' }
    const credentials = { email: 'mira@example.com', password: 'the cat is called Bollard' }
    const signIn = app.call('POST', '/api/auth/sign-in/email', { body: credentials, headers: cookie })
    const { status, body, ms } = await timed(signIn)
    expect(ms).toBeLessThan(errorMs)
    expect({ status, body }).toEqual({ status: 500, body: internalError })
  }

  test.each(['refuses', 'hangs'] as const)('one that %s: every route answers soon, and works again', async (how) => {
    if (how === 'refuses') await proxy.refuse()
    else proxy.mode = 'hang'
    // The outage is not detected yet: more requests than may wait for a connection.
    const flood = await Promise.all(Array.from({ length: 1200 }, () => timed(call('GET', '/v1/units'))))
    expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([500]))
    expect(Math.max(...flood.map(({ ms }) => ms))).toBeLessThan(errorMs)
    await expectOutage()
    // The outage is detected: no request waits, however many there are.
    const many = await Promise.all(Array.from({ length: 500 }, () => timed(call('GET', '/v1/units'))))
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([500]))
    expect(Math.max(...many.map(({ ms }) => ms))).toBeLessThan(1500)
    if (how === 'refuses') await proxy.listen()
    else proxy.mode = 'pass'
    await recovers()
    expect((await ingest(`after-${how}`)).body.counts).toEqual({ created: 1, updated: 0, unchanged: 0 })
    expect((await call('POST', '/v1/search', { q: `written as after-${how}`, top_k: 1 })).body.hits).toHaveLength(1)
    expect((await app.call('GET', '/v1/health')).body.status).toBe('ok')
  })

  test('one that hangs in the middle of requests: none of them waits for it, none is lost that was acknowledged', async () => {
    const answers: { status: number; ms: number; name: string | null }[] = []
    let stop = false
    const client = async (i: number) => {
      for (let n = 0; !stop; n += 1) {
        const name = i % 2 === 0 ? `u${i}-${n}` : null
        const request = name === null ? call('POST', '/v1/search', { q: 'ferry' }) : ingest(name)
        const { status, ms } = await timed(request)
        answers.push({ status, ms, name })
        if (status === 500) await sleep(50)
      }
    }
    const clients = Array.from({ length: 24 }, (_, i) => client(i))
    const written = () => answers.filter(({ status, name }) => status === 200 && name !== null).length
    await expect.poll(written).toBeGreaterThan(10)
    proxy.mode = 'hang'
    // Each client has met the outage, and has asked again.
    await expect.poll(() => answers.filter(({ status }) => status === 500).length).toBeGreaterThan(clients.length)
    proxy.mode = 'pass'
    await recovers()
    const before = written()
    await expect.poll(written).toBeGreaterThan(before)
    stop = true
    await Promise.all(clients)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 500]))
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(errorMs)
    const known = new Set<string>()
    for (let cursor: number | null = 0; cursor !== null; ) {
      const { body }: Reply = await call('GET', `/v1/units?limit=100&cursor=${cursor}`)
      for (const { external_id } of body.units) {
        expect(known.has(external_id), external_id).toBe(false)
        known.add(external_id)
      }
      cursor = body.next_cursor
    }
    const acknowledged = answers.flatMap(({ status, name }) => (status === 200 && name !== null ? [name] : []))
    expect(acknowledged.length).toBeGreaterThan(10)
    expect(acknowledged.filter((name) => !known.has(name))).toEqual([])
    expect((await call('GET', '/v1/audit/verify')).body.intact).toBe(true)
  })

  test('connections that are cut fail what was under way and nothing after that', async () => {
    for (let round = 0; round < 5; round += 1) {
      const requests = Array.from({ length: 12 }, (_, i) => ingest(`cut-${round}-${i}`))
      await sleep(round * 5)
      proxy.cut()
      const statuses = (await Promise.all(requests)).map(({ status }) => status)
      expect(statuses.filter((status) => status !== 200 && status !== 500)).toEqual([])
      expect((await ingest(`whole-${round}`)).status).toBe(200)
    }
    // After a retry each exists exactly once.
    for (let i = 0; i < 12; i += 1) expect((await ingest(`cut-0-${i}`)).status).toBe(200)
    const found = await call('POST', '/v1/search', { q: 'written', top_k: 50, filters: { external_id: ['cut-0-3'] } })
    expect(found.body.hits).toHaveLength(1)
  })

  // The first connection is the watcher's.
  test.each([0, 1])('connections that a network forgets, all but %i, hold nobody up for long', async (butFirst) => {
    await Promise.all(Array.from({ length: 8 }, (_, i) => ingest(`warm-${i}`)))
    proxy.forget(butFirst)
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => timed(ingest(`forgotten-${i}`))))
    expect(answers.map(({ status }) => status)).toContain(500)
    for (const { status, ms } of answers) {
      expect([200, 500]).toContain(status)
      expect(ms).toBeLessThan(errorMs)
    }
    await recovers()
    expect((await ingest('remembered')).status).toBe(200)
  })

  test('what waits for a lock on a server that answers is left alone, and leaves connections to others', async () => {
    await ingest('first')
    const started = performance.now()
    const held = withCatalogRows(storage, (sql) =>
      sql(`DO $$ BEGIN
             PERFORM 1 FROM head h JOIN namespace n ON n.id = h.namespace_id WHERE n.name = 'demo' FOR UPDATE OF h;
             PERFORM pg_sleep(5.5);
           END $$`),
    )
    // A long transaction with many short statements is not treated as lost.
    const { catalog } = app.runtime.bindings
    const found = await catalog.access.namespace('pro')
    const steady = catalog.transact(found?.namespace.id ?? '', async (tx) => {
      for (let i = 0; i < 32; i += 1) await tx.scopes.list().then(() => sleep(150))
      return 'done'
    })
    const free = `SELECT 1 FROM head h JOIN namespace n ON n.id = h.namespace_id
      WHERE n.name = 'demo' FOR UPDATE OF h SKIP LOCKED`
    await expect.poll(() => withCatalogRows(storage, (sql) => sql(free))).toEqual([])
    const writes = Array.from({ length: 20 }, async (_, i) => {
      const { status } = await ingest(`waiting-${i}`)
      return { status, ms: performance.now() - started }
    })
    await sleep(300)
    // Other requests can read, and can write to other namespaces.
    for (let i = 0; i < 5; i += 1) {
      const { status, ms } = await timed(call('GET', '/v1/units?limit=5'))
      expect(status).toBe(200)
      expect(ms).toBeLessThan(1500)
    }
    const units = [{ text: 'elsewhere' }]
    const other = app.call('POST', '/v1/ingest', { token: enterprise, scope: 'a/b', body: { units } })
    expect(await timed(other)).toMatchObject({ status: 200, ms: expect.toSatisfy((ms: number) => ms < 2500) })
    for (const { status, ms } of await Promise.all(writes)) {
      expect(status).toBe(200)
      expect(ms).toBeGreaterThan(5500)
    }
    await held
    expect(await steady).toBe('done')
  })

  test('a COMMIT whose answer was lost is an error to the caller, and harmless to send again', async () => {
    const before = await call('GET', '/v1/audit?limit=1')
    // Not the one of a transaction in the background.
    const sprung = proxy.cutAfter('written as perhaps', 'COMMIT')
    const [lost] = await Promise.all([ingest('perhaps'), sprung])
    expect({ status: lost.status, body: lost.body }).toEqual({ status: 500, body: internalError })
    await recovers()
    // The server had received it.
    const again = await ingest('perhaps')
    expect(again.body.counts).toEqual({ created: 0, updated: 0, unchanged: 1 })
    const rows = (await call('GET', '/v1/audit?limit=10')).body.rows
    const ingests = rows.filter(({ action, seq }: { action: string; seq: number }) => {
      return action === 'units.ingest' && seq > before.body.rows[0].seq
    })
    expect(ingests).toHaveLength(2)
    expect((await call('POST', '/v1/search', { q: 'written as perhaps', top_k: 1 })).body.hits).toHaveLength(1)
  })

  test('a stop does not wait for one that is gone', async () => {
    const { catalog } = app.runtime.config
    const other = await boot({ storage, config: { catalog, dataDir: join(storage.dataDir, 'other') } })
    const options = { token: superAdminToken, body: { q: 'ferry' } }
    expect((await other.call('POST', '/v1/search', options)).status).toBe(200)
    await proxy.refuse()
    const { ms } = await waited(() => other.close({ keep: true }))
    expect(ms).toBeLessThan(10_000)
  })

  test('a start does not wait for a server that hangs', async () => {
    proxy.mode = 'hang'
    const url = `postgres://nobody@127.0.0.1:${proxy.port}/nothing`
    const { ms } = await waited(() =>
      expect(boot({ storage, config: { catalog: { kind: 'postgresql', url } } })).rejects.toMatchObject({
        name: 'DatabaseUnreachableError',
        code: 'no answer',
      }),
    )
    expect(ms).toBeLessThan(errorMs)
  })

  test('a server that is slow is waited for', async () => {
    proxy.mode = { delayMs: 60 }
    const { status, wallMs } = await timed(ingest('slow'))
    expect(status).toBe(200)
    expect(wallMs).toBeGreaterThan(300)
  })

  test('reads that were answered before an outage are recorded after it', async () => {
    const searches = await Promise.all(Array.from({ length: 20 }, () => call('POST', '/v1/search', { q: 'ferry' })))
    await proxy.refuse()
    expect(searches.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    const ids = searches.map(({ headers }) => headers.get('x-request-id'))
    await sleep(700)
    await proxy.listen()
    await recovers()
    const recorded = async () => {
      const { body } = await call('GET', '/v1/audit?limit=100')
      const known = body.rows.map((row: { request_id: string }) => row.request_id)
      return ids.filter((id) => known.includes(id)).length
    }
    await expect.poll(recorded).toBe(20)
  })
})

describe.skipIf(!process.env.TEST_DATABASE_URL)('a service on a PostgreSQL server (needs TEST_DATABASE_URL)', () => {
  test('broken connections end nothing, and the log tells of them without their keys', async () => {
    const storage = await createStorage()
    try {
      await using server = await startServerProcess(environmentOf(storage))
      await withCatalogRows(storage, (sql) =>
        sql(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()`),
      )
      await expect.poll(() => server.stderr).toContain('terminating connection')
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
      // Anyone who has a connection's secret key can cancel its queries.
      expect(server.stderr).not.toMatch(/secretKey|password/)
      server.kill('SIGTERM')
      expect(await server.exited).toEqual({ code: 0, signal: null })
    } finally {
      await storage.remove()
    }
  })
})
