import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { type LocalPinecone, startLocalPinecone } from '../../support/pinecone/local-pinecone.ts'
import { pineconeOn } from '../../support/pinecone/settings.ts'
import { createTenant } from '../../support/pinecone/tenant.ts'

let pinecone: LocalPinecone
let app: TestApp

beforeAll(async () => {
  pinecone = await startLocalPinecone()
  pinecone.readyMs = 300
  app = await boot({ config: { vectorIndex: pineconeOn(pinecone) } })
})
afterAll(async () => {
  await app.close()
  await pinecone[Symbol.asyncDispose]()
})

const planeIndexes = ['text', 'visual', 'audio', 'doc-visual'].map((plane) => `svc-${plane}-512`)
const health = async () => (await app.call('GET', '/v1/health')).body
const tenant = (name: string) => createTenant(app, pinecone, name)

describe('a first start', () => {
  test('makes an index for each plane, which health lists', async () => {
    // Health is ok while they are being made.
    await expect.poll(() => [...pinecone.indexes.keys()].sort()).toEqual([...planeIndexes].sort())
    await expect.poll(async () => (await health()).status).toBe('ok')
    expect((await health()).bindings.vector_index).toEqual(planeIndexes.map((name) => `pinecone:${name}`))
    for (const { dimension, metric } of pinecone.indexes.values()) expect([dimension, metric]).toEqual([512, 'cosine'])
  })

  test('of another process finds them', async () => {
    const made = [...pinecone.indexes.values()]
    const second = await boot({ config: { vectorIndex: pineconeOn(pinecone) } })
    await expect.poll(async () => (await second.call('GET', '/v1/health')).body.status).toBe('ok')
    await second.close()
    expect([...pinecone.indexes.values()]).toEqual(made)
  })
})

describe('what is kept in Pinecone', () => {
  test('is all that searches filter by, in a namespace of its own, and no text', async () => {
    const { ingest, records, search, namespaceId } = await tenant('kept')
    const unit = {
      text: 'zqxjkwv lanterns on the pier',
      doc_id: 'doc-1',
      external_id: 'ext-1',
      source_uri: `s3://bucket/${'long'.repeat(100)}`,
      mime: 'text/plain',
      acl_owner: 'kept',
      acl_groups: ['crew'],
      metadata: { lang: 'en', pages: 3 },
    }
    const { indexed } = await ingest([unit])
    expect(indexed).toBe(true)
    const [record, ...more] = records()
    expect(more).toEqual([])
    expect(record).toMatchObject({
      index: 'svc-text-512',
      metadata: {
        seq: 1,
        owner: 'kept',
        groups: ['crew'],
        modality: 'text',
        doc_id: 'doc-1',
        external_id: 'ext-1',
        source_uri: expect.stringMatching(/^#[\w-]{22}$/),
        mime: 'text/plain',
        metadata: ['["lang","en"]', '["pages",3]'],
        'n:pages': 3,
      },
    })
    expect(JSON.stringify([...pinecone.asked.map(({ body }) => body)])).not.toContain('zqxjkwv')
    for (const { namespaces } of pinecone.indexes.values()) {
      expect(namespaces.names().filter((name) => !/^ns_[0-9A-Za-z]{22}$/.test(name))).toEqual([])
    }
    expect(pinecone.indexes.get('svc-text-512')?.namespaces.names()).toContain(namespaceId)
    const found = await search({ q: 'lantern', filters: { metadata: { pages: { gte: 2 } }, doc_id: ['doc-1'] } })
    expect(found.hits).toHaveLength(1)
    expect(found.trace.legs).toContainEqual(
      expect.objectContaining({ leg: 'vector:text', engine: 'pinecone', candidates: 1 }),
    )
    expect(found.trace.degraded).toEqual([])
  })

  test('takes the largest metadata and the most groups that a Unit may have', async () => {
    const { ingest, search } = await tenant('large')
    const tags = Array.from({ length: 250 }, (_, i) => i.toString(36))
    const groups = Array.from({ length: 64 }, (_, i) => `${i}${'ü'.repeat(120)}`)
    const large = { text: 'a heavy anchor', metadata: { tags, rest: 'x'.repeat(15_000) }, acl_groups: groups }
    expect((await ingest([large, { text: 'an anchor', metadata: { tags: ['a'] } }])).indexed).toBe(true)
    const hits = async (value: string) => (await search({ q: 'anchor', filters: { metadata: { tags: value } } })).hits
    expect(await hits('a')).toHaveLength(2)
    expect(await hits('6x')).toHaveLength(1)
    expect(await hits('absent')).toEqual([])
  })

  test('goes with the Unit: by updates, soft and hard deletes', async () => {
    const { ingest, records, call, caughtUp } = await tenant('goes')
    const units = ['one', 'two', 'three'].map((name) => ({ text: `a lantern, ${name}`, external_id: name }))
    const { units: made } = await ingest(units)
    const idOf = (i: number): string => made[i].unit_id
    expect(
      records()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([0, 1, 2].map(idOf).sort())
    await ingest([{ text: 'a lantern, one', external_id: 'one', plane: 'doc_visual', vector: [1, 2, 3] }])
    const moved = records().filter(({ id }) => id === idOf(0))
    expect(moved.map(({ index }) => index)).toEqual(['svc-doc-visual-1024'])
    await call('POST', '/v1/units:delete', { ids: [idOf(1)] })
    await call('POST', '/v1/units:delete', { ids: [idOf(2)], hard: true })
    await caughtUp()
    expect(records().map(({ id }) => id)).toEqual([idOf(0)])
  })

  test('goes with its scope, and with its namespace', async () => {
    const { ingest, records, call, namespaceId } = await tenant('leaves')
    await ingest([{ text: 'a lantern' }, { text: 'a crate', vector: [1, 2] }], 'dock')
    await ingest([{ text: 'a lantern' }], 'pier')
    expect((await call('DELETE', '/v1/scopes/dock')).status).toBeLessThan(300)
    await expect.poll(() => records().length).toBe(1)
    const gone = await call('DELETE', '/v1/namespaces/leaves')
    expect(gone.status).toBeLessThan(300)
    await expect.poll(() => records().length).toBe(0)
    const names = () => [...pinecone.indexes.values()].flatMap(({ namespaces }) => namespaces.names())
    await expect.poll(names).not.toContain(namespaceId)
  })
})

describe('vectors of other sizes than the plane’s model', () => {
  test('go to few indexes, which are made for the first of them', async () => {
    const { ingest, records, search } = await tenant('sizes')
    const before = (await health()).bindings.vector_index
    await ingest([{ text: 'one', vector: [1, 0, 0] }, { text: 'two', vector: [0, 1, 0] }, { text: 'three' }])
    expect(
      records()
        .map(({ index }) => index)
        .sort(),
    ).toEqual(['svc-text-1024', 'svc-text-1024', 'svc-text-512'])
    const { hits, trace } = await search({ vector: { text: [0, 2, 0.1] }, q: '' })
    expect(hits.map((hit: { text: string }) => hit.text)).toEqual(['two', 'one'])
    expect(trace.degraded).toEqual([])
    expect((await health()).bindings.vector_index).toEqual(before)
  })
})
