import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { taken } from '../../support/documents/files.ts'
import { makePdf } from '../../support/documents/make-pdf.ts'
import { damagedPng, makePng, vastPng } from '../../support/documents/make-png.ts'
import { makeTiff } from '../../support/documents/make-tiff.ts'
import { inferenceOf } from '../../support/models/remote-models.ts'
import { writeTinyOcr } from '../../support/onnx/tiny-ocr.ts'
import { tempDir } from '../../support/temp-dir.ts'

const scope = 'shelf'

/** 160 × 80 pixels of white with a black bar from (40, 20) to (120, 30). */
const isBar = (x: number, y: number) => x >= 40 && x < 120 && y >= 20 && y < 30
const sign = makePng(160, 80, {}, (x, y) => (isBar(x, y) ? 0 : 255))
/** The same as the data of a picture in a PDF, in hexadecimal. */
const signHex = Array.from({ length: 160 * 80 }, (_, i) => (isBar(i % 160, Math.floor(i / 160)) ? '00' : 'ff')).join('')
const drawnBy = (matrix: string) => ({
  lines: [],
  drawing: `q ${matrix} cm BI /W 160 /H 80 /CS /G /BPC 8 /F /AHx ID ${signHex}> EI Q`,
})

describe('text in pictures on this machine', () => {
  const models = tempDir('models')
  let app: TestApp
  let token: string

  beforeAll(async () => {
    writeTinyOcr(models.path, 'QUAY 7 CLOSED')
    app = await boot({ config: { inference: inferenceOf({ MODELS_DIR: models.path }) } })
    token = await app.principal({ id: 'librarian', namespace: 'library' })
  })
  afterAll(async () => {
    await app.close()
    models.remove()
  })

  async function units(docId: string) {
    const { body } = await app.call('GET', '/v1/units?limit=100', { token })
    return body.units.filter((unit: { doc_id: string }) => unit.doc_id === docId)
  }

  /** The box of a bar: the model's is a little larger. */
  const around = (x: number, y: number, w: number, h: number) => {
    const near = (value: number) => expect.closeTo(value, 1)
    return { x: near(x), y: near(y), w: near(w), h: near(h) }
  }

  test('a picture is found by its words, with the box around them', async () => {
    expect(await taken(app, token, 'photos/sign.png', sign, { scope })).toMatchObject({ status: 'ready', detail: null })
    expect(await units('photos/sign.png')).toMatchObject([
      { modality: 'image', text: 'sign', locator: { kind: 'bbox', x: 0, y: 0, w: 1, h: 1 } },
      {
        modality: 'ocr',
        text: 'QUAY 7 CLOSED',
        locator: { kind: 'bbox', ...around(0.2, 0.16, 0.6, 0.31) },
        metadata: { path: 'photos/sign.png' },
      },
    ])
    const { body } = await app.call('POST', '/v1/search', { token, body: { q: 'which quay is closed' } })
    expect(body.hits[0]).toMatchObject({ doc_id: 'photos/sign.png', modality: 'ocr' })
    expect(body.hits[0].locator.w).toBeLessThan(0.7)
  })

  test.each([
    ['upright, in a corner', '300 0 0 150 300 650', { x: 0.5 + 0.22 / 2, y: 0.2 * 0.1875, w: 0.28, h: 0.06 }],
    ['that runs up', '0 600 -300 0 300 100', { x: 0.1, y: 0.29, w: 0.12, h: 0.42 }],
    ['that runs down', '0 -600 300 0 0 700', { x: 0.28, y: 0.29, w: 0.12, h: 0.42 }],
    ['upside down', '-600 0 0 -300 600 300', { x: 0.22, y: 0.83, w: 0.56, h: 0.1 }],
  ])('a page that is one picture %s has boxes on the page', async (name, matrix, { x, y, w, h }) => {
    await taken(app, token, `${name}.pdf`, makePdf([drawnBy(matrix)]), { scope })
    const found = await units(`${name}.pdf`)
    expect(found.map(({ modality }: { modality: string }) => modality)).toEqual(['doc_page', 'ocr'])
    expect(found[0]).toMatchObject({ text: null, locator: { page: 1, x: 0, y: 0, w: 1, h: 1 } })
    expect(found[1]).toMatchObject({
      text: 'QUAY 7 CLOSED',
      locator: { page: 1, ...around(x, y, w, h) },
      metadata: { page: 1 },
    })
  })

  test('each page of a scan is read, with the boxes on it', async () => {
    const page = { width: 160, height: 80, pixel: (x: number, y: number) => (isBar(x, y) ? 0 : 255) }
    const scan = makeTiff([page, { ...page, pixel: () => 255 }, page])
    expect(await taken(app, token, 'scan.tiff', scan, { scope })).toMatchObject({ status: 'ready', detail: null })
    const found = await units('scan.tiff')
    const pages = found.map(({ modality, metadata }: { modality: string; metadata: object }) => [modality, metadata])
    expect(pages).toEqual(expect.arrayContaining([1, 2, 3].map((n) => ['doc_page', { path: 'scan.tiff', page: n }])))
    const words = found.filter(({ modality }: { modality: string }) => modality === 'ocr')
    expect(words.map(({ locator }: { locator: { page: number } }) => locator.page).sort()).toEqual([1, 3])
    expect(words[0]).toMatchObject({ text: 'QUAY 7 CLOSED', locator: around(0.2, 0.16, 0.6, 0.31) })
  })

  test('a damaged picture, and one that claims to be vast, are ready and say what was not read', async () => {
    for (const [name, bytes, detail] of [
      ['damaged.png', damagedPng(sign), 'The picture is damaged: its text could not be read.'],
      ['vast.png', vastPng(sign), 'The picture is too large for its text to be read.'],
    ] as const) {
      expect(await taken(app, token, name, bytes, { scope })).toMatchObject({ status: 'ready', reason: null, detail })
      expect(await units(name)).toMatchObject([{ modality: 'image', text: name.replace('.png', '') }])
    }
  })

  // They mostly wait, so they run concurrently.
  test.concurrent('a model that comes while the service runs reads what is sent from then on', async () => {
    const later = tempDir('later-models')
    const running = await boot({ config: { inference: inferenceOf({ MODELS_DIR: later.path }) } })
    const librarian = await running.principal({ id: 'librarian', namespace: 'library' })
    expect(await taken(running, librarian, 'before.png', sign, { scope })).toMatchObject({ status: 'ready', units: 1 })
    writeTinyOcr(later.path, 'MIND THE GAP')
    expect(await taken(running, librarian, 'after.png', sign, { scope })).toMatchObject({ status: 'ready', units: 2 })
    rmSync(join(later.path, 'ocr'), { recursive: true })
    expect(await taken(running, librarian, 'last.png', sign, { scope })).toMatchObject({ status: 'ready', units: 1 })
    await running.close()
    later.remove()
  })

  test.concurrent('with a file that is not the model’s the Units stand, and the text follows when it is', async ({
    expect,
  }) => {
    const other = tempDir('other-models')
    writeTinyOcr(other.path, 'MIND THE GAP')
    const file = join(other.path, 'ocr/dict.txt')
    writeFileSync(file, 'x\n')
    const second = await boot({ config: { inference: inferenceOf({ MODELS_DIR: other.path }) } })
    const librarian = await second.principal({ id: 'librarian', namespace: 'library' })
    const document = await taken(second, librarian, 'gap.png', sign, { scope })
    expect(document).toMatchObject({ status: 'ready', reason: null, units: 1 })
    writeTinyOcr(other.path, 'MIND THE GAP')
    const texts = async () => {
      const { body } = await second.call('GET', '/v1/units', { token: librarian })
      return body.units.map(({ text }: { text: string }) => text)
    }
    await expect.poll(texts, { interval: 250 }).toContain('MIND THE GAP')
    await second.close()
    other.remove()
  })
})
