import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { type ModelServer, startModelServer } from '../../support/models/model-server.ts'
import { chatSettings, inferenceOf } from '../../support/models/remote-models.ts'
import { inventions, paraphrases } from '../../unit/faithfulness-examples.ts'

let server: ModelServer
let app: TestApp
beforeAll(async () => {
  server = await startModelServer()
  app = await boot({ config: { inference: inferenceOf(chatSettings(server.url)) } })
})
afterAll(async () => {
  await app.close()
  await server[Symbol.asyncDispose]()
})

let asked = 0

/** The chat model's answer to this evidence, which cites all of it, through the service's own API. */
async function answerOf(evidence: string, claim: string) {
  asked += 1
  const token = await app.principal({ id: `reader-${asked}`, namespace: `claims-${asked}` })
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
