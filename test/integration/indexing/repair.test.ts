import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createBuiltinInference } from '../../../src/adapters/inference-builtin/builtin-inference.ts'
import type { IndexChange } from '../../../src/ports/indexes/index-filter.ts'
import { boot, type Reply, type TestApp } from '../../support/boot.ts'

const scope = 'dock'

interface PlaneStatus {
  plane: string
  pending: number
  lag: number
  health: string
}

const ofPlane = <P extends { plane: string }>({ body }: Reply, plane: string): P =>
  body.planes.find((entry: P) => entry.plane === plane)

const builtin = createBuiltinInference()
const provider = { fails: false, calls: 0, max: Number.POSITIVE_INFINITY }
const inference = {
  ...builtin,
  embed: async (...call: Parameters<typeof builtin.embed>) => {
    provider.calls += 1
    if (provider.fails) throw new Error('the provider is away')
    if (call[1].length > provider.max) throw new Error('the provider is too slow for this number')
    return builtin.embed(...call)
  },
}
// It stands until a test sets it forward: health and the retry delay depend on age, and not on how fast this machine is.
const started = Date.now()
let ahead = 0
const clock = { now: () => started + ahead }

let app: TestApp
let token: string
let namespace: string
let tenants = 0

beforeAll(async () => {
  app = await boot({ bindings: { inference, clock } })
})

afterAll(() => app.close())

beforeEach(async () => {
  provider.fails = false
  provider.max = Number.POSITIVE_INFINITY
  tenants += 1
  namespace = `yard-${tenants}`
  token = await app.principal({ id: `owner-${tenants}`, namespace })
})

describe('inference that fails at ingest', () => {
  test('loses nothing: the Unit is found by its text, shows as pending, and is embedded later', async () => {
    provider.fails = true
    const status = () => app.call('GET', '/v1/compaction', { token })
    const units = [{ text: 'the anchor winch' }, { text: 'by vector', vector: [1, 2, 3] }]
    const ingested = await app.call('POST', '/v1/ingest', { token, scope, body: { units } })
    expect(ingested.status).toBe(200)
    expect(ofPlane<PlaneStatus>(await status(), 'text')).toMatchObject({ pending: 1, indexed: 1, health: 'green' })
    ahead = 6000
    const waiting = ofPlane<PlaneStatus>(await status(), 'text')
    expect(waiting).toMatchObject({ pending: 1, health: 'yellow' })
    expect(waiting.lag).toBeGreaterThanOrEqual(6000)

    const search = () => app.call('POST', '/v1/search', { token, body: { q: 'winch', top_k: 1 } })
    expect((await search()).body.hits.map((hit: { text: string }) => hit.text)).toEqual(['the anchor winch'])
    const before = provider.calls
    ahead = 60_000
    await expect.poll(() => provider.calls).toBeGreaterThan(before)

    provider.fails = false
    ahead = 120_000
    await expect.poll(async () => ofPlane<PlaneStatus>(await status(), 'text').pending).toBe(0)
    expect(ofPlane<PlaneStatus>(await status(), 'text')).toMatchObject({ indexed: 2, lag: 0, health: 'green' })
    const stats = await app.call('GET', '/v1/catalog/stats', { token })
    expect(ofPlane<{ plane: string; vectors: number }>(stats, 'text').vectors).toBe(2)
    // No text has these words; their letters and the embedding find the Unit.
    const similar = await app.call('POST', '/v1/search', { token, body: { q: 'anchoor wynch' } })
    const proposals = similar.body.hits.map((hit: { text: string; explain: { leg: string }[] }) => [
      hit.text,
      hit.explain.map(({ leg }) => leg),
    ])
    expect(proposals).toEqual([['the anchor winch', ['text', 'vector:text']]])
  })

  test('because of a request that is too large gets a smaller one', async () => {
    provider.fails = true
    const units = Array.from({ length: 30 }, (_, i) => ({ text: `barrel ${i}` }))
    await app.call('POST', '/v1/ingest', { token, scope, body: { units } })
    const pending = async () => ofPlane<PlaneStatus>(await app.call('GET', '/v1/compaction', { token }), 'text').pending
    expect(await pending()).toBe(30)
    provider.fails = false
    provider.max = 5
    for (let round = 0; round < 20 && (await pending()) > 0; round += 1) {
      ahead += 120_000
      app.runtime.domain.background.kick()
      await app.runtime.domain.background.idle()
    }
    expect(await pending()).toBe(0)
  })

  test('is not called indexed', async () => {
    provider.fails = true
    const body = { units: [{ text: 'the anchor winch' }] }
    const ingested = await app.call('POST', '/v1/ingest', { token, scope, body })
    expect(ingested.body).toMatchObject({ counts: { created: 1 }, indexed: false })
  })
})

describe('compaction', () => {
  test('puts back what an index lost and takes out what it should not hold, in every plane', async () => {
    const { vectors, texts, catalog } = app.runtime.bindings
    const units = [
      ...Array.from({ length: 6 }, (_, i) => ({ text: `crate ${i}`, external_id: `${i}` })),
      { modality: 'image', source_uri: 'camera://1', external_id: 'image' },
    ]
    const ingested = await app.call('POST', '/v1/ingest', { token, scope, body: { units } })
    expect(ingested.body.indexed).toBe(true)
    const namespaceId = (await catalog.access.namespace(namespace))?.namespace.id ?? ''
    const held = [...(await texts.feed.manifest(namespaceId, 'text'))]
    const removal = (n: number): IndexChange => {
      const [unitId, seq] = held[n] ?? ['', 0]
      return { kind: 'remove', unitId, seq, plane: 'text' }
    }
    const [known] = await catalog.changes.of(namespaceId, [held[0]?.[0] ?? ''])
    if (known?.kind !== 'put') throw new Error('the Unit is not live')
    const ghost: IndexChange = { kind: 'put', unit: { ...known.unit, unitId: 'unit_ghost', text: 'crate ghost' } }

    // Directly in the indexes: 1 is missing from both, 2 and 3 from one each; both hold a Unit that the catalog lacks.
    await vectors.feed.repair(namespaceId, [removal(1), removal(2), ghost])
    await texts.feed.repair(namespaceId, [removal(1), removal(3), ghost])
    const search = async () => {
      const { body } = await app.call('POST', '/v1/search', { token, body: { q: 'crate' } })
      return body.hits.map((hit: { external_id: string }) => hit.external_id).sort()
    }
    expect(await search()).not.toContain(null)

    const compact = (body?: object) => app.call('POST', '/v1/compaction', { token, body })
    const visual = await compact({ planes: ['visual'] })
    expect(visual.body.planes).toMatchObject([{ plane: 'visual', added: 0, removed: 0, unchanged: 1 }])
    const repaired = await compact()
    expect(repaired.body.planes).toHaveLength(4)
    expect(ofPlane(repaired, 'text')).toMatchObject({ added: 3, removed: 1, unchanged: 3 })
    expect(await search()).toEqual(['0', '1', '2', '3', '4', '5'])
    for (const index of [vectors, texts]) {
      expect(new Map(await index.feed.manifest(namespaceId, 'text'))).toEqual(new Map(held))
    }
    expect(ofPlane(await compact(), 'text')).toMatchObject({ added: 0, removed: 0, unchanged: 6 })
    expect(repaired.body.seq).toBe(ingested.body.seq)
  })
})
