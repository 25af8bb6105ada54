import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { RemoteError } from '../../src/adapters/resilience/remote-error.ts'
import { writeAttempt } from '../support/database/write-attempt.ts'
import { type Asked, type Fault, type LocalPinecone, startLocalPinecone } from '../support/pinecone/local-pinecone.ts'
import { openPinecone } from '../support/pinecone/open.ts'
import { eventually } from '../support/waited.ts'
import { filterFor, indexedUnit, namespaceId, openScope } from './index-fixtures.ts'

let server: LocalPinecone
let index: ReturnType<typeof openPinecone>

beforeAll(async () => {
  server = await startLocalPinecone()
})
afterAll(() => server[Symbol.asyncDispose]())

beforeEach(async () => {
  Object.assign(server, { always: null, faults: [], faulty: () => true, lagMs: 0, numbered: true })
  // A new index for each test, so that earlier failures don't pause it.
  index = openPinecone(server)
  await identityOf(index)
  await index.sink.drop(namespaceId, writeAttempt())
  await write(indexedUnit('u', 1))
  server.asked.length = 0
})

/** Resolves when the indexes exist; a caller waits at most a second. */
const identityOf = ({ sink }: ReturnType<typeof openPinecone>) => eventually(() => sink.identity())

const write = (...puts: ReturnType<typeof indexedUnit>[]) =>
  index.sink.write(namespaceId, { puts, removals: [] }, writeAttempt())
const query = { plane: 'text', model: 'm', vector: Float32Array.of(1, 0, 0, 0) } as const
const search = () => index.search(query, filterFor(), 10)
const isQuery = ({ path }: Asked) => path === '/query'
const requests = (path: string) => server.asked.filter((asked) => asked.path === path)

const status = (code: number): Fault => ({ kind: 'status', status: code })
const matching = (...matches: object[]): Fault => ({ kind: 'changed', change: (answer) => ({ ...answer, matches }) })

describe('a search that Pinecone', () => {
  const failures: Record<string, [Fault, string]> = {
    'cuts off': [{ kind: 'reset' }, 'unreachable'],
    'answers in half': [{ kind: 'truncated' }, 'unreachable'],
    'answers 400': [status(400), 'refused'],
    'answers 401': [status(401), 'refused'],
    'answers 403': [status(403), 'refused'],
    'answers 404, but not of a namespace': [status(404), 'absent'],
    'answers 409': [status(409), 'conflict'],
    'answers 429': [{ kind: 'status', status: 429, retryAfter: '60' }, 'busy'],
    'answers 500': [status(500), 'broken'],
    'answers 503': [status(503), 'broken'],
    redirects: [status(302), 'unreachable'],
    'answers with HTML': [{ kind: 'body', body: '<html>Welcome</html>' }, 'malformed'],
    'answers with nothing': [{ kind: 'body', body: '' }, 'malformed'],
    'answers null': [{ kind: 'body', body: 'null' }, 'malformed'],
    'answers {}': [{ kind: 'body', body: '{}' }, 'malformed'],
    'answers []': [{ kind: 'body', body: '[]' }, 'malformed'],
    'answers for another namespace': [
      { kind: 'changed', change: (answer) => ({ ...answer, namespace: 'another' }) },
      'malformed',
    ],
    'answers without matches': [{ kind: 'changed', change: ({ namespace }) => ({ namespace }) }, 'malformed'],
    'answers matches without scores': [matching({ id: 'u' }), 'malformed'],
    'answers a score that is null, as NaN is in JSON': [matching({ id: 'u', score: null }), 'malformed'],
    'answers a score beyond cosines': [matching({ id: 'u', score: 2 }), 'malformed'],
    'answers matches without ids': [matching({ score: 0.5 }), 'malformed'],
  }
  for (const [name, [fault, code]] of Object.entries(failures)) {
    it(`${name} fails, and says no more than that`, async () => {
      Object.assign(server, { always: fault, faulty: isQuery })
      const error = await search().catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(RemoteError)
      expect(error).toMatchObject({ code })
      expect(String((error as Error).stack)).not.toMatch(/pcsk|told so|Welcome|ns_1/)
      expect((error as Error).cause).toBeUndefined()
      expect(requests('/query').length).toBeLessThanOrEqual(2)
    })
  }

  it('answers one time out of two is answered', async () => {
    Object.assign(server, { faults: [status(503)], faulty: isQuery })
    expect(await search()).toEqual([{ unitId: 'u', score: 1 }])
  })

  it('has no namespace for finds nothing', async () => {
    expect(await index.search(query, filterFor({ namespaceId: 'ns_none' }), 10)).toEqual([])
  })
})

