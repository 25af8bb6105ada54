import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let keeper: string
let reader: string

interface SentUnit {
  text: string
  scope?: string
  [field: string]: unknown
}

const send = async (units: SentUnit[], token = keeper) => {
  const body = { units: units.map((unit) => ({ acl_groups: ['*'], scope: 'quay', ...unit })) }
  const reply = await app.call('POST', '/v1/ingest', { token, body })
  expect(reply.body).toMatchObject({ indexed: true })
  return reply.body.units.map((unit: { unit_id: string }) => unit.unit_id)
}

const ask = async (query: string, variables: object = {}, token = reader, scope = '*') => {
  const { body } = await app.graphql(query, { ...variables }, { token, scope })
  return body.errors ? body.errors[0].extensions : Object.values(body.data ?? {})[0]
}

const fields = 'docId unitId title scopes planes modalities mime sourceUri units createdAt updatedAt'
const docs = (args = '', token?: string, scope?: string) =>
  ask(`{ docs${args} { count nextCursor docs { ${fields} } } }`, {}, token, scope)
const facets = (input: object, token?: string, scope?: string) =>
  ask(
    `query ($input: FacetsInput!) { facets(input: $input) { count metadataKeys
       facets { field values { value count } other missing min max } } }`,
    { input },
    token,
    scope,
  )
const valuesOf = (facet: { values: { value: unknown; count: number }[] }) =>
  facet.values.map(({ value, count }) => [value, count])
const titlesOf = ({ docs }: { docs: { title: string }[] }) => docs.map(({ title }) => title)

let ids: string[]

beforeAll(async () => {
  app = await boot()
  keeper = await app.principal({ id: 'keeper', namespace: 'harbour' })
  const grants = [{ scope: '*', perms: ['read' as const] }]
  reader = await app.principal({ id: 'reader', namespace: 'harbour', grants })
  ids = [
    ...(await send([
      { text: 'Hidden first part.', doc_id: 'manual', acl_groups: [], metadata: { secret: 'yes' }, mime: 'text/html' },
      { text: 'Berths.', doc_id: 'manual', mime: 'text/plain', metadata: { year: 2024, tag: ['a', 'b'] } },
      {
        text: 'Cranes.',
        doc_id: 'manual',
        scope: 'quay/east',
        modality: 'image',
        metadata: { year: 2026, tag: ['b'] },
      },
    ])),
    ...(await send([
      { text: 'Alone\nin the fog.', metadata: { tag: 'c', year: 'none' } },
      { text: 'For the keeper alone.', doc_id: 'memo', acl_groups: [] },
    ])),
    ...(await send([
      { text: 'Tides of May.', doc_id: 'tides/may', metadata: { title: 'The tides', year: 2024 }, modality: 'caption' },
      { text: 'Tides of June.', doc_id: 'tides/june', metadata: { year: 2025, tag: [] } },
    ])),
  ]
})
afterAll(() => app.close())

describe('docs', () => {
  it('are what the readable Units say of them, newest first', async () => {
    const page = await docs()
    expect(page).toMatchObject({ count: 4, nextCursor: null })
    expect(titlesOf(page)).toEqual(['tides/june', 'The tides', 'Alone in the fog.', 'manual'])
    expect(page.docs[2]).toMatchObject({ docId: null, unitId: ids[3], units: 1, scopes: ['quay'] })
    expect(page.docs[3]).toMatchObject({
      ...{ docId: 'manual', unitId: ids[1], units: 2, mime: 'text/plain', sourceUri: null },
      ...{ scopes: ['quay', 'quay/east'], planes: ['text', 'visual'], modalities: ['text', 'image'] },
    })
    expect(await docs('', keeper)).toMatchObject({
      count: 5,
      docs: { 4: { unitId: ids[0], units: 3, mime: 'text/html' } },
    })
  })

  it('come in pages, by prefix, filter and scope', async () => {
    const first = await docs('(limit: 3)')
    expect([first.count, first.nextCursor, first.docs.length]).toEqual([4, 3, 3])
    expect(titlesOf(await docs('(limit: 3, cursor: 3)'))).toEqual(['manual'])
    expect(await docs('(cursor: 9)')).toEqual({ count: 4, nextCursor: null, docs: [] })
    expect(titlesOf(await docs('(prefix: "tides/")'))).toEqual(['tides/june', 'The tides'])
    expect(await docs('(prefix: "m")')).toMatchObject({ count: 1 })
    // The filter selects the document; its sums stay those of all of its readable Units.
    expect(await docs('(filters: { modality: [image] })')).toMatchObject({ count: 1, docs: [{ units: 2 }] })
    expect(await docs('(filters: { metadata: { secret: "yes" } })')).toMatchObject({ count: 0, docs: [] })
    expect(await docs('', reader, 'quay/east')).toMatchObject({ count: 1, docs: [{ units: 1, planes: ['visual'] }] })
  })

  it('are found one by one, where a Unit is readable', async () => {
    const doc = (docId: string, token?: string, scope?: string) =>
      ask(`query ($docId: String!) { doc(docId: $docId) { ${fields} } }`, { docId }, token, scope)
    expect(await doc('manual')).toMatchObject({ units: 2, unitId: ids[1] })
    expect(await doc('memo', keeper)).toMatchObject({ units: 1 })
    const hidden = await doc('memo')
    expect(hidden).toMatchObject({ code: 'not_found', status: 404 })
    expect(await doc('no-such')).toEqual(hidden)
    expect(await doc('tides/may', reader, 'quay/east')).toMatchObject({ code: 'not_found' })
  })
})

