import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { orderOf } from '../../../src/adapters/index-meilisearch/fields.ts'
import { boot, type Reply, type TestApp } from '../../support/boot.ts'
import { hasContract } from '../../support/meilisearch/contract.ts'
import { type LocalMeilisearch, startMeilisearch } from '../../support/meilisearch/server.ts'
import { meilisearchOn } from '../../support/meilisearch/to-test.ts'

let local: LocalMeilisearch
let app: TestApp
let owner: string
let reader: string

beforeAll(async () => {
  local = await startMeilisearch()
  app = await boot({ config: { textIndex: meilisearchOn(local), ingestWaitMs: 10_000 } })
})
afterAll(async () => {
  await app.close()
  await local[Symbol.asyncDispose]()
})

beforeEach(async ({ task }) => {
  const grants = [{ scope: '*', perms: ['read', 'write', 'admin'] as const }]
  const member = (id: string) => app.principal({ id: `${id}-${task.id}`, namespace: task.id, groups: ['crew'], grants })
  ;[owner, reader] = [await member('owner'), await member('reader')]
})

const post = (path: string, body: object, token = reader) =>
  app.call('POST', path, { token, ...(path === '/v1/ingest' ? { scope: 'dock' } : {}), body })
const search = (body: object, token = reader) => post('/v1/search', body, token)
const ingest = (units: readonly object[]) =>
  post('/v1/ingest', { units: units.map((unit, i) => ({ external_id: `${i}`, acl_groups: ['crew'], ...unit })) }, owner)
const texts = ({ body }: Reply): string[] => body.hits.map((hit: { text: string }) => hit.text)
const documents = () => local.indexes.get('units')
const stored = () => JSON.stringify([...(documents()?.documents.values() ?? [])])
const idsOf = ({ body }: Reply): string[] => body.units.map((unit: { unit_id: string }) => unit.unit_id)
const documentOf = (unitId: string) => {
  const [id = '', document = {}] = [...(documents()?.documents ?? [])].find(([, one]) => one.unit_id === unitId) ?? []
  return { id, document }
}

