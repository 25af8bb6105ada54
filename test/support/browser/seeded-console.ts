import type { Page } from 'playwright-core'
import { type Visit, visit } from './browser.ts'
import { type OpenConsole, openConsole } from './open-console.ts'

/** The same with the demo in it. */
export interface SeededConsole extends OpenConsole {
  /** The demo's keys by name. */
  tokens: Record<string, string>
  admin: string
  /** A tab in a window of its own, with the admin's key unless another is given. */
  tab(options?: Visit): Promise<Page>
  /** Such a tab at `path`, once the page is there. */
  open(path: string, options?: Visit): Promise<Page>
}

export async function openSeededConsole(): Promise<SeededConsole> {
  const opened = await openConsole()
  const { app, browser, url, problems } = opened
  const { tokens } = (await app.call('POST', '/v1/admin/seed')).body
  const tab = async (options: Visit = {}) =>
    (await visit(browser, url, { key: tokens.admin, ...options }, problems)).page
  const open = async (path: string, options?: Visit) => {
    const page = await tab(options)
    await page.goto(path)
    await page.locator('main[aria-busy="false"] h1').waitFor()
    return page
  }
  return { ...opened, tokens, admin: tokens.admin, tab, open }
}
