import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let token: string
let reader: string

/** Letters of their own for each number, so that no Unit is found by those of another. */
const words = ['alder', 'birch', 'cedar', 'fir', 'juniper', 'larch', 'maple', 'oak', 'pine', 'rowan']
const count = 260

/** Every second one is of the wood `teak`. The more often a text says so, the better it matches; ids are in no order. */
const units = Array.from({ length: count }, (_, i) => ({
  external_id: `u${(i * 7) % count}`,
  text: `${'teak '.repeat(1 + (i % 5))}and ${words[i % 10]} board number ${1000 + i}`,
  ...(i % 4 === 3 ? {} : { doc_id: `doc-${i % 13}` }),
  metadata: {
    place: { row: i % 6 },
    ...(i % 2 === 0 ? { tags: ['even', 'all'] } : {}),
    ...(i % 3 === 0 ? {} : { price: i % 3 === 1 ? i % 17 : `on ask ${i % 5}` }),
  },
}))

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'ada', namespace: 'acme' })
  reader = await app.principal({
    id: 'bob',
    namespace: 'acme',
    groups: ['staff'],
    grants: [{ scope: '*', perms: ['read'] }],
  })
  await ingest(units, 'wood')
})
afterAll(() => app?.close())

async function ingest(sent: object[], scope: string) {
  expect(await app.call('POST', '/v1/ingest', { token, scope, body: { units: sent } })).toMatchObject({ status: 200 })
}

interface Hit {
  external_id: string
  doc_id: string | null
  score: number
  rank: number
  explain: { leg: string }[]
  text: string
  created_at: number
  metadata: { place?: { row: number }; price?: number | string }
  snippet: { text: string; start: number; highlights: { start: number; end: number }[] } | null
  group: { value: unknown; hits: Hit[] } | null
}

interface Facet {
  field: string
  // biome-ignore lint/suspicious/noExplicitAny: of any type
  values: { value: any; count: number }[]
  other: number
  missing: number
}

async function search(body: object, { scope = 'wood', as = token } = {}) {
  const reply = await app.call('POST', '/v1/search', { token: as, scope, body })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  const { hits, trace, hidden_by_acl, facets } = reply.body
  return {
    facets: facets as Facet[] | undefined,
    hits: hits as Hit[],
    more: trace.more as boolean,
    ids: idsOf(hits),
    hidden: hidden_by_acl,
  }
}

const priceOf = ({ metadata: { price } }: Pick<Hit, 'metadata'>) => price ?? null
const idsOf = (hits: readonly Hit[]) => hits.map(({ external_id }) => external_id)

/** All pages of a search, until there is no more. */
async function pages(body: object, size: number) {
  const hits: Hit[] = []
  for (let offset = 0; ; offset += size) {
    const page = await search({ ...body, offset, top_k: size })
    hits.push(...page.hits)
    if (!page.more) return hits
    expect(page.hits).toHaveLength(size)
  }
}

