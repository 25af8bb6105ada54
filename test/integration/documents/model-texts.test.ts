import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMediaModels } from '../../../src/adapters/inference-remote/media-models.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { taken } from '../../support/documents/files.ts'
import { makePdf } from '../../support/documents/make-pdf.ts'
import { makePng } from '../../support/documents/make-png.ts'
import { makeWav } from '../../support/documents/make-wav.ts'
import { type ModelServer, startModelServer } from '../../support/models/model-server.ts'
import { apiKey, inferenceOf } from '../../support/models/remote-models.ts'
import { tempDir } from '../../support/temp-dir.ts'

const scope = 'shelf'

let server: ModelServer
let app: TestApp
let token: string

const settings = () => ({
  INFERENCE: 'openai',
  INFERENCE_BASE_URL: `${server.url}/v1`,
  INFERENCE_API_KEY: apiKey,
  OCR_MODEL: 'reader',
  CAPTION_MODEL: 'describer',
  TRANSCRIBE_MODEL: 'whisper-1',
})

beforeAll(async () => {
  server = await startModelServer()
  app = await boot({ config: { inference: inferenceOf(settings()) } })
  token = await app.principal({ id: 'librarian', namespace: 'library' })
})

afterAll(async () => {
  await app.close()
  await server[Symbol.asyncDispose]()
})

beforeEach(() => {
  Object.assign(server, { asked: [], faults: [], always: null, faultyPath: '' })
  server.chat = ({ body }) => (body.model === 'reader' ? 'QUAY 7 CLOSED' : 'A sign on a harbour wall.')
  server.transcribe = () => ({
    text: 'All aboard. Mind the gap.',
    segments: [
      { start: 0, end: 0.4, text: ' All aboard.' },
      { start: 0.5, end: 0.9, text: ' Mind the gap.' },
    ],
  })
})

async function units(docId: string) {
  const { body } = await app.call('GET', '/v1/units?limit=100', { token })
  return body.units.filter((unit: { doc_id: string }) => unit.doc_id === docId)
}

/** A page of 600 x 800 with one gray picture over all of it. */
const scan = {
  lines: [],
  drawing: `q 600 0 0 800 0 0 cm BI /W 60 /H 80 /CS /G /BPC 8 /F /AHx ID ${'c8'.repeat(60 * 80)}> EI Q`,
}

test('a picture has its caption and its text', async () => {
  const png = makePng(70, 70)
  const document = await taken(app, token, 'photos/sign.png', png, { scope })
  expect(document).toMatchObject({ status: 'ready', units: 1 })
  const [unit] = await units('photos/sign.png')
  expect(unit).toMatchObject({ modality: 'image', text: 'sign\nA sign on a harbour wall.\nQUAY 7 CLOSED' })
  expect(server.asked.map(({ body }) => body.model).sort()).toEqual(['describer', 'reader'])
  for (const { headers, body } of server.asked) {
    expect(headers.authorization).toBe(`Bearer ${apiKey}`)
    const [, picture] = body.messages[0].content
    expect(picture.image_url.url).toBe(`data:image/png;base64,${png.toString('base64')}`)
  }
})

test('a page without text is read from its picture; one with text is not', async () => {
  const pdf = makePdf([scan, { lines: [{ x: 50, y: 700, text: 'A page with words of its own.' }] }, { lines: [] }])
  const document = await taken(app, token, 'scan.pdf', pdf, { scope })
  expect(document).toMatchObject({ status: 'ready', reason: null })
  const pages = (await units('scan.pdf')).filter((unit: { modality: string }) => unit.modality === 'doc_page')
  expect(pages.map((unit: { text: string | null }) => unit.text)).toEqual(['QUAY 7 CLOSED', null])
  expect(pages[0]).toMatchObject({ locator: { page: 1, x: 0, y: 0, w: 1, h: 1 }, metadata: { page: 1 } })
  expect(server.asked).toHaveLength(1)
  const [, picture] = server.asked[0]?.body.messages[0].content ?? []
  expect(Buffer.from(picture.image_url.url.split(',')[1], 'base64').toString('latin1')).toMatch(/^.PNG/)
  const { body } = await app.call('POST', '/v1/search', { token, body: { q: 'quay closed' } })
  expect(body.hits.map((hit: { doc_id: string }) => hit.doc_id)).toContain('scan.pdf')
})

test('a recording becomes its sentences with their times', async () => {
  await taken(app, token, 'tapes/ferry.wav', makeWav(), { scope })
  expect(server.asked[0]).toMatchObject({
    path: '/v1/audio/transcriptions',
    body: { model: 'whisper-1', response_format: 'verbose_json', file: { name: 'ferry.wav', size: makeWav().length } },
  })
  const found = await units('tapes/ferry.wav')
  expect(found).toMatchObject([
    { modality: 'audio_utterance', text: 'All aboard.', locator: { t_start_ms: 0, t_end_ms: 400 } },
    { modality: 'audio_utterance', text: 'Mind the gap.', locator: { t_start_ms: 500, t_end_ms: 900 } },
  ])
  // The name still finds it.
  const { body } = await app.call('POST', '/v1/search', { token, body: { q: 'ferry' } })
  expect(body.hits.map((hit: { doc_id: string }) => hit.doc_id)).toContain('tapes/ferry.wav')
})

test('a model without times, and a recording that it does not take', async () => {
  const folder = tempDir('recording')
  const recording = { path: join(folder.path, 'speech.wav'), name: 'speech.wav', mime: 'audio/wav' }
  await writeFile(recording.path, makeWav())
  const { transcribe } = createMediaModels(inferenceOf(settings()).media, { concurrency: 1 })
  server.refuse = (_, body) => (body.response_format === 'json' ? null : 400)
  server.transcribe = () => ({ text: 'One long speech.' })
  const stop = new AbortController().signal
  expect(await transcribe?.(recording, stop)).toEqual([
    { startMs: 0, endMs: 0, text: 'One long speech.', speaker: null },
  ])
  folder.remove()
  server.refuse = () => null
  await taken(app, token, 'speech.wav', makeWav(), { scope })
  server.refuse = () => 413
  const refused = await taken(app, token, 'opera.wav', makeWav(), { scope })
  server.refuse = () => null
  expect(await units('speech.wav')).toMatchObject([
    { text: 'One long speech.', locator: { t_start_ms: 0, t_end_ms: 1000 } },
  ])
  expect(refused).toMatchObject({ status: 'ready', reason: null })
  expect(await units('opera.wav')).toMatchObject([{ text: 'opera' }])
})

test('when a model fails, the Units stand, and the text follows', async () => {
  server.always = { kind: 'status', status: 500 }
  const document = await taken(app, token, 'later.wav', makeWav(), { scope })
  expect(document).toMatchObject({ status: 'ready', reason: null, units: 1 })
  expect(await units('later.wav')).toMatchObject([{ modality: 'audio_utterance', text: 'later' }])
  server.always = null
  await expect.poll(async () => (await units('later.wav')).length, { interval: 250 }).toBe(2)
  const { body } = await app.graphql(
    'query ($id: String!) { document(documentId: $id) { status attempts units } }',
    { id: document.documentId },
    { token },
  )
  expect(body.data.document).toEqual({ status: 'ready', attempts: 1, units: 2 })
})
