import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '../../support/boot.ts'
import { boot } from '../../support/boot.ts'
import { createStorage } from '../../support/database/database.ts'
import { harbourOf } from '../../support/models/model-change.ts'
import { embeddingDims, type ModelServer, startModelServer } from '../../support/models/model-server.ts'
import { inferenceOf, openAiSettings } from '../../support/models/remote-models.ts'
import { tinySettings } from '../../support/onnx/local-models.ts'
import { tempDir } from '../../support/temp-dir.ts'

const texts = ['An anchor of iron', 'A rope of hemp']
const dims = String(embeddingDims)
/** The new model rejects these texts, so the model change makes no progress. */
const holdUp = (_path: string, { model, input }: { model: string; input: string[] }) =>
  model === 'new' && input.some((text) => texts.includes(text)) ? 401 : null

let server: ModelServer
let app: TestApp | null = null

beforeAll(async () => {
  server = await startModelServer()
})
afterEach(async () => {
  await app?.close()
  app = null
})
afterAll(() => server[Symbol.asyncDispose]())

/** The first settings embed the Units; each `start` then restarts the service with other settings. */
async function changing(first: Record<string, string>) {
  const storage = await createStorage()
  const start = async (settings: Record<string, string>) => {
    await app?.close({ keep: true })
    app = await boot({ storage, config: { inference: inferenceOf(settings) } })
    return app
  }
  const started = await start(first)
  const token = await started.principal({ id: 'ada', namespace: 'ports' })
  const port = await harbourOf(started, token, 'ports')
  await port.ingest(texts)
  // A model that is loaded for the first time embeds later.
  await expect.poll(async () => (await port.stats()).vectors, { timeout: 60_000 }).toBe(texts.length)
  return async (settings: Record<string, string>) => harbourOf(await start(settings), token, 'ports')
}

test('searches use the old vectors while a server’s model takes the place of another, if that is named', async () => {
  const { INFERENCE = '', INFERENCE_BASE_URL = '', INFERENCE_API_KEY = '' } = openAiSettings(server.url)
  const openai = { INFERENCE, INFERENCE_BASE_URL, INFERENCE_API_KEY }
  const restart = await changing({ ...openai, EMBED_MODEL: 'old', EMBED_DIMS: dims })
  const now = { ...openai, EMBED_MODEL: 'new', EMBED_DIMS: dims }
  server.refuse = holdUp

  const port = await restart({ ...now, FORMER_EMBED_MODEL: 'old', FORMER_EMBED_DIMS: dims })
  const found = await port.find({ q: 'iron anchor' })
  expect([found.texts[0], found.trace.degraded]).toEqual([texts[0], []])
  expect(found.hits[0].explain.map(({ leg }: { leg: string }) => leg)).toContain('vector:text')
  expect((await port.plane()).modelChange).toMatchObject({ model: `openai:old@${dims}`, done: 0, left: 2 })

  const unnamed = await restart(now)
  expect((await unnamed.find({ q: 'iron anchor' })).trace.degraded).toEqual(['vector:text'])

  server.refuse = () => null
  const after = await restart({ ...now, FORMER_EMBED_MODEL: 'old', FORMER_EMBED_DIMS: dims })
  await after.settled()
  server.asked = []
  expect((await after.find({ q: 'hemp rope' })).texts[0]).toBe(texts[1])
  expect(server.asked.map(({ body }) => body.model)).toEqual(['new'])
})

describe('with local models', () => {
  test('the model that comes with the service needs no name', async () => {
    const { INFERENCE_BASE_URL = '', INFERENCE_API_KEY = '' } = openAiSettings(server.url)
    const openai = { INFERENCE: 'openai', INFERENCE_BASE_URL, INFERENCE_API_KEY }
    const restart = await changing({})
    server.refuse = holdUp
    const port = await restart({ ...openai, EMBED_MODEL: 'new', EMBED_DIMS: dims })
    // No search waits until it is loaded.
    const found = async () => {
      const { texts, trace, hits } = await port.find({ q: 'iron anchor' })
      return [texts[0], trace.degraded, hits[0].explain.map(({ leg }: { leg: string }) => leg)]
    }
    await expect.poll(found, { timeout: 120_000 }).toEqual([texts[0], [], ['text', 'vector:text']])
    expect((await port.plane()).modelChange).toMatchObject({ model: 'minilm-l6-v2@384/ort', left: 2 })
    server.refuse = () => null
  })

  test('the same from this machine to a server', async () => {
    const directory = tempDir('former-model')
    const { MODELS_DIR = '' } = tinySettings(directory.path)
    const { INFERENCE_BASE_URL = '', INFERENCE_API_KEY = '' } = openAiSettings(server.url)
    const restart = await changing({ INFERENCE: 'onnx', MODELS_DIR, EMBED_MODEL: 'embed' })
    server.refuse = holdUp
    const port = await restart({
      INFERENCE: 'openai',
      INFERENCE_BASE_URL,
      INFERENCE_API_KEY,
      EMBED_MODEL: 'new',
      EMBED_DIMS: dims,
      FORMER_EMBED_PROVIDER: 'onnx',
      FORMER_EMBED_MODEL: 'embed',
      MODELS_DIR,
    })
    const found = await port.find({ q: 'iron anchor' })
    expect([found.texts[0], found.trace.degraded]).toEqual([texts[0], []])
    expect((await port.plane()).modelChange).toMatchObject({ model: 'embed@16/ort', left: 2 })
    server.refuse = () => null
    directory.remove()
  })
})