describe('pages', () => {
  it.each([
    [{ q: 'teak' }, 50, count],
    [{ q: 'teak and cedar', min_score: 0.01 }, 9, count / 10],
    [{ q: 'cedar board' }, 50, count],
    [
      { q: '', filters: { metadata: { price: { gte: 3 } } } },
      7,
      units.filter(({ metadata: { price = 0 } }) => Number(price) >= 3).length,
    ],
  ])('of %j are of each hit once, in one order', async (body, size, length) => {
    const hits = await pages(body, size)
    expect(new Set(idsOf(hits)).size).toBe(hits.length)
    expect(hits).toHaveLength(length)
    expect(hits.map(({ rank }) => rank)).toEqual(hits.map((_, i) => i + 1))
    const scores = hits.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(idsOf(await pages(body, size))).toEqual(idsOf(hits))
    const [small, large] = [await pages(body, 10), (await search({ ...body, top_k: 50 })).ids]
    expect(idsOf(small).slice(0, 50)).toEqual(large)
  })

  it('end where a reranker and diversity end, and after the last hit', async () => {
    for (const chosen of [{ rerank: true }, { diversity: 0.3 }]) {
      const hits = await pages({ q: 'teak', ...chosen }, 20)
      expect(new Set(idsOf(hits)).size).toBe(50)
    }
    expect(await search({ q: 'teak', offset: 1000 })).toMatchObject({ hits: [], more: false })
    expect((await search({ q: 'teak', offset: count - 1, top_k: 1 })).more).toBe(false)
    expect((await search({ q: 'teak', offset: count - 2, top_k: 1 })).more).toBe(true)
  })

  it('do not count what the reader may not see', async () => {
    const half = units.map((unit, i) => ({ ...unit, acl_groups: i % 2 === 0 ? ['staff'] : [] }))
    await ingest(half, 'halved')
    await ingest(
      half.filter((_, i) => i % 2 === 0),
      'alone',
    )
    for (const more of [{}, { group_by: 'doc_id' }, { sort: [{ by: 'metadata.price' }] }, { offset: 120 }]) {
      const asked = { q: 'teak larch', top_k: 30, ...more }
      const [seen, alone] = [
        await search(asked, { scope: 'halved', as: reader }),
        await search(asked, { scope: 'alone' }),
      ]
      // Ids, which decide among equals, are others: the property of non-interference compares all.
      const facts = ({ hits, more }: typeof seen) => [more, hits.length, 'sort' in asked && hits.map(priceOf)]
      expect(facts(seen)).toEqual(facts(alone))
      expect(seen.hidden).toBe((await search({ q: 'teak larch', top_k: 30 }, { scope: 'halved', as: reader })).hidden)
    }
  })
})

describe('groups', () => {
  it('are the best of each document, page by page, and Units without one for themselves', async () => {
    const hits = await pages({ q: 'teak oak', group_by: 'doc_id', group_size: 3 }, 8)
    const alone = units.filter(({ doc_id }) => doc_id === undefined)
    expect(hits).toHaveLength(13 + alone.length)
    const all = await pages({ q: 'teak oak' }, 10)
    for (const { group, external_id, doc_id, score } of hits) {
      expect(group?.value ?? null).toBe(doc_id)
      expect(group?.hits[0]).toMatchObject({ external_id, score })
      if (doc_id === null) expect(group?.hits).toHaveLength(1)
      else expect(group?.hits).toHaveLength(3)
    }
    const first = all.find(({ doc_id }) => doc_id !== null)
    expect(hits.find(({ doc_id }) => doc_id !== null)?.external_id).toBe(first?.external_id)
  })

  it('follow a path into the metadata, a reranker and a sort', async () => {
    const by = { q: 'teak', group_by: 'metadata.place.row', top_k: 50 }
    const rows = async (more: object) => (await search({ ...by, ...more })).hits.map(({ group }) => group?.value)
    expect((await rows({})).toSorted()).toEqual([0, 1, 2, 3, 4, 5])
    expect((await rows({ rerank: true })).toSorted()).toEqual([0, 1, 2, 3, 4, 5])
    expect(await rows({ sort: [{ by: 'metadata.place.row', order: 'desc' }] })).toEqual([5, 4, 3, 2, 1, 0])
  })
})

