import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const post = (path: string, body: object, token = service.tokens.admin) => service.call('POST', path, { token, body })
const answer = (body: object, token?: string) => post('/v1/answer', body, token)

interface Citation {
  marker: number
  unit_id: string
  quote: string
  start: number
  end: number
  sha256: string
}
interface Hit {
  unit_id: string
  text: string
}

const why = 'why did the battery pack overheat at pier 4'

describe('an answer', () => {
  it('has exactly the keys of the contract', async () => {
    const { status, body } = await answer({ q: why })
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['answer', 'hits', 'trace', 'context', 'hidden_by_acl'])
    expect(Object.keys(body.answer)).toEqual([
      'text',
      'citations',
      'nli_faithfulness',
      'confidence',
      'faithfulness',
      'abstained',
      'model',
    ])
    expect(Object.keys(body.answer.citations[0]).sort()).toEqual(
      ['marker', 'unit_id', 'quote', 'start', 'end', 'sha256', 'locator', 'source_uri'].sort(),
    )
    expect(body.answer).toMatchObject({
      text: expect.stringContaining('Eelgrass had clogged the seawater strainer'),
      faithfulness: { method: 'lexical', min: expect.any(Number), unsupported: [] },
      abstained: false,
      model: 'extractive',
    })
    const [step] = body.trace.answer.steps
    expect(body.trace.answer).toEqual({
      passages: 10,
      removed: 0,
      steps: expect.any(Array),
      took_ms: expect.any(Number),
    })
    expect(step).toEqual({ query: why, hits: 10, kept: expect.any(Number), took_ms: expect.any(Number) })
  })

  it.each([
    why,
    'when does the last ferry leave and what does a ticket cost?',
    'How do I rotate the certificates?',
    '最終便は何時',
  ])('cites verbatim what the hits say: %s', async (q) => {
    const { body } = await answer({ q, top_k: 5 })
    const { text, citations, nli_faithfulness, faithfulness } = body.answer
    expect(citations.length).toBeGreaterThan(0)
    for (const { unit_id, quote, start, end, sha256 } of citations as Citation[]) {
      const hit: Hit = body.hits.find((h: Hit) => h.unit_id === unit_id)
      expect(hit.text.slice(start, end)).toBe(quote)
      expect(sha256).toBe(createHash('sha256').update(hit.text).digest('hex'))
    }
    const markers = [...text.matchAll(/\[(\d+)\]/g)].map(([, marker]) => Number(marker))
    expect(markers).toEqual(citations.map((citation: Citation) => citation.marker))
    expect(new Set(markers).size).toBe(citations.length)
    expect(nli_faithfulness).toBeGreaterThanOrEqual(faithfulness.min)
    expect(faithfulness.min).toBeGreaterThanOrEqual(0.5)
  })

  it.each(['who wrote Hamlet?', 'what is the capital of France', '?'])(
    'is withheld where the hits do not hold it: %s',
    async (q) => {
      const { status, body } = await answer({ q })
      expect(status).toBe(200)
      expect(body.answer).toEqual({
        text: 'The documents found do not answer this question.',
        citations: [],
        nli_faithfulness: null,
        confidence: null,
        faithfulness: { method: 'lexical', min: null, unsupported: [] },
        abstained: true,
        model: 'extractive',
      })
    },
  )

  it('comes with a search that asks for it, and is null otherwise', async () => {
    const asked = await post('/v1/search', { q: why, answer: true })
    const answered = await answer({ q: why, answer: true })
    expect(asked.body.answer).toEqual(answered.body.answer)
    expect(Object.keys(asked.body)).toEqual(['hits', 'answer', 'trace', 'context', 'hidden_by_acl'])
    const { body } = await post('/v1/search', { q: why, answer: false })
    expect(body.answer).toBeNull()
    expect(body.trace.answer).toBeNull()
  })

  it('is the same over GraphQL', async () => {
    const query = `query ($input: SearchInput!) { answer(input: $input) { answer {
      text citations { marker unit_id: unitId quote start end sha256 locator { ... on CharSpan { kind start end } ... on BoundingBox { kind page x y w h } ... on TimeRange { kind t_start_ms: tStartMs t_end_ms: tEndMs } } source_uri: sourceUri }
      nli_faithfulness: nliFaithfulness confidence faithfulness { method min unsupported } abstained model } } }`
    const input = { q: why, topK: 10 }
    const { body } = await post('/graphql', { query, variables: { input } })
    expect(body.errors).toBeUndefined()
    expect(body.data.answer.answer).toEqual((await answer({ q: why })).body.answer)
    const refused = await post('/graphql', { query, variables: { input } }, service.tokens.free)
    expect(refused.body.errors[0].extensions).toMatchObject({ code: 'upgrade_required', required_tier: 'pro' })
  })

  it('is part of Pro and Enterprise', async () => {
    const refusal = { error: 'upgrade_required', status: 402, required_tier: 'pro' }
    expect((await answer({ q: 'x' }, service.tokens.free)).body).toMatchObject(refusal)
    expect((await post('/v1/search', { q: 'x', answer: true }, service.tokens.free)).body).toMatchObject(refusal)
    expect((await answer({ q: 'x' }, service.tokens.pro)).status).toBe(200)
  })

  it.each([
    [{ q: 'x', answer: false }, 'answer'],
    [{ q: ' ' }, 'q'],
    [{ q: '', filters: { modality: ['text'] } }, 'q'],
    [{}, 'q'],
    [{ q: 'x', top_k: 51 }, 'top_k'],
    [{ q: 'x', answer: 'yes' }, 'answer'],
    [{ q: 'x', citations: 3 }, 'citations'],
  ])('is 400 for %o', async (body, field) => {
    const reply = await answer(body)
    expect(reply.body).toMatchObject({ error: 'bad_request', status: 400 })
    expect(reply.body.detail).toContain(field)
    // The syntax is looked at before the tier.
    expect((await answer(body, service.tokens.free)).status).toBe(400)
  })

  it('needs a credential', async () => {
    expect((await service.call('POST', '/v1/answer', { body: { q: 'x' } })).status).toBe(401)
  })
})

describe('reranking', () => {
  it('is named in the trace, and keeps the form of the answer', async () => {
    const { body } = await post('/v1/search', { q: 'battery overheat', rerank: true, top_k: 5 })
    expect(body.trace).toMatchObject({ rerank: 'builtin-proximity', degraded: [] })
    const scores = body.hits.map((hit: { score: number }) => hit.score)
    expect(scores).toHaveLength(5)
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
    expect(Math.max(...scores)).toBeLessThanOrEqual(1)
    const cut = await post('/v1/search', { q: 'battery overheat', rerank: true, top_k: 5, min_score: scores[2] })
    expect(cut.body.hits).toEqual(body.hits.slice(0, 3))
  })

  it('does not run without words, nor on Free', async () => {
    const wordless = await post('/v1/search', { q: '', filters: { modality: ['text'] }, rerank: true })
    expect(wordless.body.trace.rerank).toContain('ignored')
    const free = await post('/v1/search', { q: 'x', rerank: true }, service.tokens.free)
    expect(free.body.trace.rerank).toContain('ignored')
  })
})
