import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from '../support/browser/axe.ts'
import { noBrowser, visit } from '../support/browser/browser.ts'
import { type OpenConsole, openConsole } from '../support/browser/open-console.ts'
import { taken } from '../support/documents/files.ts'
import { makePng } from '../support/documents/make-png.ts'
import { embeddingDims, type ModelServer, startModelServer } from '../support/models/model-server.ts'
import { chatSettings, inferenceOf } from '../support/models/remote-models.ts'

const boat = makePng(80, 80, {}, () => 10)
const cat = makePng(80, 80, {}, () => 200)

/** Drops a file on the search box, as a hand does. */
const drop = (page: Page, bytes: Buffer, name: string) =>
  page.getByRole('searchbox', { name: 'Search' }).evaluate(
    (box, file) => {
      const data = new DataTransfer()
      const content = Uint8Array.from(atob(file.base64), (letter) => letter.charCodeAt(0))
      data.items.add(new File([content], file.name, { type: 'image/png' }))
      for (const type of ['dragover', 'drop'])
        box.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
    },
    { base64: bytes.toString('base64'), name },
  )

describe.skipIf(noBrowser)(`a picture in the search box${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let server: ModelServer
  let opened: OpenConsole
  beforeAll(async () => {
    server = await startModelServer()
    server.see = (picture) => (picture.equals(boat) ? 'a sailing boat' : 'a sleeping cat')
    const visual = { EMBED_PROVIDER_VISUAL: 'openai', EMBED_MODEL_VISUAL: 'clip', EMBED_IMAGES: 'jina' }
    const settings = { ...chatSettings(server.url), ...visual, EMBED_DIMS_VISUAL: String(embeddingDims) }
    opened = await openConsole({ inference: inferenceOf(settings) })
  })
  afterAll(async () => {
    await opened?.close()
    await server[Symbol.asyncDispose]()
  })

  it('is shown, finds pictures like it, and can be removed', async () => {
    const { app, browser, url, problems } = opened
    const token = await app.principal({ id: 'librarian', namespace: 'library' })
    for (const [name, bytes] of Object.entries({ 'IMG_1.png': boat, 'IMG_2.png': cat }))
      await taken(app, token, name, bytes, { scope: 'shelf' })
    const isNear = async () =>
      (
        await app.call('POST', '/v1/search', { token, body: { q: 'sailing boat', planes: ['visual'] } })
      ).body.trace.legs.find(({ leg }: { leg: string }) => leg === 'vector:visual')?.candidates
    await expect.poll(isNear).toBe(2)
    const { page } = await visit(browser, url, { key: token }, problems)
    await page.goto('/search')
    await drop(page, boat, 'boat.png')
    await page.getByRole('img', { name: 'boat.png' }).waitFor()
    const first = page.getByRole('list', { name: 'Results' }).getByRole('listitem').first()
    await first.waitFor()
    await expect.poll(() => first.innerText()).toContain('IMG_1')
    await expect.poll(() => violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove picture' }).click()
    await page.getByRole('img', { name: 'boat.png' }).waitFor({ state: 'detached' })
    await first.waitFor({ state: 'detached' })
    await drop(page, Buffer.from('text'), 'note.png')
    await page.getByText('note.png is not a picture that this browser can read: choose a PNG, JPEG or WebP.').waitFor()
    expect(problems).toEqual([])
  })

  it('says what is missing where no model reads pictures', async () => {
    const plain = await openConsole()
    try {
      const token = await plain.app.principal({ id: 'librarian', namespace: 'library' })
      const { page } = await visit(plain.browser, plain.url, { key: token }, [])
      await page.goto('/search')
      await drop(page, boat, 'boat.png')
      await page.getByRole('alert').getByText('no model here reads pictures: set EMBED_MODEL_VISUAL').waitFor()
    } finally {
      await plain.close()
    }
  })
})