describe('units', () => {
  it('take the filters of a search', async () => {
    const texts = async (filters: string) =>
      (await ask(`{ units(filters: ${filters}) { units { text } } }`)).units.map(({ text }: { text: string }) => text)
    expect(await texts('{ docId: ["manual", "memo"] }')).toEqual(['Berths.', 'Cranes.'])
    expect(await texts('{ metadata: { year: { gte: 2025 } } }')).toEqual(['Cranes.', 'Tides of June.'])
    expect(await texts('{ metadata: { tag: ["a", "c"] }, modality: [text] }')).toEqual([
      'Berths.',
      'Alone\nin the fog.',
    ])
    expect(await texts('{ aclOwner: ["reader"] }')).toEqual([])
    expect((await ask('{ units(filters: { docId: ["manual"] }, limit: 1) { nextCursor } }')).nextCursor).toBe(1)
  })
})

describe('facets', () => {
  it('count the readable Units, each value of a list, and what is missing', async () => {
    const fields = ['plane', 'modality', 'scope', 'docId', 'mime', 'createdAt', 'metadata.year', 'metadata.tag']
    const found = await facets({ fields })
    expect(found.count).toBe(5)
    expect(found.metadataKeys).toEqual(['year', 'tag', 'title'])
    const [plane, modality, scope, docId, mime, createdAt, year, tag] = found.facets
    expect(valuesOf(plane)).toEqual([
      ['text', 4],
      ['visual', 1],
    ])
    expect(valuesOf(modality)).toEqual([
      ['text', 3],
      ['caption', 1],
      ['image', 1],
    ])
    expect(valuesOf(scope)).toEqual([
      ['quay', 4],
      ['quay/east', 1],
    ])
    expect(valuesOf(docId)).toEqual([
      ['manual', 2],
      ['tides/june', 1],
      ['tides/may', 1],
    ])
    expect(docId).toMatchObject({ missing: 1, other: 0, min: null, max: null })
    expect([valuesOf(mime), mime.missing]).toEqual([[['text/plain', 1]], 4])
    expect(createdAt.min).toBeLessThanOrEqual(createdAt.max)
    expect(valuesOf(year)).toEqual([
      [2024, 2],
      [2025, 1],
      [2026, 1],
      ['none', 1],
    ])
    expect(year).toMatchObject({ min: 2024, max: 2026, missing: 0 })
    expect(valuesOf(tag)).toEqual([
      ['b', 2],
      ['a', 1],
      ['c', 1],
    ])
    expect(tag.missing).toBe(2)
    expect((await facets({ fields: ['metadata.secret'] })).facets).toMatchObject([{ values: [], missing: 5 }])
    expect((await facets({ fields: ['plane'] }, reader, 'quay/east')).count).toBe(1)
  })

  it('ignore a field’s own filter, and apply all others', async () => {
    const filters = { modality: ['image'], metadata: { tag: 'b' } }
    const found = await facets({ fields: ['modality', 'metadata.tag', 'docId'], filters, planes: ['visual'] })
    expect([found.count, ...found.facets.map(valuesOf)]).toEqual([1, [['image', 1]], [['b', 1]], [['manual', 1]]])
    const own = await facets({ fields: ['modality', 'plane'], filters: { modality: ['image'] }, planes: ['text'] })
    expect([own.count, ...own.facets.map(valuesOf)]).toEqual([
      0,
      [
        ['text', 3],
        ['caption', 1],
      ],
      [['visual', 1]],
    ])
  })

  it('list at most `limit` values, and count the others', async () => {
    const {
      facets: [year],
    } = await facets({ fields: ['metadata.year'], limit: 2 })
    expect([valuesOf(year), year.other]).toEqual([
      [
        [2024, 2],
        [2025, 1],
      ],
      2,
    ])
    await send([{ text: 'Long.', scope: 'long', metadata: { note: 'x'.repeat(600) } }])
    const {
      facets: [note],
    } = await facets({ fields: ['metadata.note'] }, reader, 'long')
    expect(note).toMatchObject({ values: [], other: 1, missing: 0 })
  })

  it('refuse fields that do not exist', async () => {
    for (const fields of [
      [],
      ['text'],
      ['metadata.'],
      ['plane', 'plane'],
      Array.from({ length: 9 }, (_, i) => `metadata.${i}`),
    ]) {
      expect(await facets({ fields })).toMatchObject({ code: 'bad_request', status: 400 })
    }
  })
})

it('reads are recorded', async () => {
  await docs()
  const actions = async () => {
    const { rows } = (await app.call('GET', '/v1/audit?limit=100', { token: keeper })).body
    return rows.map(({ action }: { action: string }) => action)
  }
  // Rows of reads are written in groups, after the answers.
  const expected = ['docs.list', 'docs.get', 'docs.facets', 'units.list']
  await expect.poll(actions).toEqual(expect.arrayContaining(expected))
})