describe('with texts in Meilisearch', () => {
  test('other readers reach it without the texts', async () => {
    const { body } = await ingest([
      { text: 'The brass lantern' },
      { text: 'A red lantern' },
      { text: 'A lantern post' },
    ])
    const [first = ''] = idsOf({ body } as Reply)
    const before = documentOf(first).document
    local.calls.length = 0
    const mutation = 'mutation ($input: UpdateReadersInput!) { updateReaders(input: $input) { matched indexed } }'
    const input = { filter: { externalId: ['0', '1'] }, aclGroups: [] }
    const changed = await app.graphql(mutation, { input }, { token: owner })
    expect(changed.body.data.updateReaders).toEqual({ matched: 2, indexed: true })
    const written = local.calls.filter((call) => /^(PUT|POST) \/indexes\/units\/documents$/.test(call))
    expect(written).toEqual(['PUT /indexes/units/documents'])
    expect(texts(await search({ q: 'lantern' }))).toEqual(['A lantern post'])
    expect(texts(await search({ q: 'brass lantern' }, owner))[0]).toBe('The brass lantern')
    const { seq, readers, ...rest } = documentOf(first).document
    expect(before).toMatchObject(rest)
    expect(Number(seq)).toBeGreaterThan(Number(before.seq))
    expect(readers).not.toEqual(before.readers)
    await app.graphql(mutation, { input: { ids: ['0'], aclGroups: ['crew'] } }, { token: owner })
    expect(texts(await search({ q: 'lantern' })).sort()).toEqual(['A lantern post', 'The brass lantern'])
  })

  test('a search finds word forms in many languages, under filters, and marks them', async () => {
    const reply = await ingest([
      { text: 'The Cafés of the harbour', metadata: { stars: 4, Town: 'Ærø' }, mime: 'text/plain' },
      { text: 'Der Hafenmeister überprüft die Fähren', metadata: { stars: 2 } },
      { text: '私は東京に住んでいます。', metadata: { stars: 5 } },
      { text: 'harbours', acl_groups: [] },
    ])
    expect(reply.body).toMatchObject({ indexed: true })
    const found = await search({ q: 'harbour café' })
    expect(found.body.hits[0]).toMatchObject({ text: 'The Cafés of the harbour', score: expect.closeTo(1, 0) })
    expect(found.body.hits[0].highlights).toEqual([
      { start: 4, end: 9 },
      { start: 17, end: 24 },
    ])
    expect(found.body.trace.legs[0]).toMatchObject({ leg: 'text', engine: 'meilisearch', candidates: 1 })
    expect(found.body.trace.degraded).toEqual([])
    const ranked = async (body: object) => {
      const { body: answer } = await search(body)
      return answer.hits
        .filter((hit: { explain: { leg: string }[] }) => hit.explain.some(({ leg }) => leg !== 'vector:text'))
        .map((hit: { external_id: string }) => hit.external_id)
    }
    expect(await ranked({ q: 'ueberprueft fahren' })).toEqual(['1'])
    expect(await ranked({ q: 'überprüft' })).toEqual(['1'])
    expect(await ranked({ q: '東京' })).toEqual(['2'])
    const good = await ranked({ q: '', filters: { metadata: { stars: { gte: 4 } } } })
    expect(good.sort()).toEqual(['0', '2'])
    expect(await ranked({ q: 'harbour', filters: { metadata: { Town: 'Ærø' }, mime: ['text/plain'] } })).toEqual(['0'])
    expect(await ranked({ q: 'harbour', filters: { metadata: { Town: 'ærø' } } })).toEqual([])
    expect((await search({ q: 'harbour' }, owner)).body.hits.map((hit: { text: string }) => hit.text)).toContain(
      'harbours',
    )
  })

  test('a Unit that is changed or deleted goes, and a hard deletion leaves nothing in the store', async () => {
    const reply = await ingest([{ text: 'lantern' }, { text: 'lantern tower' }, { text: 'lantern room' }])
    const [changed = '', deleted = '', purged = ''] = idsOf(reply)
    await ingest([{ text: 'windmill' }])
    await post('/v1/units:delete', { ids: [deleted] }, owner)
    await post('/v1/units:delete', { ids: [purged], hard: true }, owner)
    expect(texts(await search({ q: 'lantern', top_k: 3 })).filter((text) => text.includes('lantern'))).toEqual([])
    await expect.poll(() => [deleted, purged].filter((id) => stored().includes(id))).toEqual([])
    expect(stored()).toContain(changed)
  })

  test('compaction puts back what the store lost, takes away what does not belong there, and counts both', async () => {
    const [lost = '', kept = ''] = idsOf(await ingest([{ text: 'lantern' }, { text: 'lantern tower' }]))
    const [unit_id, order] = ['unit_ghost', orderOf('unit_ghost')]
    const ghost = { ...documentOf(kept).document, id: 'ghost', unit_id, order, seq: 1 }
    documents()?.remove(documentOf(lost).id)
    documents()?.put('ghost', ghost)
    const { body } = await post('/v1/compaction', { planes: ['text'] }, owner)
    expect(body.planes).toMatchObject([{ plane: 'text', added: 1, removed: 1, unchanged: 1 }])
    expect(texts(await search({ q: 'lantern' })).sort()).toEqual(['lantern', 'lantern tower'])
    expect(documents()?.documents.has('ghost')).toBe(false)
  })

  test('a store that was tampered with opens nothing', async () => {
    const secret = { text: 'the lantern is a secret', acl_groups: [] }
    const [closed = '', open = ''] = idsOf(await ingest([secret, { text: 'a plain lantern' }]))
    const { id, document } = documentOf(closed)
    documents()?.put(id, { ...document, readers: documentOf(open).document.readers, owner: 'x' })
    documents()?.put('twice', { ...documentOf(open).document, id: 'twice' })
    const stranger = await app.principal({ id: 'stranger', namespace: 'elsewhere' })
    const { body } = await search({ q: 'lantern secret' })
    expect(body.hits).toMatchObject([{ unit_id: open, explain: [{ leg: 'text' }, { leg: 'vector:text' }] }])
    expect(texts(await search({ q: 'lantern secret' }, stranger))).toEqual([])
  })

  test('an index that someone deleted is made and filled again', async () => {
    await ingest([{ text: 'lantern' }])
    local.indexes.clear()
    const legOfTexts = async () => (await search({ q: 'lantern' })).body.trace.legs[0]
    await expect.poll(legOfTexts).toMatchObject({ leg: 'text', candidates: 1 })
  })
})

test.skipIf(!hasContract)('nothing was requested that the API document does not have', () => {
  expect(local.violations).toEqual([])
})
