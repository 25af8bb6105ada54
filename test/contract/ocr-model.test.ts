import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../support/boot.ts'
import { taken } from '../support/documents/files.ts'
import { inferenceOf } from '../support/models/remote-models.ts'

/** A directory with `ocr/`, as `model add ocr` fills it. */
const models = process.env.OCR_MODELS_DIR ?? fileURLToPath(new URL('../../../shared/models', import.meta.url))
const hasModel = existsSync(`${models}/ocr/model.json`)

describe.skipIf(!hasModel)('the real model of text in pictures (needs OCR_MODELS_DIR)', () => {
  let app: TestApp
  let token: string

  beforeAll(async () => {
    app = await boot({ config: { inference: inferenceOf({ MODELS_DIR: models }) } })
    token = await app.principal({ id: 'librarian', namespace: 'library' })
  })
  afterAll(() => app?.close())

  test('a sign is read as it is written, and found with the box around its words', async () => {
    const sign = readFileSync(new URL('../support/documents/sign.png', import.meta.url))
    expect(await taken(app, token, 'photo-1.png', sign, { scope: 'shelf' })).toMatchObject({ status: 'ready' })
    const { body } = await app.call('POST', '/v1/search', { token, body: { q: 'ferry tickets' } })
    const [{ locator, modality, unit_id }] = body.hits
    const unit = await app.call('GET', `/v1/units/${unit_id}`, { token })
    expect(unit.body.text.split(/\n+/)).toEqual([
      'QUAY 7 CLOSED',
      'until Monday, 14 September',
      'Ferry tickets 12.50 at pier 3',
    ])
    expect(modality).toBe('ocr')
    const { x, y, w, h } = locator
    expect([x, y, x + w, y + h].map((edge) => Math.round(edge * 10) / 10)).toEqual([0, 0.1, 0.6, 0.8])
  })
})
