import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from '../support/browser/axe.ts'
import { noBrowser } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'

describe.skipIf(noBrowser)(`pages with nothing to show${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  let writer: string
  let reader: string
  beforeAll(async () => {
    opened = await openSeededConsole()
    writer = await opened.app.principal({ id: 'first', namespace: 'empty' })
    reader = await opened.app.principal({ id: 'second', namespace: 'empty', grants: [{ scope: '*', perms: ['read'] }] })
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  it.each(['/search', '/search?q=payment', '/search?q=payment&compare=1&b.q=audit'])(
    '%s leads someone who may write to the upload',
    async (path) => {
      const page = await opened.open(path, { key: writer, width: 360 })
      await page.getByText('Nothing here that you may read.').first().waitFor()
      await expect.poll(() => violations(page)).toEqual([])
      await page.getByRole('link', { name: 'Upload files' }).first().click()
      await page.getByRole('dialog', { name: 'Upload files' }).getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Upload' }).waitFor()
      await expect.poll(() => new URL(page.url()).searchParams.has('upload')).toBe(false)
      await page.getByText('Drop files on this page').waitFor()
      await page.context().close()
    },
  )

  it.each(['/search', '/search?q=payment', '/documents', '/documents?view=units'])(
    '%s names another way to someone who may only read',
    async (path) => {
      const page = await opened.open(path, { key: reader })
      await page.getByText('Choose another scope, or ask an admin for access.').waitFor()
      await expect.poll(() => page.getByRole('link', { name: 'Upload files' }).count()).toBe(0)
      await expect.poll(() => page.getByText('press Upload').count()).toBe(0)
      await page.context().close()
    },
  )

  it('a search that finds nothing where something is in says so, and Ask leads to what is in', async () => {
    const page = await opened.open('/search?q=payment&doc=no-such-document&scope=*')
    await page.getByText('Nothing fits.').waitFor()
    await page.goto('/ask?scope=*')
    await page.getByText('Type a question').waitFor()
    await page.getByRole('link', { name: 'See what there is' }).click()
    await page.getByRole('table', { name: 'Documents' }).waitFor()
    await page.context().close()
  })
})