describe('a sort', () => {
  it('orders all that the query finds, absent values last', async () => {
    for (const order of ['asc', 'desc'] as const) {
      const hits = await pages({ q: 'teak', sort: [{ by: 'metadata.price', order }, { by: 'score' }] }, 50)
      expect(hits).toHaveLength(count)
      const sign = order === 'asc' ? 1 : -1
      const kind = (value: unknown) => (value === null ? 9 : sign * (typeof value === 'number' ? 1 : 2))
      const expected = hits.map(priceOf).toSorted((a, b) => {
        if (kind(a) !== kind(b)) return kind(a) - kind(b)
        return a === null || b === null || a === b ? 0 : sign * (a < b ? -1 : 1)
      })
      expect(hits.map(priceOf)).toEqual(expected)
    }
  })

  it('takes only what is found, and times', async () => {
    const [{ id }] = [{ id: 'times' }]
    for (const text of ['A teak chest', 'Stones and gravel', 'A teak table'])
      await ingest([{ text, external_id: text }], id)
    const sort = (by: string, order: string) => search({ q: 'teak', sort: [{ by, order }] }, { scope: id })
    expect((await sort('created_at', 'desc')).ids).toEqual(['A teak table', 'A teak chest'])
    expect((await sort('created_at', 'asc')).ids).toEqual(['A teak chest', 'A teak table'])
    await ingest([{ text: 'A teak chest with a lock', external_id: 'A teak chest' }], id)
    expect((await sort('updated_at', 'desc')).ids).toEqual(['A teak chest', 'A teak table'])
    expect((await search({ q: 'teak', min_score: 0.9, sort: [{ by: 'updated_at' }] }, { scope: id })).ids).toEqual([
      'A teak table',
    ])
  })
})

describe('a snippet', () => {
  it('is the part with the words, as long as asked for', async () => {
    const text = `${'Nothing much happens here today. '.repeat(40)}The old boatyard sold its last crane to 🚢 Harald. ${'Rain fell again on the empty quay. '.repeat(40)}`
    await ingest(
      [
        { text, external_id: 'long' },
        { text: 'A crane.', external_id: 'short' },
        { text: '起重机在码头'.repeat(30), external_id: 'cjk' },
      ],
      'cut',
    )
    for (const snippet_length of [1, 9, 30, 80, 400, 2000]) {
      const { hits } = await search({ q: 'crane boatyard Harald', snippet_length }, { scope: 'cut' })
      for (const { external_id, text: whole, snippet } of hits) {
        expect(snippet?.text.length).toBeLessThanOrEqual(snippet_length)
        expect(whole.slice(snippet?.start, (snippet?.start ?? 0) + (snippet?.text.length ?? 0))).toBe(snippet?.text)
        expect(snippet?.text.isWellFormed()).toBe(true)
        const marked = snippet?.highlights.map(({ start, end }) => snippet.text.slice(start, end))
        if (external_id === 'long' && snippet_length >= 80) expect(marked).toEqual(['boatyard', 'crane', 'Harald'])
      }
    }
    expect((await search({ q: 'crane' }, { scope: 'cut' })).hits.map(({ snippet }) => snippet)).toEqual([
      undefined,
      undefined,
    ])
  })
})

describe('facets of a query', () => {
  it('count all that the query finds, and the reader may read', async () => {
    const asked = {
      q: 'teak',
      facets: ['doc_id', 'metadata.price', 'metadata.tags', 'scope', 'plane', 'created_at'],
      facets_limit: 3,
    }
    const { facets } = await search({ ...asked, top_k: 1 })
    const [docs, prices, tags, scopes, planes, times] = facets ?? []
    const holding = (doc: string) => units.filter(({ doc_id }) => doc_id === doc).length
    expect(docs).toMatchObject({
      field: 'doc_id',
      missing: count / 4,
      other: (count * 3) / 4 - (docs?.values ?? []).reduce((sum, { count }) => sum + count, 0),
    })
    expect(docs?.values.map(({ count }) => count)).toEqual(docs?.values.map(({ value }) => holding(value)))
    expect(docs?.values).toHaveLength(3)
    const numbers = units.flatMap(({ metadata: { price } }) => (typeof price === 'number' ? [price] : []))
    expect(prices).toMatchObject({
      min: Math.min(...numbers),
      max: Math.max(...numbers),
      missing: Math.ceil(count / 3),
    })
    expect(tags).toMatchObject({
      values: [
        { value: 'even', count: count / 2 },
        { value: 'all', count: count / 2 },
      ].sort((a, b) => (a.value < b.value ? -1 : 1)),
      missing: count / 2,
    })
    expect(scopes?.values).toEqual([{ value: 'wood', count }])
    expect(planes?.values).toEqual([{ value: 'text', count }])
    expect(times).toMatchObject({ missing: 0, min: expect.any(Number) })
    const half = await search({ ...asked, top_k: 1 }, { scope: 'halved', as: reader })
    expect(half.facets?.[3]).toEqual({
      field: 'scope',
      values: [{ value: 'halved', count: count / 2 }],
      other: 0,
      missing: 0,
      min: null,
      max: null,
    })
  })

  it('are of the same Units as the pages, with filters, exclusions and a threshold', async () => {
    for (const more of [
      { q: 'teak -cedar' },
      { q: '-cedar' },
      { q: '"oak board"' },
      { q: 'cedar', min_score: 0.31 },
      { q: 'cedar oak', sort: [{ by: 'metadata.price' }] },
      { q: '', filters: { metadata: { 'place.row': [1, 2] } } },
      { q: 'teak', group_by: 'doc_id' },
    ]) {
      const { facets } = await search({ ...more, facets: ['metadata.place.row'] })
      const { group_by: _, ...ungrouped } = { group_by: undefined, ...more }
      const rows = Map.groupBy(await pages(ungrouped, 50), ({ metadata: { place } }) => place?.row)
      const expected = [...rows].map(([value, hits]) => ({ value, count: hits.length }))
      expect(
        facets?.[0]?.values.toSorted((a, b) => a.value - b.value),
        JSON.stringify(more),
      ).toEqual(expected.toSorted((a, b) => Number(a.value) - Number(b.value)))
    }
    expect((await search({ q: 'teak' })).facets).toBeUndefined()
  })
})

