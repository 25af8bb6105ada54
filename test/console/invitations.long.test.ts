import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from '../support/browser/axe.ts'
import { noBrowser, signInWithKey } from '../support/browser/browser.ts'
import { type OpenConsole, openConsole } from '../support/browser/open-console.ts'

describe.skipIf(noBrowser)(`invitations in a browser${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: OpenConsole
  let page: Page
  let link: string

  beforeAll(async () => {
    opened = await openConsole()
    const grants = [{ scope: '*', perms: ['read', 'write', 'admin'] as const }]
    const key = await opened.app.principal({ id: 'boss', namespace: 'crew', grants })
    page = await (await opened.window()).newPage()
    await signInWithKey(page, key)
  })
  afterAll(() => opened?.close())

  const make = async () => {
    await page.goto(`${opened.url}/access/invitations`)
    await page.getByRole('button', { name: 'Invite', exact: true }).press('Enter')
    const form = page.getByRole('form', { name: 'Invite' })
    await expect.poll(() => form.getByRole('group', { name: 'Permissions' }).getByRole('checkbox').count()).toBe(3)
    await form.getByRole('button', { name: 'Make link' }).press('Enter')
    const made = page.getByRole('textbox', { name: 'Invitation link' })
    await expect.poll(() => made.inputValue()).toMatch(/\/join#svc_inv_\w{32}$/)
    return made.inputValue()
  }

  it('are made, shown once, copied, and accepted by someone new', async () => {
    link = await make()
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(link)
    await expect.poll(() => violations(page)).toEqual([])
    await page.reload()
    await page.getByRole('table', { name: 'Invitations' }).getByText('open').waitFor()
    await expect.poll(() => page.getByText('svc_inv_').count()).toBe(0)
    const guest = await (await opened.window()).newPage()
    await guest.goto(link)
    await guest.getByRole('button', { name: 'Create an account' }).press('Enter')
    await guest.getByRole('textbox', { name: 'Name' }).fill('Ada')
    await guest.getByRole('textbox', { name: 'E-mail' }).fill('ada@example.com')
    await guest.getByLabel('Password').fill('correct horse battery')
    await guest.getByLabel('Password').press('Enter')
    await guest.getByRole('button', { name: 'Accept' }).press('Enter')
    await guest.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await expect.poll(() => new URL(guest.url()).searchParams.get('namespace')).toBe('crew')
    await expect.poll(() => guest.url()).not.toContain('svc_inv_')
    await guest.goto(link)
    await guest.getByText('This link does not work').waitFor()
  })

  it('can be revoked, and fit 360 px in both themes', async () => {
    const revoked = await make()
    for (const theme of ['light', 'dark'] as const) {
      const window = await opened.window({ theme, width: 360 })
      const narrow = await window.newPage()
      await narrow.goto(revoked)
      await narrow.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
      await expect.poll(() => violations(narrow)).toEqual([])
      await expect.poll(() => narrow.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
      await window.close()
    }
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByText('The link for anyone no longer works.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('table', { name: 'Invitations' }).getByText('revoked').waitFor()
    await page.goto(revoked)
    await page.getByText('This link does not work').waitFor()
  })

  it('broke no policy, called no other host, and logged no error', () => {
    expect(opened.problems).toEqual([])
  })
})