describe('after failures', () => {
  it('searches fail at once for a while, and then one at a time tries', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      Object.assign(server, { always: status(500), faulty: isQuery })
      await expect(search()).rejects.toMatchObject({ code: 'broken' })
      const asked = requests('/query').length
      for (let i = 0; i < 5; i++) await expect(search()).rejects.toMatchObject({ code: 'paused' })
      expect(requests('/query')).toHaveLength(asked)
      server.always = null
      vi.advanceTimersByTime(600)
      const tried = await Promise.allSettled([search(), search(), search()])
      expect(tried.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
      expect(await search()).toHaveLength(1)
    } finally {
      vi.useRealTimers()
    }
  })

  it('a request that is refused pauses nothing', async () => {
    Object.assign(server, { faults: [status(400)], faulty: isQuery })
    await expect(search()).rejects.toMatchObject({ code: 'refused' })
    expect(await search()).toHaveLength(1)
  })
})

describe('a write', () => {
  it('that is not seen in time is waited for when it comes again, and not sent again', async () => {
    server.lagMs = 6000
    const batch = { puts: [indexedUnit('late', 2)], removals: [{ unitId: 'u', plane: 'text' as const }] }
    const attempt = () => index.sink.write(namespaceId, batch, writeAttempt(AbortSignal.timeout(3000)))
    await expect(attempt()).rejects.toMatchObject({ code: 'timeout' })
    const sent = () => server.asked.filter(({ path }) => /upsert|delete/.test(path)).length
    const first = sent()
    expect(first).toBeGreaterThan(0)
    await eventually(attempt)
    expect(sent()).toBe(first)
    expect(await index.sink.manifest(namespaceId, 'text')).toEqual(new Map([['late', 2]]))
    await attempt().catch(() => {})
    expect(sent()).toBeGreaterThan(first)
  })

  it('sends nothing more once its signal is given', async () => {
    server.always = { kind: 'slow', ms: 5000 }
    server.faulty = ({ path }) => path === '/vectors/upsert'
    const over = new AbortController()
    const puts = Array.from({ length: 1500 }, (_, i) => indexedUnit(`u${i}`, i + 2))
    const writing = index.sink
      .write(namespaceId, { puts, removals: [] }, writeAttempt(over.signal))
      .catch((error: unknown) => error)
    // All requests in flight: both batches of records, and three batches of deletions in each of the other planes.
    await eventually(() =>
      expect([requests('/vectors/upsert'), requests('/vectors/delete')].map((r) => r.length)).toEqual([2, 9]),
    )
    over.abort()
    expect(await writing).toMatchObject({ code: 'timeout' })
    const sent = server.asked.length
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(server.asked).toHaveLength(sent)
    expect(requests('/vectors/delete').filter(({ index: name }) => name === 'svc-text-4')).toEqual([])
  })

  it('goes in requests of at most 1,000 records and 2 MB', async () => {
    const puts = Array.from({ length: 2500 }, (_, i) => indexedUnit(`u${i}`, i + 2))
    await write(...puts)
    const sizes = requests('/vectors/upsert').map(({ body }) => (body as { vectors: object[] }).vectors.length)
    expect(sizes.sort()).toEqual([1000, 1000, 500])
    expect((await index.sink.manifest(namespaceId, 'text')).size).toBe(2501)
    expect(await index.sink.held(namespaceId, [{ unitId: 'u7', plane: 'text' }])).toEqual(new Map([['u7', 9]]))
  })
})