describe('facets of the index', () => {
  it('are those of the catalog, for metadata of any shape', async () => {
    const shapes = [
      1,
      1.5,
      -3,
      true,
      false,
      'é',
      '\u{1f600}',
      '\uff5e',
      'x'.repeat(600),
      [],
      ['a', 'a', 'b'],
      [1, 'a', { in: 'it' }],
      { deep: 'er' },
      null,
      'a',
    ]
    // Each alone: texts that begin alike, and go on with what JSON writes otherwise.
    const endings = ['', ' ', '!', '"', '"c', '\\', '\\c', '\n', '#', 'c', 'é', '\u{1f600}', '\uff5e']
    const singles = [...endings.map((ending) => `ab${ending}`), '', 10, 9, -1, true, false, 'x'.repeat(600), null]
    await ingest(
      singles.map((one, i) => ({ text: `gravel ${i}`, external_id: `one${i}`, metadata: { one } })),
      'shapes/single',
    )
    const sent = shapes.flatMap((any, i) => [
      {
        text: `gravel ${i}`,
        external_id: `s${i}`,
        metadata: { any, 'dotted.key': { under: i % 2 } },
        ...(i % 4 ? { mime: `text/${i % 3}`, modality: 'caption' } : {}),
      },
      {
        text: `gravel ${i}`,
        external_id: `t${i}`,
        metadata: {},
        modality: 'image',
        plane: 'visual',
        doc_id: `d${i % 5}`,
      },
    ])
    await ingest(sent, 'shapes/all')
    await ingest(sent.slice(0, 3), 'shapes/some')
    const names = ['plane', 'modality', 'scope', 'doc_id', 'mime', 'created_at', 'metadata.any', 'metadata.any.deep']
    const all = [...names, 'metadata.dotted\\.key.under'].slice(1)
    for (const [fields, limit] of [all, ['metadata.one']].flatMap((of) =>
      [1, 3, 7, 100].map((n) => [of, n] as const),
    )) {
      const asked = { q: '', filters: { created_after: 0 }, facets: fields, facets_limit: limit }
      const { facets } = await search(asked, { scope: 'shapes' })
      const query =
        'query ($input: FacetsInput!) { facets(input: $input) { facets { values { value count } other missing min max } } }'
      const input = { fields: fields.map((name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())), limit }
      const counted = await app.graphql(query, { input }, { token, scope: 'shapes' })
      const listed = facets?.map(({ field: _, ...facet }) => facet)
      expect(listed).toEqual(counted.body.data.facets.facets)
    }
  })
})

