import { existsSync, readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampled } from '../support/amounts.ts'
import { noBrowser, overflow, visit } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'

const build = new URL('../../src/http/reference/dist/', import.meta.url)
const isBuilt = existsSync(build) && readdirSync(build).length > 0
const missing = noBrowser ?? (isBuilt ? null : 'needs the page: npm run build:reference')

describe.skipIf(missing)(`the API reference in Chromium${missing ? ` (${missing})` : ''}`, () => {
  let opened: SeededConsole
  beforeAll(async () => {
    opened = await openSeededConsole()
  })
  afterAll(async () => {
    await opened?.close()
  })

  it.each(sampled(['light', 'dark'] as const, 1))('shows the operations and sends a request, %s', async (theme) => {
    const { page, problems } = await visit(opened.browser, opened.url, { theme })
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        console.error(`policy: ${violatedDirective} ${blockedURI}`)
      })
    })
    await page.goto('/reference')
    await page.getByPlaceholder('Token').first().fill(opened.admin)
    await expect
      .poll(() => page.evaluate('getComputedStyle(document.body).backgroundColor'))
      .toBe(theme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(17, 18, 20)')
    await page.goto('/reference#tag/search/POST/v1/search')
    await page.getByRole('heading', { name: 'Hybrid search over the allowed scopes and planes' }).waitFor()
    await page.getByRole('button', { name: 'Test Request (post /v1/search)' }).click()
    const dialog = page.getByRole('dialog')
    const answered = page.waitForResponse((response) => response.url() === `${opened.url}/v1/search`)
    await dialog.getByRole('button', { name: /^Send/ }).first().click()
    const answer = await answered
    expect(await answer.request().headerValue('authorization')).toBe(`Bearer ${opened.admin}`)
    const { hits } = await answer.json()
    await dialog.getByText('200 OK').waitFor()
    await dialog.getByText(hits[0].unit_id).waitFor()

    // The key is nowhere where it would outlive the tab.
    expect(JSON.stringify(await page.context().storageState({ indexedDB: true }))).not.toContain(opened.admin)
    await expect.poll(() => page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(opened.admin)
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('tells a wrong key, and fits a telephone', async () => {
    const { page, problems } = await visit(opened.browser, opened.url, { width: 390 })
    await page.goto('/reference#tag/service/GET/v1/context')
    await page.getByRole('button', { name: 'Test Request (get /v1/context)' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByPlaceholder('Token').fill('svc_sk_wrong')
    await dialog.getByRole('button', { name: /^Send/ }).first().click()
    await dialog.getByText('401').first().waitFor()
    await expect.poll(() => overflow(page)).toBe(0)
    expect(problems).toEqual([])
    await page.context().close()
  })
})
