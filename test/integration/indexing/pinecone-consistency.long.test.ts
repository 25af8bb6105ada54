import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { type LocalPinecone, startLocalPinecone } from '../../support/pinecone/local-pinecone.ts'
import { pineconeOn } from '../../support/pinecone/settings.ts'
import { createTenant } from '../../support/pinecone/tenant.ts'
import { eventually } from '../../support/waited.ts'

let pinecone: LocalPinecone
let app: TestApp

beforeAll(async () => {
  pinecone = await startLocalPinecone()
  app = await boot({ config: { vectorIndex: pineconeOn(pinecone), ingestWaitMs: 300 } })
  await eventually(async () => expect((await app.call('GET', '/v1/health')).body.status).toBe('ok'))
})
afterAll(async () => {
  await app.close()
  await pinecone[Symbol.asyncDispose]()
})
beforeEach(() => {
  pinecone.lagMs = 0
  pinecone.numbered = true
})

const tenant = (name: string) => createTenant(app, pinecone, name)
/** By vectors only. */
const near = { q: '', vector: { text: [1, 0, 0] } }
const lantern = (name: string, more: object = {}) => ({
  text: `lantern ${name}`,
  external_id: name,
  vector: [1, 0.1, 0],
  ...more,
})
/** Until it is set to 0: reads see what was written this long ago. */
const lagMs = 60_000

describe('while Pinecone has acknowledged writes that its reads do not see yet', () => {
  for (const numbered of [true, false]) {
    test(`new Units are not indexed, and are reported as lag (${numbered ? '' : 'no '}sequence numbers)`, async () => {
      const { ingest, texts, search, call, caughtUp } = await tenant(`lag-${numbered}`)
      await ingest([lantern('one')])
      await caughtUp()
      pinecone.numbered = numbered
      pinecone.lagMs = lagMs
      expect((await ingest([lantern('two')])).indexed).toBe(false)
      expect(await texts(near)).toEqual(['lantern one'])
      const { trace } = await search(near)
      expect(trace).toMatchObject({ seq: 2, index_seq: 1, degraded: [] })
      const { planes } = (await call('GET', '/v1/compaction')).body
      expect(planes[0]).toMatchObject({ plane: 'text', indexed: 1, pending: 1 })
      expect(planes[0].lag).toBeGreaterThan(0)
      pinecone.lagMs = 0
      await caughtUp()
      expect((await texts(near)).sort()).toEqual(['lantern one', 'lantern two'])
      expect((await call('GET', '/v1/compaction')).body.planes[0]).toMatchObject({ pending: 0, lag: 0 })
    })
  }

  test('what was narrowed, hidden or deleted is found no more, and what is behind it is', async () => {
    const { ingest, texts, call, caughtUp } = await tenant('narrowed')
    const grants = [{ scope: '*', perms: ['read'] as const }]
    const reader = await app.principal({ id: 'narrowed-reader', namespace: 'narrowed', groups: ['crew'], grants })
    const open = { acl_groups: ['crew'] }
    const names = ['deleted', 'purged', 'narrowed', 'left']
    await ingest(names.map((name, i) => lantern(name, { ...open, vector: [1, i / 10, 0] })))
    await caughtUp()
    pinecone.lagMs = 60_000
    for (const [name, hard] of [
      ['deleted', false],
      ['purged', true],
    ] as const) {
      await call('POST', '/v1/units:delete', { filter: { external_id: name }, hard })
    }
    await ingest([lantern('narrowed', { acl_groups: [] })])
    const seen = async () => {
      const reply = await app.call('POST', '/v1/search', { token: reader, body: { ...near, top_k: 1 } })
      return reply.body.hits.map((hit: { external_id: string }) => hit.external_id)
    }
    expect(await seen()).toEqual(['left'])
    expect((await texts(near)).sort()).toEqual(['lantern left', 'lantern narrowed'])
    pinecone.lagMs = 0
    await caughtUp()
    expect(await seen()).toEqual(['left'])
  })
})

describe('compaction', () => {
  const compact = async ({ call }: Awaited<ReturnType<typeof tenant>>) => {
    const { body } = await call('POST', '/v1/compaction')
    return body.planes.find(({ plane }: { plane: string }) => plane === 'text')
  }
  const store = (namespace: string) => {
    const held = [...pinecone.indexes.values()]
      .filter(({ name }) => name.startsWith('svc-text'))
      .map(({ namespaces }) => namespaces.read(namespace)?.visible)
      .find((records) => records && records.size > 0)
    if (!held) throw new Error('nothing is held')
    return held
  }

  test('puts back what was lost and what is outdated, and removes what nobody knows', async () => {
    const made = await tenant('tampered')
    const { units } = await made.ingest(['a', 'b', 'c', 'd'].map((name) => lantern(name)))
    await made.caughtUp()
    const [lost, outdated, untouched, cut] = units.map((unit: { unit_id: string }) => unit.unit_id)
    const records = store(made.namespaceId)
    const original = new Map(records)
    const copy = original.get(untouched)
    if (!copy) throw new Error('it is not held')
    records.delete(lost)
    records.set(outdated, { ...copy, id: outdated, metadata: { ...copy.metadata, seq: 0 } })
    records.set(cut, { ...copy, id: cut, metadata: { ...copy.metadata, seq: 4, other_model: 'model gone' } })
    records.set('unit_ghost', { ...copy, id: 'unit_ghost' })
    records.set('of someone else', { ...copy, id: 'of someone else', metadata: {} })
    expect((await made.texts(near)).sort()).toEqual(['lantern b', 'lantern c', 'lantern d'])
    expect(await compact(made)).toMatchObject({ added: 3, removed: 2, unchanged: 1 })
    expect([...store(made.namespaceId).keys()].sort()).toEqual([...original.keys()].sort())
    expect(await compact(made)).toMatchObject({ added: 0, removed: 0, unchanged: 4 })
    expect((await made.texts(near)).sort()).toEqual(['a', 'b', 'c', 'd'].map((name) => `lantern ${name}`))
  })
})

describe('an index that was removed behind the service’s back', () => {
  for (const gone of ['svc-text-512', 'svc-text-1024', 'svc-visual-512']) {
    test(`is made again and filled again: ${gone}`, async () => {
      const made = await tenant(`removed-${gone}`)
      await made.ingest([lantern('one'), { text: 'a crate' }, { text: 'a picture', plane: 'visual' }])
      await made.caughtUp()
      const before = made.records().map(({ id, index }) => `${index} ${id}`)
      expect(before).toHaveLength(3)
      pinecone.indexes.delete(gone)
      const back = async () => {
        await made.search({ q: 'crate' })
        expect(
          made
            .records()
            .map(({ id, index }) => `${index} ${id}`)
            .sort(),
        ).toEqual(before.sort())
      }
      await eventually(back)
      await made.caughtUp()
      expect(await made.texts(near)).toEqual(['lantern one'])
      const { legs, degraded } = (await made.search({ ...near, q: 'crate' })).trace
      expect(degraded).toEqual([])
      expect(legs.length).toBeGreaterThan(1)
    })
  }
})
