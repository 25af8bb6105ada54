import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { similarity } from '../../contract/inference.contract.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { taken } from '../../support/documents/files.ts'
import { makePdf } from '../../support/documents/make-pdf.ts'
import { damagedPng, makePng, vastPng } from '../../support/documents/make-png.ts'
import { inferenceOf } from '../../support/models/remote-models.ts'
import { localModels } from '../../support/onnx/local-models.ts'
import { tinyTowers, writeTinyModel } from '../../support/onnx/tiny-models.ts'
import { tempDir } from '../../support/temp-dir.ts'

const scope = 'shelf'

/** Its columns are bright from one to the other. */
const striped = (width: number, height: number, from: number, to: number) =>
  makePng(width, height, {}, (x) => (x >= from && x < to ? 255 : 0))
const dawn = striped(80, 80, 40, 80)
/** Dark at its ends, bright in the middle, which is all that is seen of it. */
const wide = striped(240, 80, 80, 160)

const forPictures = { EMBED_MODEL_VISUAL: 'towers', EMBED_MODEL_DOC_VISUAL: 'towers' }

const directory = tempDir('towers')
const settings = { INFERENCE: 'onnx', MODELS_DIR: directory.path, ...forPictures, INFERENCE_TIMEOUT_MS: '60000' }
afterAll(() => directory.remove())

describe('two towers on this machine', () => {
  let app: TestApp
  let token: string

  beforeAll(async () => {
    writeTinyModel(directory.path, 'towers', tinyTowers())
    app = await boot({ config: { inference: inferenceOf(settings) } })
    token = await app.principal({ id: 'librarian', namespace: 'library' })
  })
  afterAll(() => app.close())

  const search = async (body: object) => {
    const { status, body: result } = await app.call('POST', '/v1/search', { token, body })
    expect(status, JSON.stringify(result)).toBe(200)
    return result
  }
  const found = async (body: object): Promise<string[]> =>
    (await search({ planes: ['visual', 'doc_visual'], ...body })).hits.map(({ doc_id }: { doc_id: string }) => doc_id)
  const embedded = () =>
    expect.poll(async () => {
      const { body } = await app.call('GET', '/v1/compaction', { token })
      return body.planes.reduce((sum: number, { pending }: { pending: number }) => sum + pending, 0)
    })

  test('find pictures and pages that nobody described, and leave bad pictures to the words of their names', async () => {
    const page = Array.from({ length: 80 * 80 }, (_, i) => (i % 80 < 40 ? 'ff' : '00')).join('')
    const drawing = `q 300 0 0 300 100 300 cm BI /W 80 /H 80 /CS /G /BPC 8 /F /AHx ID ${page}> EI Q`
    for (const [name, bytes] of Object.entries({
      'IMG_1.png': dawn,
      'IMG_2.png': wide,
      'IMG_3.png': makePng(3, 3),
      'IMG_4.png': striped(4000, 1, 0, 1000),
      'IMG_5 lamp.png': damagedPng(dawn),
      'IMG_6 harbour.png': vastPng(dawn),
      'scan.pdf': makePdf([{ lines: [], drawing }]),
    }))
      expect(await taken(app, token, name, bytes, { scope })).toMatchObject({ status: 'ready' })
    await embedded().toBe(0)
    const first = async (q: string) => (await found({ q }))[0]
    // A query does not wait until the tower for texts is loaded.
    await expect.poll(async () => (await search({ q: 'dawn' })).trace.degraded).toEqual([])
    expect([await first('dawn'), await first('bright'), await first('dusk')]).toEqual([
      'IMG_1.png',
      'IMG_2.png',
      'scan.pdf',
    ])
    expect((await found({ q: 'dark' })).slice(0, 2).sort()).toEqual(['IMG_3.png', 'IMG_4.png'])
    expect([await first('lamp'), await first('harbour')]).toEqual(['IMG_5 lamp.png', 'IMG_6 harbour.png'])
    const { body } = await app.call('GET', '/v1/catalog/stats', { token })
    expect(body.planes).toMatchObject([
      { plane: 'text', model: 'minilm-l6-v2@384/ort' },
      { plane: 'visual', model: 'towers@3/ort', vectors: 6 },
      { plane: 'audio' },
      { plane: 'doc_visual', model: 'towers@3/ort', vectors: 1 },
    ])
  })

  test('find pictures like the picture of a query', async () => {
    const image = (bytes: Buffer) => ({ base64: bytes.toString('base64') })
    expect((await found({ q: '', image: image(striped(200, 160, 100, 200)) }))[0]).toBe('IMG_1.png')
    expect((await found({ q: '', image: image(makePng(9, 9, {}, () => 255)) }))[0]).toBe('IMG_2.png')
    expect(await found({ q: 'lamp', image: image(damagedPng(dawn)) })).toContain('IMG_5 lamp.png')
  })
})

describe('the numbers of two towers', () => {
  test.each([
    // The middle of the wide picture is bright; the whole of it is a third bright, on both sides.
    ['clip', [1, 1, 0.05]],
    ['jina', [1, 1, 0.05]],
    ['siglip', [-1 / 3, -1 / 3, 0.05]],
  ] as const)('are those that the files of %s ask for', async (family, seen) => {
    writeTinyModel(directory.path, 'towers', tinyTowers(family))
    const { models, close } = await localModels(settings)
    const { inference } = models
    expect(inference.model('visual')).toMatchObject({ name: 'towers@3/ort', dims: 3, images: true })
    expect(inference.model('text').images).toBeUndefined()
    const pictures = [wide, damagedPng(wide), vastPng(wide), dawn].map((bytes) => ({ mime: 'image/png', bytes }))
    const vectors = (await inference.embedImages?.('visual', pictures, 'passage')) ?? []
    expect(vectors.map((vector) => vector === null)).toEqual([false, true, true, false])
    const length = Math.hypot(...seen)
    expect([...(vectors[0] ?? [])]).toEqual(seen.map((value) => expect.closeTo(value / length, 1)))
    const [text, nothing] = await inference.embed('visual', ['dawn', '—'], 'passage')
    expect(similarity(text, vectors[3])).toBeCloseTo(1, 2)
    expect(nothing).toBeNull()
    await close()
  })

  const preprocessor = (change: object) => (folder: string) => {
    const { files = {} } = tinyTowers()
    const asked = { ...(files['preprocessor_config.json'] as object), ...change }
    writeFileSync(join(folder, 'preprocessor_config.json'), JSON.stringify(asked))
  }
  test.each<[string, (folder: string) => void, string]>([
    [
      'no tower for pictures',
      (folder) => rmSync(join(folder, 'onnx/vision_model.onnx')),
      'lacks the file onnx/vision_model.onnx',
    ],
    [
      'no settings for pictures',
      (folder) => rmSync(join(folder, 'preprocessor_config.json')),
      'lacks the file preprocessor_config.json',
    ],
    ['pictures of any size', preprocessor({ do_center_crop: false }), 'reads pictures of any size'],
    ['a crop that is larger', preprocessor({ crop_size: 9 }), 'fills up pictures'],
    ['a vast size', preprocessor({ size: { shortest_edge: 1e6 } }), 'has a damaged file preprocessor_config.json'],
    ['another size than its graph', preprocessor({ size: 4, crop_size: 4 }), 'cannot be run'],
  ])('are refused at the start with %s', async (_, change, problem) => {
    change(writeTinyModel(directory.path, 'towers', tinyTowers()))
    await expect(localModels(settings)).rejects.toThrow(`EMBED_MODEL_VISUAL: towers ${problem}`)
  })
})
