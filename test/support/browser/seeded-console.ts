import type { Browser, Page } from 'playwright-core'
import { boot, type TestApp } from '../boot.ts'
import { type LoggedServer, listen } from '../process/http-server.ts'
import { openBrowser, type Visit, type VisitedPage, visit } from './browser.ts'

/** The service on a port with the demo in it, and a browser. */
export interface SeededConsole {
  app: TestApp
  server: LoggedServer
  browser: Browser
  /** The demo's keys by name. */
  tokens: Record<string, string>
  admin: string
  /** A tab of its own, with the admin's key unless another is given. */
  tab(options?: Visit): Promise<Page>
  /** A tab of its own at `path`, once the page is there. */
  open(path: string, options?: Visit): Promise<Page>
  /** What went wrong in any of the tabs. */
  problems(): string[]
  close(): Promise<void>
}

export async function openSeededConsole(): Promise<SeededConsole> {
  const app = await boot()
  const server = await listen(app)
  const browser = await openBrowser()
  const { tokens } = (await app.call('POST', '/v1/admin/seed')).body
  const visited: VisitedPage[] = []
  const tab = async (options: Visit = {}) => {
    const opened = await visit(browser, server.url, { key: tokens.admin, ...options })
    visited.push(opened)
    return opened.page
  }
  const open = async (path: string, options?: Visit) => {
    const page = await tab(options)
    await page.goto(path)
    await page.locator('main[aria-busy="false"] h1').waitFor()
    return page
  }
  const problems = () => visited.flatMap((one) => one.problems)
  const close = async () => {
    await browser.close()
    await server.close()
    await app.close()
  }
  return { app, server, browser, tokens, admin: tokens.admin, tab, open, problems, close }
}
