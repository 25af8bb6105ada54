import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from '../support/browser/axe.ts'
import { noBrowser } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'

describe.skipIf(noBrowser)(`who may read${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  let reader: { principalId: string; token: string }
  beforeAll(async () => {
    opened = await openSeededConsole()
    const made = await ask(
      'mutation { createPrincipal(input: {name: "Rosa Quay", kind: service}) { principalId token } }',
    )
    reader = made.createPrincipal
    const grant = `mutation { createGrant(input: {principalId: "${reader.principalId}", scope: "*", perms: [read, write]}) { id } }`
    await ask(grant)
    const member = `mutation { changeGroup(name: "backend", input: {add: ["${reader.principalId}"]}) { name } }`
    await ask(member)
    const units = [
      { text: 'The winch of the quay was oiled by its owner.', doc_id: 'winch', acl_groups: [] },
      { text: 'The winch of the quay is listed for everyone.', doc_id: 'winch', acl_groups: ['*'] },
      { text: 'The capstan of the quay is shared.', doc_id: 'capstan', acl_groups: [`user:${reader.principalId}`] },
      { text: 'The gantry of the quay is for a group.', doc_id: 'gantry', acl_groups: ['backend'] },
    ]
    const body = { units }
    const { status } = await opened.app.call('POST', '/v1/ingest', {
      token: opened.admin,
      scope: 'harbor/general',
      body,
    })
    expect(status).toBe(200)
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  const ask = async (query: string) => {
    const { body } = await opened.app.graphql(query, {}, { token: opened.admin, scope: '*' })
    expect(body.errors).toBeUndefined()
    return body.data
  }

  const hit = (page: Page, text: string) =>
    page.getByRole('list', { name: 'Results' }).getByRole('listitem').filter({ hasText: text })
  const chip = (page: Page, text: string, readers: string) =>
    hit(page, text).getByRole('button', { name: `Readers: ${readers}`, exact: true })

  it('stands on each hit, and is changed there by name', async () => {
    const page = await opened.open('/search?scope=harbor/general&q=quay')
    await chip(page, 'oiled by its owner', 'only you').waitFor()
    await chip(page, 'listed for everyone', 'everyone in harbor/general').waitFor()
    await chip(page, 'capstan', '2 people').waitFor()
    await chip(page, 'gantry', 'group backend').press('Enter')
    const panel = page.getByRole('dialog', { name: 'Who may read' })
    await panel.getByRole('button', { name: 'Members of backend' }).click()
    await panel.getByRole('list', { name: 'Members of backend' }).getByText('Rosa Quay').waitFor()
    await expect.poll(() => violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })

    await chip(page, 'oiled by its owner', 'only you').click()
    await panel.getByRole('combobox', { name: 'Explain for a person' }).fill('Rosa')
    await page.getByRole('option', { name: /^Rosa Quay/ }).click()
    await panel.getByRole('heading', { name: 'Read: denied' }).waitFor()
    await expect.poll(() => violations(page)).toEqual([])
    await panel.getByRole('button', { name: 'Change' }).click()
    await panel.getByRole('radio', { name: 'Groups and people' }).check()
    const readers = panel.getByRole('combobox', { name: 'Readers' })
    await readers.fill('Rosa')
    await readers.press('Enter')
    await expect.poll(() => violations(page)).toEqual([])
    await panel.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status', { name: 'Notifications' }).getByText('1 Unit has these readers now.').waitFor()
    await panel.waitFor({ state: 'detached' })
    await chip(page, 'oiled by its owner', '2 people').waitFor()
    const body = { q: 'winch oiled by its owner' }
    const found = await opened.app.call('POST', '/v1/search', { token: reader.token, scope: 'harbor/general', body })
    expect(found.body.hits.map(({ text }: { text: string }) => text)).toContain(
      'The winch of the quay was oiled by its owner.',
    )
    await page.context().close()
  })

  it('tells others no more than they may know, and offers no change', async () => {
    const asked: string[] = []
    const page = await opened.tab({ key: reader.token })
    page.on('response', async (response) => {
      if (new URL(response.url()).pathname === '/graphql') asked.push(await response.text().catch(() => ''))
    })
    await page.goto('/search?scope=harbor/general&q=gantry')
    await chip(page, 'gantry', 'group backend').click()
    const panel = page.getByRole('dialog', { name: 'Who may read' })
    await panel.getByText('Group backend').waitFor()
    await expect.poll(() => panel.getByRole('button').allTextContents()).toEqual(['Close'])
    await expect.poll(() => panel.getByRole('combobox').count()).toBe(0)
    expect(asked.join()).not.toContain('"forbidden"')
    await page.context().close()
  })

  it('stands on documents and Units, a document whose parts differ included', async () => {
    const page = await opened.open('/documents?scope=harbor/general&prefix=w', { width: 390 })
    await page.getByRole('button', { name: 'Readers: different readers' }).click()
    const panel = page.getByRole('dialog', { name: 'Who may read' })
    await panel.getByText('Its Units have different readers').waitFor()
    await expect.poll(() => violations(page)).toEqual([])
    await panel.getByRole('button', { name: 'Change' }).click()
    await panel.getByRole('radio', { name: 'Everyone in harbor/general' }).check()
    await panel.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Readers: everyone in harbor/general' }).waitFor()
    await page.goto('/documents?scope=harbor/general&view=units&prefix=winch')
    await expect
      .poll(() => page.getByRole('button', { name: 'Readers: everyone in harbor/general', exact: true }).count())
      .toBe(2)
    await page.context().close()
  })
})
