import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { inference, minilm, paraphrases, texts } from '../../support/models/default-model.ts'

let app: TestApp
let token: string
const search = async (q: string) => (await app.call('POST', '/v1/search', { token, body: { q } })).body
const ingest = (units: object[]) => app.call('POST', '/v1/ingest', { token, scope: 'coast', body: { units } })
const planesOf = async () => (await app.call('GET', '/v1/catalog/stats', { token })).body.planes

describe('the embedding model that comes with the service', () => {
  beforeAll(async () => {
    app = await boot({ config: { inference } })
    token = await app.principal({ id: 'keeper', namespace: 'coast' })
    expect((await ingest(texts.map((text) => ({ text })))).body.indexed).toBe(true)
  })
  afterAll(() => app?.close())

  test('finds texts by their meaning, in every plane', async () => {
    await ingest([{ text: 'a kitten asleep on a sofa', modality: 'image' }])
    for (const [i, q] of paraphrases.entries()) expect((await search(q)).hits[0].text).toBe(texts[i])
    const { hits, trace } = await search('young cat resting on the couch')
    expect([hits[0].plane, trace.degraded]).toEqual(['visual', []])
    expect((await planesOf())[0]).toMatchObject({ model: minilm, dims: 384 })
  })

  test('gives a text the same vector, whatever is embedded with it', async () => {
    const { inference: models } = app.runtime.bindings
    const [alone] = await models.embed('text', [texts[0] ?? ''], 'passage')
    const together = await models.embed('text', [...texts, 'x '.repeat(300)], 'passage')
    expect(together[0]).toEqual(alone)
  })

  test('leaves callers’ own vectors a model of their own, of any length', async () => {
    const { status } = await ingest([{ text: 'its own', modality: 'audio_utterance', vector: [1, 2, 3] }])
    const planes = await planesOf()
    expect([status, planes[2].model, planes[2].dims, planes[0].model]).toEqual([200, 'own', 3, minilm])
  })
})
