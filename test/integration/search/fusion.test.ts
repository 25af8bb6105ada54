import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let token: string

const at = (degrees: number) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180), 0, 0]

/** By external id: the text, and how many degrees its vector is away from the query's. */
const units: Record<string, [text: string, degrees: number]> = {
  paraphrase: ['A canine sprints over the dunes near the sea.', 4],
  literal: ['Dogs are not allowed on this beach after ten.', 60],
  invoice14: ['Invoice of 14-06-2018, Harbour Seafood, paid.', 40],
  invoice23: ['Invoice of 23-06-2018, Harbour Seafood, paid.', 2],
  other: ['Ferry crews are paid weekly.', 88],
}

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'ada', namespace: 'acme' })
  const body = {
    units: Object.entries(units).map(([id, [text, degrees]]) => ({ text, external_id: id, vector: at(degrees) })),
  }
  expect(await app.call('POST', '/v1/ingest', { token, scope: 'main', body })).toMatchObject({ status: 200 })
})
afterAll(() => app?.close())

async function search(body: object) {
  const { status, body: found } = await app.call('POST', '/v1/search', { token, scope: 'main', body })
  expect(status).toBe(200)
  return {
    ids: found.hits.map((hit: { external_id: string }) => hit.external_id),
    hits: found.hits,
    fusion: found.trace.fusion,
  }
}

const vector = { text: at(0) }

describe('the fusion of texts and vectors', () => {
  it('lets a near vector win where no text covers the query', async () => {
    const q = 'a running dog at the shore'
    expect((await search({ q })).ids[0]).toBe('literal')
    expect((await search({ q, vector, filters: { external_id: ['paraphrase', 'literal', 'other'] } })).ids[0]).toBe(
      'paraphrase',
    )
  })

  it('does not let a vector overrule a text that covers a query with numbers', async () => {
    const found = await search({ q: 'Harbour Seafood invoice 14-06-2018', vector })
    expect((await search({ q: '', vector })).ids[0]).toBe('invoice23')
    expect(found.ids[0]).toBe('invoice14')
    expect(found.fusion.weights['vector:text']).toBeLessThan(found.fusion.weights.text)
  })

  it('lets a near vector win over a text that repeats one of the words', async () => {
    const body = {
      units: [
        { text: 'Mountain, mountain: a mountain climber.', external_id: 'repeats', vector: at(70) },
        { text: 'The summit lies far above sea level.', external_id: 'summit', vector: at(63) },
        { text: 'A recipe for plum cake.', external_id: 'far', vector: at(88) },
      ],
    }
    expect(await app.call('POST', '/v1/ingest', { token, scope: 'peaks', body })).toMatchObject({ status: 200 })
    const first = async (q: string) => {
      const found = await app.call('POST', '/v1/search', { token, scope: 'peaks', body: { q, vector } })
      return found.body.hits[0].external_id
    }
    expect(await first('mountain climber')).toBe('repeats')
    expect(await first('how tall is the mountain')).toBe('summit')
  })

  it('gives vectors more weight where the nearest stands out among many', async () => {
    const crowd = Array.from({ length: 60 }, (_, i) => ({
      text: `Crate ${i}.`,
      external_id: `crate${i}`,
      vector: at(75 + i / 10),
      metadata: { n: 3 },
    }))
    const near = { text: 'A guard naps by the beacon.', external_id: 'near', vector: at(20), metadata: { n: 1 } }
    const words = { text: 'The keeper sleeps.', external_id: 'words', vector: at(85), metadata: { n: 2 } }
    const body = { units: [near, words, ...crowd] }
    expect(await app.call('POST', '/v1/ingest', { token, scope: 'crowd', body })).toMatchObject({ status: 200 })
    const weight = async (filters: object) => {
      const body = { q: 'lighthouse keeper', vector, filters }
      const found = await app.call('POST', '/v1/search', { token, scope: 'crowd', body })
      return found.body.trace.fusion.weights['vector:text']
    }
    const few = await weight({ metadata: { n: { lte: 2 } } })
    expect((await weight({})) / few).toBeGreaterThan(2)
    expect((await weight({ metadata: { n: { gte: 2 } } })) / few).toBeLessThan(0.6)
  })

  it('explains each score by its legs, and scores of text alone are those of its leg', async () => {
    const both = await search({ q: 'a running dog at the shore', vector })
    const [first] = both.hits
    for (const hit of both.hits) {
      const sum = (explain: { normalized: number; weight: number }[]) =>
        explain.reduce((total, { normalized, weight }) => total + normalized * weight, 0)
      expect(hit.score).toBeCloseTo(first.score * Math.sqrt(sum(hit.explain) / sum(first.explain)), 6)
      for (const { leg, weight } of hit.explain) expect(weight).toBe(both.fusion.weights[leg])
    }
    const text = await search({ q: 'harbour invoice' })
    for (const { score, explain } of text.hits) expect(score).toBeCloseTo(explain[0].score, 6)
  })

  it('ranks by vectors alone where there is no text, the nearest first', async () => {
    const { ids, hits } = await search({ q: '', vector })
    expect(ids).toEqual(['invoice23', 'paraphrase', 'invoice14', 'literal', 'other'])
    expect(hits[0].score).toBeCloseTo(Math.cos((2 * Math.PI) / 180), 4)
  })
})

