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
    row: i % 6,
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
  text: string
  created_at: number
  metadata: { price?: number | string }
  snippet: { text: string; start: number; highlights: { start: number; end: number }[] } | null
  group: { value: unknown; hits: Hit[] } | null
}

async function search(body: object, { scope = 'wood', as = token } = {}) {
  const reply = await app.call('POST', '/v1/search', { token: as, scope, body })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  const { hits, trace, hidden_by_acl } = reply.body
  return { hits: hits as Hit[], more: trace.more as boolean, ids: idsOf(hits), hidden: hidden_by_acl }
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
    const by = { q: 'teak', group_by: 'metadata.row', top_k: 50 }
    const rows = async (more: object) => (await search({ ...by, ...more })).hits.map(({ group }) => group?.value)
    expect((await rows({})).toSorted()).toEqual([0, 1, 2, 3, 4, 5])
    expect((await rows({ rerank: true })).toSorted()).toEqual([0, 1, 2, 3, 4, 5])
    expect(await rows({ sort: [{ by: 'metadata.row', order: 'desc' }] })).toEqual([5, 4, 3, 2, 1, 0])
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
