import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { threadCpuMs } from '../../support/event-loop/watch-event-loop.ts'
import { type ModelServer, startModelServer } from '../../support/models/model-server.ts'
import { chatSettings, inferenceOf } from '../../support/models/remote-models.ts'
import { least } from '../../support/waited.ts'

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
