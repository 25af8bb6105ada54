import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampled } from '../support/amounts.ts'
import { noBrowser } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'

describe.skipIf(noBrowser)(`the view as another principal${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  let tokens: Record<string, string>
  beforeAll(async () => {
    opened = await openSeededConsole()
    tokens = opened.tokens
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  /** What a page shows, its place, and whether it is the end of loading. */
  const shown = async (key: string, path: string, list: 'list' | 'table') => {
    const page = await opened.open(path, { key })
    const items = page.getByRole(list, { name: list === 'list' ? 'Results' : 'Units' })
    await items.getByRole('link').first().waitFor()
    await page.locator('main[aria-busy="false"]').waitFor()
    const scope = page.getByRole('combobox', { name: 'Scope' })
    await expect.poll(() => scope.inputValue()).not.toBe('')
    const read = async () => {
      const links = await items.getByRole('link').allInnerTexts()
      const count = list === 'list' ? await page.getByRole('status', { name: 'Result count' }).innerText() : ''
      return { links, count, scope: await scope.inputValue() }
    }
    return { read, close: () => page.context().close() }
  }

  const places: ['list' | 'table', string][] = [
    ['list', '/search?q=payment&top=20'],
    ['table', '/documents?view=units&scope=*'],
  ]
  it.each(sampled(places, 1))('shows what its own key shows: %s, %s', async (list, path) => {
    const { admin = '', readonly = '' } = tokens
    const [own, viewed, callers] = [
      await shown(readonly, path, list),
      await shown(admin, `${path}&as=demo-readonly`, list),
      await shown(admin, path, list),
    ]
    await expect.poll(async () => isDeepStrictEqual(await viewed.read(), await own.read())).toBe(true)
    await expect.poll(async () => (await callers.read()).links).not.toEqual((await own.read()).links)
    for (const { close } of [own, viewed, callers]) await close()
  })

  it('names the principal on every page, offers only to stop on the others, and stops', async () => {
    const page = await opened.open('/ask?q=What+is+kept%3F&as=demo-readonly&scope=*')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.postData() ?? ''))
    await page.reload()
    const region = page.getByRole('region', { name: 'View as' })
    await region.getByText('demo-readonly').waitFor()
    await page.getByText('Only Search and Documents').waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'Question' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Documents' }).click()
    await page.getByRole('table', { name: 'Units' }).waitFor()
    await expect.poll(() => region.count()).toBe(1)
    await expect.poll(() => page.getByRole('button', { name: 'Upload' }).count()).toBe(0)
    await region.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Upload' }).waitFor()
    await expect.poll(() => region.count()).toBe(0)
    await expect.poll(() => new URL(page.url()).searchParams.has('as')).toBe(false)
    expect(asked.join()).not.toContain('What is kept')
    await page.context().close()
  })

  it('names a person by name, with the id beside it', async () => {
    const made = await opened.app.graphql(
      'mutation { createPrincipal(input: { kind: user, name: "Ada Lovelace" }) { principalId } }',
      {},
      { token: opened.admin },
    )
    const { principalId } = made.body.data.createPrincipal
    const page = await opened.open(`/ask?as=${principalId}`)
    const region = page.getByRole('region', { name: 'View as' })
    await expect.poll(() => region.innerText()).toContain(`You see what Ada Lovelace ${principalId} may read`)
    await page.context().close()
  })

  it('shows a refusal of the principal as one', async () => {
    const page = await opened.open('/search?q=payment&as=no-such-principal')
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByRole('list', { name: 'Results' }).getByRole('listitem').count()).toBe(0)
    await page.context().close()
  })
})