describe('a search', () => {
  it('among more scopes than one filter takes asks for all of them', async () => {
    const scopes = Array.from({ length: 10_001 }, (_, i) => `scope_${i}`)
    await write(indexedUnit('first', 2, { scopeId: 'scope_0' }), indexedUnit('last', 3, { scopeId: 'scope_10000' }))
    const filter = filterFor({ scopeIds: new Map([['text', [...scopes, openScope]]]) })
    expect((await index.search(query, filter, 2)).map(({ unitId }) => unitId)).toEqual(['first', 'last'])
    expect(requests('/query').length).toBeGreaterThanOrEqual(2)
    expect(server.breaches).toEqual([])
  })

  it('finds the first of a hundred of like score', async () => {
    await write(...Array.from({ length: 300 }, (_, i) => indexedUnit(`t${String(i).padStart(3, '0')}`, i + 2)))
    const found = await index.search(query, filterFor(), 5)
    expect(found.map(({ unitId }) => unitId)).toEqual(['t000', 't001', 't002', 't003', 't004'])
  })

  it('for what has no direction finds nothing, and what has none is found by no search', async () => {
    const zero = { model: 'm', values: new Float32Array(4) }
    await write(indexedUnit('zero', 2, { vector: zero }))
    expect((await search()).map(({ unitId }) => unitId)).toEqual(['u'])
    expect(await index.search({ ...query, vector: zero.values }, filterFor(), 5)).toEqual([])
    expect(await index.sink.manifest(namespaceId, 'text')).toEqual(
      new Map([
        ['u', 1],
        ['zero', 2],
      ]),
    )
  })
})

describe('several processes', () => {
  it('that start at once make each index once, and tell them by the same name', async () => {
    await using fresh = await startLocalPinecone()
    fresh.readyMs = 200
    const all = Array.from({ length: 4 }, () => openPinecone(fresh))
    const identities = async () => {
      const told = await Promise.all(all.map(({ sink }) => sink.identity()))
      expect(new Set(told).size).toBe(1)
      return told[0]
    }
    const first = await eventually(identities)
    expect(fresh.indexes.size).toBe(4)
    const wide = { model: 'own', values: new Float32Array(2000).fill(1) }
    const puts = [indexedUnit('wide', 1, { vector: wide })]
    await Promise.all(all.map(({ sink }) => sink.write(namespaceId, { puts, removals: [] }, writeAttempt())))
    expect([...fresh.indexes.keys()]).toContain('svc-text-4096')
    expect(await identities()).toBe(first)
    for (const { search: ask } of all) {
      expect(await ask({ plane: 'text', model: 'own', vector: wide.values }, filterFor(), 5)).toHaveLength(1)
    }
  })

  it('see within seconds that another one’s indexes were made again', async () => {
    await using fresh = await startLocalPinecone()
    const opened = openPinecone(fresh, { refreshMs: 50 })
    const before = await identityOf(opened)
    fresh.indexes.delete('svc-audio-4')
    await eventually(async () => expect(await opened.sink.identity()).not.toBe(before))
    expect(fresh.indexes.has('svc-audio-4')).toBe(true)
    const after = await opened.sink.identity()
    const register = [...fresh.indexes.values()].find(({ tags }) => 'register' in tags)
    Object.assign(register?.tags ?? {}, { team: 'search', 'cost-center': '12' })
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await opened.sink.identity()).toBe(after)
  })

  it('refuse an index of their name that is none of theirs', async () => {
    await using fresh = await startLocalPinecone()
    await identityOf(openPinecone(fresh))
    const text = fresh.indexes.get('svc-text-4')
    if (!text) throw new Error('there is no such index')
    text.metric = 'euclidean'
    const other = openPinecone(fresh)
    const outcome = () => other.sink.identity().catch((error: unknown) => error)
    await expect.poll(outcome, { interval: 600 }).toMatchObject({ code: 'refused' })
  })
})

describe('a namespace of which the last Unit goes', () => {
  it('goes too, and takes nothing with it that comes after', async () => {
    server.lagMs = 150
    const removals = [{ unitId: 'u', plane: 'text' as const }]
    await index.sink.write(namespaceId, { puts: [], removals }, writeAttempt())
    const names = [...server.indexes.values()].flatMap(({ namespaces }) => namespaces.names())
    expect(names).not.toContain(namespaceId)
    await write(indexedUnit('next', 3))
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect((await search()).map(({ unitId }) => unitId)).toEqual(['next'])
  })
})
