import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verbs } from '../../console/src/pages/audit/verbs.ts'
import type { AuditAction } from '../../src/model/audit.ts'
import { atNight } from '../support/amounts.ts'
import { violations } from '../support/browser/axe.ts'
import { noBrowser, overflow } from '../support/browser/browser.ts'
import { type OpenConsole, openConsole } from '../support/browser/open-console.ts'

const password = 'correct horse battery'
const tides = 'The harbour master of Skagen is Ada Lindqvist. High water is at noon.'

/** Every action of the log has a sentence, and no sentence is of an action that is not there. */
const sentences: Record<AuditAction, string> = verbs

describe.skipIf(noBrowser)(`the first hour of a stranger${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: OpenConsole
  let page: Page
  beforeAll(async () => {
    opened = await openConsole()
    page = await (await opened.window()).newPage()
    await page.goto('/')
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  let jobs = 0
  /** A page that is opened, or a form or button that is used, each by what stands on it. No job has more than three. */
  const job = async (...steps: (() => Promise<unknown>)[]) => {
    expect(steps.length).toBeLessThanOrEqual(3)
    for (const step of steps) await step()
    await page.locator('main[aria-busy="false"]').waitFor()
    // By day after each third: every page is looked at in every-page.long.test.ts.
    if (atNight || jobs++ % 3 === 0) await expect.poll(() => violations(page)).toEqual([])
  }
  const button = (name: string | RegExp, of: Page = page) => of.getByRole('button', { name, exact: true })
  const press = (name: string | RegExp) => () => button(name).click()
  /** By the navigation; parts of a page by the command palette. */
  const go = (name: string) => () => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
  const goTo = (name: string) => async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Command' }).fill(name)
    await page.getByRole('option', { name }).first().waitFor()
    await page.keyboard.press('Enter')
  }
  const signUp = async (name: string, of: Page) => {
    await of.getByRole('textbox', { name: 'Name' }).fill(name)
    await of.getByRole('textbox', { name: 'E-mail' }).fill(`${name}@example.com`)
    await of.getByLabel('Password').fill(password)
    await button('Create account', of).click()
  }

  it('signs up, and owns a namespace with everything in it', async () => {
    await job(press('Create an account'), () => signUp('ida', page), go('Usage'))
    await page.getByText(/^u-[\w-]+ has the enterprise tier\.$/).waitFor()
    await page.getByText('This service sells nothing. Its operator sets the tier.').waitFor()
    await button('Account').click()
    await expect.poll(() => page.getByRole('menu', { name: 'Account' }).innerText()).toContain('Signed in as\nida')
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
  })

  it('makes a scope', async () => {
    await job(go('Settings'), async () => {
      await page.getByRole('textbox', { name: 'Path' }).fill('skagen/harbour')
      await button('Make scope').click()
    })
    await page.getByRole('table', { name: 'Scopes' }).getByText('skagen/harbour').waitFor()
    await page.getByRole('region', { name: 'Namespace' }).getByText('ida', { exact: true }).waitFor()
  })

  it('follows a link to an upload, which knows the destination', async () => {
    await page.goto('/documents?scope=skagen/harbour&upload=1')
    const dialog = page.getByRole('dialog', { name: 'Upload files' })
    await expect.poll(() => dialog.getByRole('combobox', { name: 'Destination' }).inputValue()).toBe('skagen/harbour')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.goto('/search?scope=*')
  })

  it('uploads a file there', async () => {
    await job(go('Documents'), press('Upload'), async () => {
      const choosing = page.waitForEvent('filechooser')
      await button('Choose files').click()
      await (await choosing).setFiles([{ name: 'tides.md', mimeType: 'text/markdown', buffer: Buffer.from(tides) }])
      const destination = page.getByRole('combobox', { name: 'Destination' })
      await destination.fill('skagen')
      await page.getByRole('option', { name: 'skagen/harbour' }).click()
      await button('Send 1 file').click()
    })
    await page.getByRole('region', { name: 'Runs' }).getByText('ready, 1 Unit').waitFor()
  })

  it('searches, and sees why a hit was found', async () => {
    await job(go('Search'), () => page.getByRole('searchbox').fill('high water'), press('Why this hit'))
    await page.getByRole('list', { name: 'Reasons' }).getByText('found by the words').waitFor()
  })

  it('sees who may read it, and changes that', async () => {
    await job(press(/only you/), press('Change'), async () => {
      await page.getByRole('radio', { name: 'Everyone in skagen/harbour' }).check()
      await button('Save').click()
    })
    await button(/everyone in skagen/).waitFor()
  })

  it('asks, and opens the source at the quote', async () => {
    await job(
      go('Ask'),
      async () => {
        await page.getByRole('textbox', { name: 'Question' }).fill('Who is the harbour master of Skagen?')
        await button('Ask').click()
      },
      () => page.getByRole('list', { name: 'Sentences' }).getByRole('link', { name: 'Source 1' }).first().click(),
    )
    const source = page.getByRole('complementary', { name: 'Source beside the answer' })
    await source.locator('mark').getByText('Ada Lindqvist').waitFor()
    await page.keyboard.press('Escape')
  })

  it('makes a group, and lets it read', async () => {
    await job(goTo('Access: Groups'), press('New group'), async () => {
      const form = page.getByRole('form', { name: 'New group' })
      await form.getByRole('textbox', { name: 'Group' }).fill('pilots')
      await form.getByRole('combobox', { name: 'First members' }).fill('ida')
      await page.getByRole('option', { name: /ida/ }).click()
      await button('Make group').click()
    })
    await page.getByRole('table', { name: 'Groups' }).getByText('pilots').waitFor()
    await job(go('Documents'), press(/everyone in skagen/), async () => {
      await button('Change').click()
      await page.getByRole('radio', { name: 'Groups and people' }).check()
      await page.getByRole('combobox', { name: 'Readers' }).fill('pilots')
      await page
        .getByRole('option', { name: /pilots/ })
        .first()
        .click()
      await button('Save').click()
    })
    await button(/group pilots/).waitFor()
  })

  it('invites a colleague, who lands in the search and finds what the group may read', async () => {
    await job(go('Access'), press('Invite'), async () => {
      await page.getByRole('textbox', { name: 'Groups' }).fill('pilots')
      await button('Make link').click()
    })
    const made = page.getByRole('textbox', { name: 'Invitation link' })
    await expect.poll(() => made.inputValue()).toContain('/join#')
    const link = await made.inputValue()
    const guest = await (await opened.window()).newPage()
    await guest.goto(link)
    await button('Create an account', guest).click()
    await signUp('olaf', guest)
    await button('Accept', guest).click()
    await guest.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await guest.getByRole('searchbox').fill('high water')
    await guest.getByRole('list', { name: 'Results' }).getByRole('link', { name: /tides/ }).waitFor()
    // What a reader may not use is not offered.
    const open = (name: string) => guest.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
    for (const name of ['Access', 'Evaluation']) {
      await open(name)
      await guest.getByRole('heading', { level: 1, name }).waitFor()
      await guest.getByText('Only an admin of this namespace may see this.').waitFor()
      await expect.poll(() => guest.getByRole('main').getByRole('button').count(), { message: name }).toBe(0)
    }
    await open('Settings')
    const scopes = guest.getByRole('table', { name: 'Scopes' })
    await scopes.getByText('skagen/harbour').waitFor()
    await expect.poll(() => scopes.getByRole('button').or(scopes.getByRole('checkbox')).count()).toBe(0)
    await open('Health')
    await guest.getByRole('table', { name: 'Planes' }).waitFor()
    await expect.poll(() => button('Compact', guest).count()).toBe(0)
    await guest.context().close()
  })

  it('gives that colleague more, by name', async () => {
    await job(goTo('Access: Grants'), press('New grant'), async () => {
      const principal = page.getByRole('combobox', { name: 'Principal' })
      await principal.fill('olaf')
      await page.getByRole('option', { name: /olaf/ }).click()
      await page.getByRole('checkbox', { name: 'write' }).check()
      await button('Grant').click()
    })
    const table = page.getByRole('table', { name: 'Grants' })
    await table.getByRole('row').filter({ hasText: 'olaf' }).getByText('read, write', { exact: true }).waitFor()
  })

  it('makes a key, uses it over HTTP, sees that, and revokes it', async () => {
    await job(goTo('Access: Keys'), press('New key'), async () => {
      await page.getByRole('textbox', { name: 'Name' }).fill('laptop')
      await button('Create key').click()
    })
    const made = page.getByRole('textbox', { name: 'Key laptop' })
    await expect.poll(() => made.inputValue()).toMatch(/^svc_sk_laptop_/)
    const authorization = `Bearer ${await made.inputValue()}`
    const search = () =>
      fetch(`${opened.url}/v1/search`, { method: 'POST', headers: { authorization }, body: '{"q":"high water"}' })
    expect((await search()).status).toBe(200)
    await press('Done')()
    await page.reload()
    await job(press('Revoke'), async () => {
      const dialog = page.getByRole('dialog')
      await dialog.getByText('The key laptop, used just now by ida, no longer works.').waitFor()
      await dialog.getByRole('button', { name: 'Revoke' }).click()
    })
    await page.getByText('You have no keys.').waitFor()
    expect((await search()).status).toBe(401)
  })

  it('makes a service, and renames it', async () => {
    const dialog = page.getByRole('dialog')
    await job(goTo('Access: Principals'), press('New principal'), async () => {
      await page.getByRole('textbox', { name: 'Name' }).fill('crawler')
      await button('Make principal').click()
      await button('Done').waitFor()
    })
    await job(press('Done'), press('Edit crawler'), async () => {
      await dialog.getByRole('textbox', { name: 'Name' }).fill('night crawler')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
    })
    await page.getByRole('table', { name: 'Principals' }).getByText('night crawler').waitFor()
  })

  it('reads the log as sentences without its own visits, and verifies it', async () => {
    await job(go('Audit'), press('Verify'))
    const table = page.getByRole('table', { name: 'Audit log' })
    await table.getByText('ida revoked a key').waitFor()
    await table.getByText(/^ida changed the principal night crawler \(principal_\w+\)/).waitFor()
    await table
      .getByText(/^ida searched, \d+ hits?/)
      .first()
      .waitFor()
    await expect.poll(() => table.getByText(/ida (listed|opened|counted)/).count()).toBe(0)
    await page
      .getByRole('region', { name: 'Verification' })
      .getByText(/^This browser: verified, \d+ rows/)
      .waitFor()
    const badge = page.getByText(/^Verified, [\d,]+ rows, /)
    await badge.waitFor()
    const said = await badge.textContent()
    await page.reload()
    await expect.poll(() => badge.textContent()).toBe(said)
    await page.getByRole('checkbox', { name: 'Show pages that I opened' }).check()
    await table.getByText('ida listed documents in').first().waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('reads')).toBe('1')
  })

  it('picks an action and a person of the log from lists', async () => {
    const table = page.getByRole('table', { name: 'Audit log' })
    const pick = async (list: string, text: string, option: RegExp) => {
      await page.getByRole('combobox', { name: list }).fill(text)
      await page.getByRole('option', { name: option }).click()
    }
    await pick('Action', 'invitation', /accepted an invitation/)
    await expect.poll(() => table.getByRole('row').count()).toBe(2)
    await table.getByText('olaf accepted an invitation').waitFor()
    await pick('Principal', 'ida', /^ida/)
    await page.getByText('No row has all of this.').waitFor()
    await page.getByRole('link', { name: 'Show all rows' }).click()
    expect(Object.values(sentences).every((sentence) => sentence !== '')).toBe(true)
  })

  it('sees its health, and reads all of this on a phone', async () => {
    await job(go('Health'))
    await page.getByRole('table', { name: 'Planes' }).getByText('hashed-ngrams').first().waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    for (const [path, name, action] of [
      ['/documents', 'tides', /group pilots/],
      ['/access/groups', 'pilots', 'Edit pilots'],
      ['/access/grants', 'olaf', 'Revoke'],
      ['/settings', 'skagen/harbour', 'Delete'],
    ] as const) {
      await page.goto(path)
      const card = page.getByRole('row').filter({ hasText: name }).first()
      await card.waitFor()
      const isInside = async () => {
        const box = await card.getByRole('button', { name: action }).first().boundingBox()
        return box !== null && box.x >= 0 && box.x + box.width <= 390
      }
      await expect.poll(isInside, { message: path }).toBe(true)
      await expect.poll(() => overflow(page), { message: path }).toBeLessThanOrEqual(0)
      await expect.poll(() => violations(page), { message: path }).toEqual([])
    }
    await page.goto('/search')
    const line = page.getByRole('searchbox')
    await expect.poll(async () => (await line.boundingBox())?.width).toBeGreaterThan(340)
  })
})
