import { describe, expect, test } from 'vitest'
import { sampled } from '../../support/amounts.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { type Engines, startEngines } from '../../support/engines.ts'
import { breakableEngines, type EngineFault, pineconeIndexes } from '../../support/index/engine-faults.ts'
import { meilisearchOn } from '../../support/meilisearch/to-test.ts'
import { eventually, waited } from '../../support/waited.ts'

const faults: EngineFault[] = ['hanging', 'down', 'garbage']
/** By day two: each takes as long as its engine is given. */
const triedAlone = sampled(faults, 2)

/** The limit for a search with a hanging engine: 3 s plus the usual short time. */
const longestSearchMs = 3000 + 500

/** Words and a caller's vector, so that both indexes rank. */
const lanterns = { q: 'lantern', vector: { text: [1, 0, 0] }, planes: ['text'] }
const lantern = (external_id: string) => ({
  external_id,
  text: `a lantern, ${external_id}`,
  vector: [1, 0, 0],
  acl_groups: ['crew'],
})

/** Starts a service on its own engines; `prepare` runs before the start. */
async function startService({ ingestWaitMs = 300, prepare = async (_: Engines): Promise<unknown> => null } = {}) {
  const engines = await startEngines()
  await prepare(engines)
  const textIndex = { ...meilisearchOn(engines.meilisearch), pauseMs: 300 }
  const app = await boot({ config: { ...engines.config, textIndex, ingestWaitMs } })
  return {
    engines,
    home: (name: string) => openHome(app, name),
    health: async () => (await app.call('GET', '/v1/health')).body,
    [Symbol.asyncDispose]: async () => {
      for (const engine of breakableEngines) await engine.mend(engines)
      await app.close()
      await engines[Symbol.asyncDispose]()
      expect(engines.breaches()).toEqual([])
    },
  }
}

