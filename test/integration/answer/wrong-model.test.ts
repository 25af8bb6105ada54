import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { threadCpuMs } from '../../support/event-loop/watch-event-loop.ts'
import { type ModelServer, startModelServer } from '../../support/models/model-server.ts'
import { chatSettings, inferenceOf } from '../../support/models/remote-models.ts'
import { least } from '../../support/waited.ts'
import { inventions, paraphrases } from '../../unit/faithfulness-examples.ts'

const evidence = `The crane lifts 12 tons. It stands on pier four. ${'The harbour master writes down each ship. '.repeat(60)}`

let server: ModelServer
let app: TestApp
let token: string
beforeAll(async () => {
  server = await startModelServer()
  app = await boot({ config: { inference: inferenceOf(chatSettings(server.url)) } })
  token = await app.principal({ id: 'foreman', namespace: 'docks' })
  await app.call('POST', '/v1/ingest', { token, scope: 'a', body: { units: [{ text: evidence }] } })
})
afterAll(async () => {
  await app.close()
  await server[Symbol.asyncDispose]()
})

/** Each claim has a namespace of its own. */
let claims = 0

/** The chat model's answer to this evidence, which cites all of it, through the service's own API. */
async function answerOf(evidence: string, claim: string) {
  claims += 1
  const token = await app.principal({ id: `reader-${claims}`, namespace: `claims-${claims}` })
  await app.call('POST', '/v1/ingest', { token, scope: 'a', body: { units: [{ text: evidence }] } })
  server.chat = ({ user }) => {
    const [, passage = '1'] = /<<< passage (\d+)/.exec(user) ?? []
    return JSON.stringify({ statements: [{ text: claim, sources: [{ passage: Number(passage), quote: evidence }] }] })
  }
  const { status, body } = await app.call('POST', '/v1/answer', { token, body: { q: evidence } })
  expect(status).toBe(200)
  expect(body.answer.model).not.toBe('extractive')
  return body
}

it.each(inventions.filter((_, i) => i % 4 === 0))(
  'keeps out what a chat model invents: %s',
  async (_, evidence, claim) => {
    const { answer, trace } = await answerOf(evidence, claim)
    expect(answer).toMatchObject({ abstained: true, citations: [], nli_faithfulness: null })
    expect(trace.answer.removed).toBe(1)
  },
)

it.each(paraphrases.filter((_, i) => i % 6 === 0))(
  'keeps what a chat model says in other words: %s',
  async (_, evidence, claim) => {
    const { answer } = await answerOf(evidence, claim)
    expect(answer.abstained).toBe(false)
    expect(answer.citations).toMatchObject([{ quote: evidence }])
    expect(answer.faithfulness.min).toBeGreaterThanOrEqual(0.5)
  },
)

const source = { passage: 1, quote: 'The crane lifts 12 tons.' }
const sentence = 'The crane lifts 12 tons and stands on pier four. '
const list = (statements: unknown) => JSON.stringify({ statements })

/** What a model may reply: each would hold the event loop for a second, or for longer. */
const replies: readonly (readonly [name: string, reply: string])[] = [
  ['5,000 statements', list(Array.from({ length: 5_000 }, () => ({ text: sentence, sources: [source] })))],
  ['5,000 sentences in a statement', list([{ text: sentence.repeat(2_000), sources: [source] }])],
  ['many short sentences', list(Array(12).fill({ text: 'It is. '.repeat(280), sources: Array(8).fill(source) }))],
  ['5,000 sources', list([{ text: sentence, sources: Array(1_000).fill(source) }])],
  ['a quote without end', list([{ text: sentence, sources: [{ passage: 1, quote: '"- '.repeat(30_000) }] }])],
  ['white space', list([{ text: `${' '.repeat(90_000)}x`, sources: [source] }])],
  ['reasoning that begins again and again', '<think>'.repeat(14_000)],
  ['braces that open again and again', '{'.repeat(100_000)],
  ['braces in braces', `${'{"a":'.repeat(19_000)}1`],
  ['a reply of 20 MB', list([{ text: 'x'.repeat(20_000_000), sources: [source] }])],
]

const maxMs = 50

/** The most CPU time that this thread took between two rounds of its event loop, in ms. */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longest = 0
  let used = threadCpuMs()
  let isOver = false
  const round = () => {
    const now = threadCpuMs()
    longest = Math.max(longest, now - used)
    used = now
    if (!isOver) setImmediate(round)
  }
  setImmediate(round)
  await work()
  isOver = true
  return longest
}

it('an answer has at most 50 sentences, and the trace counts the others', async () => {
  const statement = { text: 'The crane lifts 12 tons. '.repeat(20), sources: [source] }
  server.chat = () => list(Array(12).fill(statement))
  const body = { q: 'How much does the crane lift?' }
  const { body: found } = await app.call('POST', '/v1/answer', { token, body })
  expect(found.answer.text.match(/\[1\]/g)).toHaveLength(50)
  expect(found.trace.answer.removed).toBe(12 * 20 - 50)
})

// The last one is refused so often that the provider is paused.
it.each(replies)('a chat model may reply with %s', async (_, reply) => {
  let asked = 0
  const answer = async () => {
    server.chat = () => {
      asked += 1
      return reply
    }
    const { status, body } = await app.call('POST', '/v1/answer', {
      token,
      body: { q: 'How much does the crane lift?' },
    })
    expect(status).toBe(200)
    expect(body.answer.citations.length).toBeLessThanOrEqual(50)
  }
  await answer()
  expect(asked).toBe(1)
  expect(await least(maxMs, () => longestTurn(answer))).toBeLessThan(maxMs)
})