describe('a boost', () => {
  const day = 86_400_000
  const found = async (boost: object[], more: object = {}) => {
    const { hits } = await search({ q: 'lantern', boost, ...more }, { scope: 'boosts' })
    return hits.map(({ external_id, score, explain }) => ({
      external_id,
      score,
      boosts: explain.filter(({ leg }) => leg.startsWith('boost:')),
    }))
  }
  beforeAll(async () => {
    const now = Date.now()
    const lanterns = [
      { external_id: 'plain', text: 'A lantern' },
      { external_id: 'fresh', text: 'A lantern', metadata: { made: new Date(now - day).toISOString(), tin: true } },
      { external_id: 'old', text: 'A lantern', metadata: { made: now - 30 * day } },
      { external_id: 'odd', text: 'A lantern', metadata: { made: 'yesterday' } },
    ]
    await ingest(lanterns, 'boosts')
  })

  it('multiplies the score by age, and says so', async () => {
    const hits = await found([{ by: 'metadata.made', half_life_days: 10 }])
    const of = (id: string) => hits.find(({ external_id }) => external_id === id)
    expect(hits.map(({ external_id }) => external_id).slice(2)).toEqual(['fresh', 'old'])
    expect((of('old')?.score ?? 0) / (of('plain')?.score ?? 0)).toBeCloseTo(1 / 8, 3)
    expect(of('fresh')?.boosts).toEqual([
      {
        leg: 'boost:metadata.made',
        rank: 1,
        score: expect.closeTo(0.933, 2),
        normalized: expect.closeTo(0.933, 2),
        weight: 1,
      },
    ])
    expect(of('plain')?.boosts).toEqual([])
    expect(of('odd')?.score).toBe(of('plain')?.score)
    for (const { score } of await found([{ by: 'created_at', half_life_days: 36_500 }]))
      expect(score).toBeCloseTo(of('plain')?.score ?? 0, 3)
  })

  it('raises what a filter lets through, up to 1', async () => {
    const [least] = await found([])
    const low = await found([
      { filter: { metadata: { tin: true } }, weight: 10 },
      { filter: { external_id: ['plain', 'odd', 'old'] }, weight: 0.1 },
    ])
    expect(low[0]).toMatchObject({
      external_id: 'fresh',
      score: 1,
      boosts: [{ leg: 'boost:filter', rank: 1, weight: 10, score: 10 }],
    })
    expect(low[1]?.score).toBeCloseTo((least?.score ?? 0) / 10, 6)
    expect(
      (await found([{ filter: { metadata: { tin: true } }, weight: 0.1 }], { min_score: 0.5 })).map(
        ({ external_id }) => external_id,
      ),
    ).not.toContain('fresh')
    expect(await found([{ filter: { metadata: { tin: true } }, weight: 2 }], { offset: 3 })).toHaveLength(1)
  })
})

describe('what is similar to a Unit', () => {
  const at = (degrees: number) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180), 0, 0]
  it('shares its words and is near its vectors, without itself', async () => {
    await ingest(
      [
        { external_id: 'model', text: 'Brass ship bells and their casting', vector: at(0) },
        { external_id: 'words', text: 'Casting of brass ship bells in sand', vector: at(89) },
        { external_id: 'near', text: 'Ringing metal of vessels', vector: at(4) },
        { external_id: 'other', text: 'Potatoes need rain', vector: at(120) },
        { external_id: 'closed', text: 'Brass ship bells and their casting', vector: at(1), acl_groups: ['nobody'] },
      ].map((unit) => ({ acl_groups: ['staff'], ...unit })),
      'alike',
    )
    const alike = (id: string, more = {}) =>
      app.call('POST', '/v1/search', { token: reader, scope: 'alike', body: { similar_to: { unit_id: id }, ...more } })
    const listed = await app.call('GET', '/v1/units', { token, scope: 'alike' })
    const idOf = (external: string) => listed.body.units.find((unit: Hit) => unit.external_id === external).unit_id
    const { status, body } = await alike(idOf('model'))
    expect(status).toBe(200)
    expect(idsOf(body.hits).toSorted()).toEqual(['near', 'words'])
    expect(body.hits.find((hit: Hit) => hit.external_id === 'near').explain.at(-1)?.leg).toBe('vector:text')
    expect(idsOf((await alike(idOf('model'), { filters: { external_id: ['near'] } })).body.hits)).toEqual(['near'])
    const [closed, unknown] = [await alike(idOf('closed')), await alike('unit_0000000000000000000000')]
    expect(closed.body).toEqual(unknown.body)
    expect(closed.status).toBe(404)
    for (const more of [{ q: 'bells' }, { vector: { text: at(0) } }]) {
      const refused = await alike(idOf('model'), more)
      expect([refused.status, refused.body.detail.split(':')[0]]).toEqual([400, 'similar_to'])
    }
  })
})

