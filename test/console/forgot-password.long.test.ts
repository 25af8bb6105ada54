import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../support/access/browser.ts'
import { violations } from '../support/browser/axe.ts'
import { noBrowser } from '../support/browser/browser.ts'
import { type OpenConsole, openConsole } from '../support/browser/open-console.ts'

describe.skipIf(noBrowser)(`accounts with mail in a browser${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let hook: Server
  let opened: OpenConsole
  const mails: { kind: string; to: string; url: string }[] = []

  beforeAll(async () => {
    hook = createServer(async (request, response) => {
      mails.push((await json(request)) as (typeof mails)[number])
      response.end()
    })
    hook.listen(0, '127.0.0.1')
    await once(hook, 'listening')
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`
    opened = await openConsole({ mail: { kind: 'webhook', url } })
    opened.app.runtime.listensAt(opened.url)
    await openBrowser(opened.app).signUp('ada@example.com')
  })
  afterAll(async () => {
    hook.close()
    hook.closeAllConnections()
    await opened?.close()
  })

  it('a forgotten password begins on the sign-in page, and ends by the link', async () => {
    const page = await (await opened.window({ width: 360 })).newPage()
    await page.goto(`${opened.url}/welcome`)
    await page.getByRole('button', { name: 'Forgot password' }).press('Enter')
    await page.getByRole('textbox', { name: 'E-mail' }).fill('ada@example.com')
    await page.getByRole('button', { name: 'Send link' }).press('Enter')
    await page.getByRole('status').getByText('on its way').waitFor()
    await expect.poll(() => violations(page)).toEqual([])
    await expect.poll(() => mails.some(({ kind }) => kind === 'reset-password')).toBe(true)
    const link = mails.find(({ kind }) => kind === 'reset-password')?.url ?? ''
    expect(link).toContain(`${opened.url}/reset-password?token=`)

    await page.goto(link)
    await page.getByLabel('New password').fill('another horse, another staple')
    await expect.poll(() => violations(page)).toEqual([])
    await expect.poll(() => page.url()).toBe(`${opened.url}/reset-password`)
    await page.getByRole('button', { name: 'Set password' }).press('Enter')
    await page.getByText('The password is set').waitFor()
    await page.getByRole('button', { name: 'Sign in' }).press('Enter')
    await page.getByRole('textbox', { name: 'E-mail' }).fill('ada@example.com')
    await page.getByLabel('Password').fill('another horse, another staple')
    await page.getByRole('button', { name: 'Sign in', exact: true }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()

    await page.goto(link)
    await page.getByLabel('New password').fill('a third horse and staple')
    await page.getByRole('button', { name: 'Set password' }).press('Enter')
    await page.getByRole('alert').waitFor()
    expect(opened.problems).toEqual([])
  })

  it('an account is open once the address is verified by the link in a mail', async () => {
    const page = await (await opened.window({ width: 360 })).newPage()
    const signIn = async (button: string) => {
      await page.getByRole('textbox', { name: 'E-mail' }).fill('bea@example.com')
      await page.getByLabel('Password').fill('correct horse battery')
      await page.getByRole('button', { name: button, exact: true }).press('Enter')
    }
    const isSent = () => page.getByRole('status').getByText('A link was sent to bea@example.com').waitFor()
    await page.goto(`${opened.url}/welcome`)
    await page.getByRole('button', { name: 'Create an account' }).press('Enter')
    await page.getByRole('textbox', { name: 'Name' }).fill('Bea')
    await signIn('Create account')
    await isSent()
    await expect.poll(() => violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Back to sign in' }).press('Enter')
    await signIn('Sign in')
    await isSent()

    const mail = () => mails.find(({ kind, to }) => kind === 'verify-email' && to === 'bea@example.com')
    await expect.poll(mail).toBeDefined()
    await page.goto(mail()?.url ?? '')
    await signIn('Sign in')
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    expect(opened.problems).toEqual([])
  })
})
