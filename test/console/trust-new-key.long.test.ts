import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { withVariant } from '../support/access/sign-in.ts'
import { noBrowser, signInWithKey } from '../support/browser/browser.ts'
import { type OpenConsole, openConsole } from '../support/browser/open-console.ts'
import { listen } from '../support/process/http-server.ts'

const [first, second] = [randomBytes(32), randomBytes(32)]
const signedBy = (...signingSeeds: Buffer[]) => ({ audit: { ...readConfig({}).audit, signingSeeds } })

describe.skipIf(noBrowser)(`a new signing key in a browser${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: OpenConsole
  beforeAll(async () => {
    opened = await openConsole(signedBy(first))
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  it('is named and kept from trust until a person confirms it, and holds from then on', async () => {
    const token = await opened.app.principal({ id: 'warden', namespace: 'seen' })
    const page = await (await opened.window()).newPage()
    await signInWithKey(page, token)
    const kept = () => page.evaluate(() => localStorage.getItem('console.checkpoint.svc/audit/seen'))
    const region = page.getByRole('region', { name: 'Verification' })
    const verify = async () => {
      await page.goto(`${opened.url}/audit`)
      await page.getByRole('table', { name: 'Audit log' }).waitFor()
      await page.getByRole('button', { name: 'Verify' }).click()
    }
    await write(opened.app, token)
    await verify()
    await region.getByText('This browser: verified').waitFor()
    await expect.poll(kept).not.toBeNull()
    const trusted = await kept()

    await withVariant(opened.app, signedBy(second, first), async (rotated) => {
      await write(rotated, token)
      const server = await listen(rotated)
      // The same origin for the browser, which keeps checkpoints by origin.
      await page.route('**/graphql', async (route) =>
        route.fulfill({ response: await route.fetch({ url: `${server.url}/graphql` }) }),
      )
      await verify()
      await region.getByRole('alert').getByText('has changed from').waitFor()
      const named = await region.getByRole('code').innerText()
      await region.getByRole('button', { name: 'Trust the new key' }).click()
      const confirm = page.getByRole('dialog').getByRole('button', { name: "It is the operator's key: trust it" })
      await confirm.waitFor()
      await expect.poll(() => kept()).toBe(trusted)
      await confirm.click()
      await region.getByText('This browser: verified').waitFor()
      await expect.poll(async () => JSON.parse((await kept()) ?? '{}').verifierKey).toBe(named)
      expect(JSON.parse(trusted ?? '{}').verifierKey).not.toBe(named)

      await verify()
      await region.getByText('This browser: verified').waitFor()
      await expect.poll(() => page.getByRole('button', { name: 'Trust the new key' }).count()).toBe(0)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await server.close()
    })
  })
})

const write = async (to: OpenConsole['app'], token: string) => {
  const body = { units: [{ external_id: 'one', text: `one more row ${Math.random()}`, acl_groups: ['*'] }] }
  const { status } = await to.call('POST', '/v1/ingest', { token, scope: 'open', body })
  expect(status).toBe(200)
}
