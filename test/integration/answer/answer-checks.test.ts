import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AnswerWriter, Statement } from '../../../src/ports/models/answer-writer.ts'
import type { Reranker } from '../../../src/ports/models/reranker.ts'
import { boot, type TestApp } from '../../support/boot.ts'

const text = 'The pump failed on Monday because of sand. It was replaced on Tuesday. The yard sent no invoice.'
const quote = 'It was replaced on Tuesday.'
const cited = { passage: 0, quote, start: text.indexOf(quote) }

/** The writer's answer to every question. */
let said: Statement[] | Error
const writer: AnswerWriter = {
  model: 'of the test',
  write: async () => {
    if (said instanceof Error) throw said
    return said
  },
}
const reranker: Reranker = { model: 'broken', depth: 50, score: () => Promise.reject(new Error('gone')) }

let app: TestApp
let token: string
beforeAll(async () => {
  app = await boot({ bindings: { writer, reranker } })
  token = await app.principal({ id: 'ann', namespace: 'checks' })
  await app.call('POST', '/v1/ingest', { token, scope: 'a', body: { units: [{ text }] } })
})
afterAll(() => app.close())

async function search(options: object) {
  const { status, body } = await app.call('POST', '/v1/search', { token, body: { q: 'pump', ...options } })
  expect(status).toBe(200)
  return body
}

function answerOf(statements: Statement[] | Error) {
  said = statements
  return search({ answer: true })
}

it('keeps what follows from what it cites', async () => {
  const { answer, trace } = await answerOf([{ text: 'The pump was replaced on Tuesday', sources: [cited] }])
  expect(answer).toMatchObject({ text: 'The pump was replaced on Tuesday [1]', model: 'of the test', abstained: false })
  expect(answer.citations).toMatchObject([{ marker: 1, quote, start: cited.start, end: cited.start + quote.length }])
  expect(answer.nli_faithfulness).toBeGreaterThan(0.5)
  expect(answer.nli_faithfulness).toBeLessThan(1)
  expect(trace.answer.removed).toBe(0)
})

it('cites a piece of text under one number', async () => {
  const first = { passage: 0, quote: text.slice(0, 42), start: 0 }
  const { answer } = await answerOf([
    { text: 'It was replaced on Tuesday.', sources: [cited] },
    { text: 'The pump failed on Monday and was replaced on Tuesday.', sources: [first, cited] },
  ])
  expect(answer.text).toMatch(/Tuesday\. \[1\] .*Tuesday\. \[2\]\[1\]$/)
  expect(answer.citations.map(({ marker }: { marker: number }) => marker)).toEqual([1, 2])
})

it.each<[string, Statement]>([
  ['nothing cited', { text: quote, sources: [] }],
  ['a quote that is not there', { text: quote, sources: [{ ...cited, quote: 'It was replaced on Friday.' }] }],
  ['a quote that stands elsewhere', { text: quote, sources: [{ ...cited, start: 1 }] }],
  ['a passage that was not given', { text: quote, sources: [{ ...cited, passage: 1 }] }],
  ['an empty quote', { text: quote, sources: [{ passage: 0, quote: '', start: 0 }] }],
  ['another day', { text: 'The pump was replaced on Friday.', sources: [cited] }],
  ['a number of its own', { text: 'It was replaced on Tuesday for 900 euros.', sources: [cited] }],
  ['the contrary', { text: 'It was not replaced on Tuesday.', sources: [cited] }],
  ['something else', { text: 'Sharks sleep in the harbour.', sources: [cited] }],
  ['nothing', { text: ' ', sources: [cited] }],
])('removes a statement with %s, and counts it', async (_, statement) => {
  const { answer, trace } = await answerOf([statement, { text: quote, sources: [cited] }])
  expect(answer).toMatchObject({ text: `${quote} [1]`, faithfulness: { unsupported: [] } })
  expect(answer.citations).toHaveLength(1)
  expect(trace.answer.removed).toBe(1)
})

it('abstains when nothing is left', async () => {
  const { answer, trace } = await answerOf([{ text: 'Sharks sleep in the harbour.', sources: [cited] }])
  expect(answer).toMatchObject({ abstained: true, citations: [], nli_faithfulness: null })
  expect(trace).toMatchObject({ answer: { removed: 1 }, degraded: [] })
})

it('abstains when the writer fails, says so, and the hits stand', async () => {
  const body = await answerOf(new Error('secret of the provider'))
  expect(body.answer).toMatchObject({ abstained: true, model: 'of the test' })
  expect(body.trace.degraded).toEqual(['answer'])
  expect(body.hits).toHaveLength(1)
  expect(JSON.stringify(body)).not.toContain('secret of the provider')
})

it('ranks as before when the reranker fails, and says so', async () => {
  const body = await search({ rerank: true })
  expect(body.trace).toMatchObject({ rerank: 'failed', degraded: ['rerank'] })
  expect(body.hits).toHaveLength(1)
})