describe('what does not go together', () => {
  it.each([
    [{ offset: 1001 }, 'offset'],
    [{ offset: -1 }, 'offset'],
    [{ group_by: 'text' }, 'group_by'],
    [{ group_by: 'metadata.' }, 'group_by'],
    [{ group_by: 'metadata.a..b' }, 'group_by'],
    [{ group_by: 'metadata.a.b.c.d.e.f' }, 'group_by'],
    [{ group_size: 2 }, 'group_size'],
    [{ group_by: 'doc_id', group_size: 6 }, 'group_size'],
    [{ sort: [{ by: 'rank' }] }, 'sort[0].by'],
    [{ sort: [{ by: 'score', order: 'up' }] }, 'sort[0].order'],
    [{ sort: [{ by: 'created_at' }, { by: 'created_at', order: 'desc' }] }, 'sort'],
    [{ sort: ['created_at', 'updated_at', 'score', 'metadata.a'].map((by) => ({ by })) }, 'sort'],
    [{ sort: [{ by: 'created_at' }], rerank: true }, 'rerank'],
    [{ sort: [{ by: 'created_at' }], diversity: 0.5 }, 'diversity'],
    [{ group_by: 'doc_id', diversity: 0.5 }, 'diversity'],
    [{ snippet_length: 2001 }, 'snippet_length'],
    [{ boost: [{ by: 'created_at' }] }, 'boost[0]'],
    [{ boost: [{ by: 'created_at', half_life_days: 0 }] }, 'boost[0].half_life_days'],
    [{ boost: [{ filter: { doc_id: ['a'] }, weight: 11 }] }, 'boost[0].weight'],
    [{ boost: [{ filter: { color: 'red' }, weight: 1 }] }, 'boost[0].filter.color'],
    [{ boost: Array.from({ length: 6 }, () => ({ by: 'created_at', half_life_days: 1 })) }, 'boost'],
    [{ facets: ['text'] }, 'facets[0]'],
    [{ facets: ['plane', 'plane'] }, 'facets'],
    [{ facets: ['plane'], facets_limit: 101 }, 'facets_limit'],
    [{ similar_to: {} }, 'similar_to.unit_id'],
  ])('%j is 400 and names %s', async (more, field) => {
    const { status, body } = await app.call('POST', '/v1/search', {
      token,
      scope: 'wood',
      body: { q: 'teak', ...more },
    })
    expect([status, body.detail.split(': ')[0]]).toEqual([400, field])
  })

  it('an answer rests on the best hits, whatever page the query names', async () => {
    const body = { q: 'Which board is of cedar?' }
    const answer = async (more: object) =>
      (await app.call('POST', '/v1/answer', { token, scope: 'wood', body: { ...body, ...more } })).body
    const [plain, paged] = [
      await answer({}),
      await answer({ offset: 20, group_by: 'doc_id', sort: [{ by: 'created_at' }], snippet_length: 20 }),
    ]
    expect(idsOf(paged.hits)).toEqual(idsOf(plain.hits))
    expect(paged.answer).toEqual(plain.answer)
    expect(paged.hits[0].snippet.text.length).toBeLessThanOrEqual(20)
  })
})