/** Creates a namespace with a writer, and with a reader that must not see everything. */
async function openHome(app: TestApp, namespace: string) {
  const grants = [{ scope: 'dock', perms: ['read' as const] }]
  const owner = await app.principal({ id: `owner-${namespace}`, namespace, groups: ['crew'] })
  const reader = await app.principal({ id: `reader-${namespace}`, namespace, groups: ['crew'], grants })
  const ok = async (method: string, path: string, options: Parameters<TestApp['call']>[2]) => {
    const { status, body } = await app.call(method, path, options)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  const search = async () => {
    const { result, ms } = await waited(() => ok('POST', '/v1/search', { token: reader, body: lanterns }))
    expect(ms).toBeLessThan(longestSearchMs)
    const { hits, trace } = result
    const found: string[] = hits.map((hit: { external_id: string }) => hit.external_id)
    return { found: found.sort(), degraded: trace.degraded, isBehind: trace.index_seq < trace.seq }
  }
  return {
    search,
    ingest: async (...units: object[]) => ok('POST', '/v1/ingest', { token: owner, scope: 'dock', body: { units } }),
    erase: async (id: string) => ok('POST', '/v1/units:delete', { token: owner, body: { ids: [id], hard: true } }),
    list: async (): Promise<string[]> => {
      const { units } = await ok('GET', '/v1/units', { token: reader })
      return units.map((unit: { external_id: string }) => unit.external_id).sort()
    },
    freshness: async (): Promise<string> => (await ok('GET', '/v1/compaction', { token: owner })).planes[0].health,
    /** Waits until searches and health are complete again. */
    recovered: (found: string[]) =>
      eventually(async () => {
        expect(await search()).toEqual({ found, degraded: [], isBehind: false })
        expect((await app.call('GET', '/v1/health')).body.status).toBe('ok')
      }),
  }
}

/** The data that the engines hold for a Unit. */
function keptOf({ pinecone, meilisearch }: Engines, unitId: string): unknown[] {
  const vectors = [...pinecone.indexes.values()].flatMap(({ namespaces }) =>
    namespaces.names().flatMap((name) => [...namespaces.all(name).values()]),
  )
  const documents = [...meilisearch.indexes.values()].flatMap(({ documents }) => [...documents.values()])
  return [...vectors, ...documents].filter((kept) => JSON.stringify(kept).includes(unitId))
}

const allUp = { vector_index: pineconeIndexes, object_store: 's3', key_value: 'redis', inference: true }

// The tests mostly wait, so they run concurrently.
describe.concurrent('a service all of whose engines are away', () => {
  // Garbage from all engines is not tested here: its handling is the same as for one engine.
  test.each(['hanging', 'down'] as const)(
    '%s: starts, takes writes, says what it lacks, and is whole each time they are there',
    async (fault) => {
      const all = (engines: Engines, what: 'break' | 'mend') =>
        Promise.all(breakableEngines.map((engine) => engine[what](engines, fault)))
      await using service = await startService({ prepare: (engines) => all(engines, 'break') })
      const { search, ingest, list, recovered } = await service.home('home')
      const bindings = Object.assign({}, ...breakableEngines.map(({ shownAs }) => shownAs))
      const written: string[] = []
      for (const name of ['at first', 'later']) {
        expect(await ingest(lantern(name))).toMatchObject({ counts: { created: 1 }, indexed: false })
        written.push(name)
        expect(await list()).toEqual(written)
        for (let i = 0; i < 2; i++) {
          expect(await search()).toMatchObject({ found: [], degraded: ['text', 'vector:text'] })
        }
        await eventually(async () => expect(await service.health()).toMatchObject({ status: 'degraded', bindings }))
        await all(service.engines, 'mend')
        await recovered(written)
        await all(service.engines, 'break')
      }
    },
  )
})

describe.concurrent('with one engine away and all else there', () => {
  test.each(breakableEngines)('$name: the rest answers, writes are durable, and all is found later', async (engine) => {
    const isIndexed = engine.legs.length === 0
    await using service = await startService({ ingestWaitMs: isIndexed ? 10_000 : 300 })
    const { engines, health } = service
    for (const fault of triedAlone) {
      const { search, ingest, erase, list, freshness, recovered } = await service.home(fault)
      const secret = { ...lantern('secret'), acl_groups: [] }
      const { units } = await ingest(lantern('kept'), lantern('doomed'), secret)
      await recovered(['doomed', 'kept'])

      await engine.break(engines, fault)
      expect(await search(), fault).toMatchObject({ found: ['doomed', 'kept'], degraded: engine.legs })
      const doomed: string = units[1].unit_id
      expect(await erase(doomed), fault).toMatchObject({ matched: 1, purged: 1 })
      expect(await search(), fault).toMatchObject({ found: ['kept'], degraded: engine.legs })
      const { counts, indexed } = await ingest(lantern('new'))
      expect([counts.created, indexed], fault).toEqual([1, isIndexed])
      expect(await list(), fault).toEqual(['kept', 'new'])
      // The other index finds the Unit that it received during the fault.
      await eventually(async () => expect((await search()).found, fault).toEqual(['kept', 'new']))
      await eventually(async () => {
        const told = { status: 'degraded', bindings: { ...allUp, ...engine.shownAs } }
        expect(await health(), fault).toMatchObject(told)
        expect(await freshness(), fault).toBe(isIndexed ? 'green' : 'red')
      })

      await engine.mend(engines)
      await recovered(['kept', 'new'])
      await eventually(async () => expect((await ingest(lantern('newer'))).indexed, fault).toBe(true))
      await eventually(() => expect(keptOf(engines, doomed), fault).toEqual([]))
    }
  })
})

test.concurrent('with all engines slow, searches come in time, and lack nothing but what they name', async () => {
  await using service = await startService()
  const { pinecone, meilisearch, s3, redis } = service.engines
  const { search, ingest, erase, recovered } = await service.home('home')
  const { units } = await ingest(lantern('kept'), lantern('doomed'), { ...lantern('secret'), acl_groups: [] })
  await recovered(['doomed', 'kept'])
  pinecone.always = { kind: 'slow', ms: 1000 }
  meilisearch.fault = 'slow'
  s3.always = 'slow'
  redis.fault = 'slow'
  expect(await erase(units[1].unit_id)).toMatchObject({ purged: 1 })
  expect(await ingest(lantern('new'))).toMatchObject({ counts: { created: 1 } })
  for (let i = 0; i < 2; i++) {
    const { found, degraded } = await search()
    const lost = breakableEngines.flatMap(({ legs }) => legs).filter((leg) => degraded.includes(leg))
    expect(degraded).toEqual(lost.sort())
    expect(['doomed', 'secret'].filter((name) => found.includes(name))).toEqual([])
    if (lost.length < 2) expect(found).toContain('kept')
  }
  for (const engine of breakableEngines) await engine.mend(service.engines)
  await recovered(['kept', 'new'])
})
