import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let token: string
let worlds = 0

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'ada', namespace: 'acme' })
})
afterAll(() => app?.close())

interface Hit {
  external_id: string
  score: number
  explain: { leg: string; score: number; normalized: number }[]
}

/** A scope of its own with these Units, by external id: the hits of a search there. */
async function world(units: Record<string, string | { text: string; vector: number[] }>) {
  const scope = `noise/w${worlds++}`
  const sent = Object.entries(units).map(([external_id, unit]) => ({
    external_id,
    ...(typeof unit === 'string' ? { text: unit } : unit),
  }))
  expect(await app.call('POST', '/v1/ingest', { token, scope, body: { units: sent } })).toMatchObject({ status: 200 })
  return async (q: string, more: object = {}): Promise<Hit[]> => {
    const { status, body } = await app.call('POST', '/v1/search', { token, scope, body: { q, ...more } })
    expect(status).toBe(200)
    return body.hits
  }
}

const ids = (hits: Hit[]) => hits.map(({ external_id }) => external_id)

const texts = {
  lamp: '汽车大灯更换',
  book: '日本の本',
  temple: '京都の寺',
  cats: 'Cats sleep',
  ferries: 'Ferries sail',
}

describe('a search finds nothing where there is nothing', () => {
  it('in a Unit that shares no word and no letters with the query', async () => {
    const search = await world(texts)
    expect(await search('xyzzyq')).toEqual([])
    expect(await search('xyzzyq qqwwx', { top_k: 50, rerank: true })).toEqual([])
    expect(ids(await search('大灯'))).toEqual(['lamp'])
    expect(ids(await search('cats xyzzyq', { top_k: 50 }))).toEqual(['cats'])
    expect(ids(await search('', { filters: { metadata: {}, modality: ['text'] } }))).toHaveLength(5)
  })

  it('beside a Unit that has the only word of the query', async () => {
    const search = await world({ ...texts, one: '灯' })
    const [first, ...others] = await search('灯')
    expect(first).toMatchObject({ external_id: 'one' })
    expect(first?.score).toBeGreaterThan(0.5)
    expect(ids(others)).toEqual(['lamp'])
  })

  it('in what only resembles the best hits', async () => {
    const like = Array.from({ length: 12 }, (_, i) => [`kayak${i}`, `A red kayak waits by the weir, number ${i}`])
    const search = await world({ ...Object.fromEntries(like), other: 'By the weir stands a red boathouse' })
    expect(ids(await search('kayak', { top_k: 50 })).sort()).toEqual(like.map(([id]) => id).sort())
  })
})

describe('a text in which only letters match', () => {
  it('scores .3 at most, beside texts with the word too', async () => {
    const search = await world({
      word: `The harbourmaster ${'writes down what comes and goes, day after day, '.repeat(5)}`,
      letters: 'harbourmistress harbourmistresses',
      none: 'Ferries sail',
    })
    const hits = await search('harbourmaster')
    expect(ids(hits)).toEqual(['word', 'letters'])
    expect(hits[1]?.score).toBeLessThanOrEqual(0.3)
    expect(ids(await search('harbourmaster', { min_score: 0.31 }))).toEqual(['word'])
    const [typo] = await search('harbuormistress')
    expect(typo?.external_id).toBe('letters')
    expect(typo?.score).toBeLessThanOrEqual(0.3)
  })

  it('scores by how many of the letters match', async () => {
    const search = await world({ near: 'lighthuose keeper', far: 'a slight cold' })
    const hits = await search('lighthouse')
    expect(ids(hits)).toEqual(['near', 'far'])
    const [near, far] = hits.map(({ score }) => score)
    expect(near).toBeLessThanOrEqual(0.3)
    expect(far).toBeLessThan((near ?? 0) / 2)
  })
})

describe('vectors', () => {
  const at = (degrees: number) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180), 0, 0]
  const vector = { text: at(0) }

  it('find nothing where the cosine is 0 or less, unless the query has vectors alone', async () => {
    const search = await world({
      near: { text: 'Ferries sail', vector: at(20) },
      across: { text: 'Cats sleep', vector: [0, 1, 0, 0] },
      behind: { text: 'Dogs bark', vector: at(170) },
    })
    expect(ids(await search('xyzzyq', { vector }))).toEqual(['near'])
    expect(ids(await search('dogs', { vector }))).toEqual(['behind', 'near'])
    expect(ids(await search('', { vector }))).toEqual(['near', 'across', 'behind'])
  })

  it('count nothing beside a text where all are equally near', async () => {
    const search = await world({
      dogs: { text: 'Dogs bark all night', vector: at(40) },
      cats: { text: 'Cats sleep', vector: at(40) },
      ferries: { text: 'Ferries sail', vector: at(40) },
    })
    const hits = await search('dogs bark loudly', { vector })
    expect(hits[0]?.external_id).toBe('dogs')
    for (const { explain } of hits) expect(explain.find(({ leg }) => leg === 'vector:text')?.normalized).toBe(0)
    for (const { score } of hits.slice(1)) expect(score).toBe(0)
    // Alone they are as near as they are.
    for (const { score } of await search('', { vector })) expect(score).toBeCloseTo(Math.cos((40 * Math.PI) / 180), 4)
  })
})
