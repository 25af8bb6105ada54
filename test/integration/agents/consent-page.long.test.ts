import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser as Chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, password } from '../../support/access/browser.ts'
import { registerAgent } from '../../support/access/oauth.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { noChromium, openBrowser as openChromium, openWindow } from '../../support/browser/browser.ts'
import { type LoggedServer, listen } from '../../support/process/http-server.ts'

describe.skipIf(noChromium)(`in Chromium${noChromium ? ` (${noChromium})` : ''}`, () => {
  let app: TestApp
  let server: LoggedServer
  let chrome: Chromium
  /** The agent's own address, which a browser really reaches. */
  const agentServer = createServer((_, response) => response.end('<h1>Connected</h1>'))
  beforeAll(async () => {
    app = await boot()
    server = await listen(app)
    await openBrowser(app).signUp('ada@example.com')
    agentServer.listen(0, '127.0.0.1')
    chrome = await openChromium()
  })
  afterAll(async () => {
    await chrome.close()
    agentServer.close()
    await server.close()
    await app.close()
  })

  test('a person signs in, narrows the request and allows it, then refuses', async () => {
    const callback = `http://127.0.0.1:${(agentServer.address() as AddressInfo).port}/callback`
    const agent = await registerAgent({ base: server.url, fetch }, { redirect_uris: [callback] })
    const page = await (await openWindow(chrome, server.url, [])).newPage()
    const problems: string[] = []
    page.on('console', (message) => {
      // Neither the page nor the agent's has an icon.
      const isIcon = message.location().url.endsWith('/favicon.ico')
      if (message.type() === 'error' && !isIcon) problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(error.message))
    const request = `${server.url}/oauth/authorize?${agent.ask({ redirect_uri: callback })}`

    await page.goto(request)
    await page.getByRole('textbox', { name: 'E-mail' }).fill('ada@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Connect an agent' }).waitFor()
    await page.getByRole('main').getByText('Notebook agent').first().waitFor()
    await page.getByRole('combobox', { name: 'Namespace' }).selectOption({ index: 1 })
    await page.getByRole('textbox', { name: 'Scope' }).fill('default//main')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('alert').getByText('scope').waitFor()
    await expect.poll(() => problems.splice(0)).toEqual([expect.stringContaining('400')])
    await page.getByRole('textbox', { name: 'Scope' }).fill('default/main')
    await page.getByRole('checkbox', { name: 'Read only' }).check()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Connected' }).waitFor()
    const answer = new URL(page.url()).searchParams
    expect([answer.get('state'), answer.get('iss')]).toEqual(['st ate', server.url])
    const { body } = await agent.exchange(answer.get('code') ?? '', { redirect_uri: callback })
    expect(body).toMatchObject({ scope: 'read', token_type: 'Bearer' })

    await page.goto(request)
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByRole('heading', { name: 'Connected' }).waitFor()
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
    expect(problems).toEqual([])
  })
})