const document = `query ($input: SearchInput!) {
  search(input: $input) { hits { externalId score } trace { fusion { weights } } }
}`

async function graphql(input: object, caller = token, on = app) {
  const { body } = await on.graphql(document, { input }, { token: caller, scope: 'main' })
  expect(body.errors).toBeUndefined()
  const { hits, trace } = body.data.search
  return { ids: hits.map((hit: { externalId: string }) => hit.externalId), hits, weights: trace.fusion.weights }
}

describe('the weight of vectors', () => {
  const input = { q: 'dogs on the beach', vector, filters: { externalId: ['literal', 'paraphrase', 'other'] } }

  it('of a query replaces that of the model', async () => {
    expect((await graphql({ ...input, vectorWeight: 0 })).ids[0]).toBe('literal')
    expect((await graphql({ ...input, vectorWeight: 100 })).ids[0]).toBe('paraphrase')
    const { body } = await app.graphql(document, { input: { ...input, vectorWeight: -1 } }, { token, scope: 'main' })
    expect(body.errors[0].message).toContain('must be between 0 and 100')
  })

  it('of a model is a setting', async () => {
    const weighted = await boot({
      config: { inference: readConfig({ INFERENCE: 'builtin', VECTOR_WEIGHTS: 'own=0.5, other@3=7' }).inference },
    })
    try {
      const bob = await weighted.principal({ id: 'bob', namespace: 'acme' })
      const units = [{ text: 'Dogs on the beach.', external_id: 'one', vector: at(30) }]
      await weighted.call('POST', '/v1/ingest', { token: bob, scope: 'main', body: { units } })
      const [set, given, base] = await Promise.all([
        graphql({ q: 'dogs', vector }, bob, weighted),
        graphql({ q: 'dogs', vector, vectorWeight: 3 }, bob, weighted),
        graphql({ q: 'dogs', vector, vectorWeight: 0.5 }, bob, weighted),
      ])
      expect(set.weights).toEqual(base.weights)
      expect(given.weights['vector:text']).toBeCloseTo(6 * set.weights['vector:text'], 6)
    } finally {
      await weighted.close()
    }
  })
})

describe('diversity', () => {
  const twins = Array.from({ length: 3 }, (_, i) => ({
    text: `The lighthouse keeper trims the wick, copy ${'i'.repeat(i + 1)}.`,
    external_id: `twin${i}`,
    vector: at(1),
  }))
  const lone = { text: 'A keeper of bees visits the lighthouse.', external_id: 'lone', vector: at(80) }

  it('puts what is unlike the hits before it in front of what is like them', async () => {
    const ada = { token, scope: 'main', body: { units: [...twins, lone] } }
    expect(await app.call('POST', '/v1/ingest', ada)).toMatchObject({ status: 200 })
    const input = {
      q: 'lighthouse keeper wick',
      topK: 3,
      filters: { externalId: ['twin0', 'twin1', 'twin2', 'lone'] },
    }
    const plain = await graphql(input)
    expect(plain.ids).not.toContain('lone')
    expect(await graphql({ ...input, diversity: 0 })).toEqual(plain)
    const diverse = await graphql({ ...input, diversity: 0.7 })
    expect(diverse.ids.slice(0, 2)).toEqual([plain.ids[0], 'lone'])
    expect(diverse.ids).toHaveLength(3)
    expect(diverse.hits[0].score).toBe(plain.hits[0].score)
    expect(diverse.hits[1].score).toBeLessThan(diverse.hits[2].score)
  })

  it('is from 0 to 1', async () => {
    const { body } = await app.graphql(document, { input: { q: 'dogs', diversity: 1.5 } }, { token, scope: 'main' })
    expect(body.errors[0].message).toContain('must be between 0 and 1')
  })
})
