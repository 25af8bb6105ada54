import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from '../support/browser/axe.ts'
import { noBrowser, visit } from '../support/browser/browser.ts'
import { type OpenConsole, openConsole } from '../support/browser/open-console.ts'

describe.skipIf(noBrowser)(`groups in a browser${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: OpenConsole
  let owner: string
  beforeAll(async () => {
    opened = await openConsole()
    const { app } = opened
    owner = await app.principal({ id: 'owner', namespace: 'u-yard-1', signedUp: true })
    expect((await app.call('POST', '/v1/namespaces', { token: owner, body: { namespace: 'yard' } })).status).toBe(200)
    await app.principal({ id: 'user_ann', namespace: 'yard', groups: ['db'], grants: [] })
    await app.principal({ id: 'user_bob', namespace: 'yard', grants: [] })
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  const members = async (name: string) => {
    const query = `{ groupMembers(name: "${name}") { members { principalId direct } } }`
    const { body } = await opened.app.graphql(query, {}, { token: owner, namespace: 'yard' })
    return body.data.groupMembers.members
  }

  it('are made, named, filled, nested and emptied, by the keyboard alone', async () => {
    const { page } = await visit(opened.browser, opened.url, { key: owner }, opened.problems)
    await page.goto('/access/groups?namespace=yard')
    const table = page.getByRole('table', { name: 'Groups' })
    await table.getByText('db', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'New group' }).press('Enter')
    const form = page.getByRole('form', { name: 'New group' })
    await form.getByRole('textbox', { name: 'Group' }).fill('crew')
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('The crew')
    const first = form.getByRole('combobox', { name: 'First members' })
    await first.fill('bob')
    await page.getByRole('option', { name: 'user_bob' }).waitFor()
    await first.press('Enter')
    await expect.poll(() => violations(page)).toEqual([])
    await form.getByRole('button', { name: 'Make group' }).press('Enter')
    await table.getByText('The crew').waitFor()
    await expect.poll(() => members('crew')).toEqual([{ principalId: 'user_bob', direct: true }])

    await table.getByRole('button', { name: 'Edit crew' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Group crew' })
    const inside = dialog.getByRole('region', { name: 'In the group' })
    await inside.getByText('user_bob').waitFor()
    const groups = dialog.getByRole('combobox', { name: 'Add groups' })
    await groups.fill('db')
    await page.getByRole('option', { name: 'group db' }).waitFor()
    await groups.press('Enter')
    await expect.poll(() => violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Add', exact: true }).press('Enter')
    await inside.getByText('All members of group db').waitFor()
    await inside.getByText('through another group').waitFor()
    await expect
      .poll(() => members('crew'))
      .toEqual([
        { principalId: 'user_ann', direct: false },
        { principalId: 'user_bob', direct: true },
      ])
    await inside.getByRole('button', { name: 'Remove user_bob' }).press('Enter')
    await inside.getByText('user_bob').waitFor({ state: 'detached' })
    await expect.poll(() => violations(page)).toEqual([])

    await dialog.getByRole('textbox', { name: 'Group' }).fill('db')
    await dialog.getByRole('button', { name: 'Save names' }).press('Enter')
    await dialog.getByRole('alert').getByText('groups cannot be merged').waitFor()
    await dialog.getByRole('textbox', { name: 'Group' }).fill('sailors')
    await dialog.getByRole('button', { name: 'Save names' }).press('Enter')
    await page.getByRole('dialog', { name: 'Group sailors' }).waitFor()
    await page.keyboard.press('Escape')
    await table.getByText('sailors').waitFor()
    await expect.poll(() => members('sailors')).toEqual([{ principalId: 'user_ann', direct: false }])
    await expect.poll(() => table.getByText('crew', { exact: true }).count()).toBe(0)
    await page.context().close()
  })
})
