import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { gatherProblems } from './page-problems.ts'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const build = fileURLToPath(new URL('../../../console/dist/index.html', import.meta.url))

/** Why no browser can be opened here; null if one can. */
export const noChromium = existsSync(executablePath)
  ? null
  : `needs Chromium at ${executablePath}; CHROMIUM names another path`

/** Why the console cannot be tried here; null if it can. */
export const noBrowser = noChromium ?? (existsSync(build) ? null : 'needs the console: npm run build:console')

/** A browser that dials nothing by itself and reaches only this machine. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    timeout: 180_000,
    args: [
      '--no-sandbox',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
      '--no-proxy-server',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  })

export interface WindowOptions {
  theme?: 'light' | 'dark'
  width?: number
}

/** A window with a profile of its own, whose tabs share cookies. What its pages may not do is added to `problems`. */
export async function openWindow(
  browser: Browser,
  url: string,
  problems: string[],
  { theme = 'light', width = 1440 }: WindowOptions = {},
): Promise<BrowserContext> {
  const window = await browser.newContext({
    baseURL: url,
    colorScheme: theme,
    viewport: { width, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  // As long as `expect.poll`: what is waited for comes, however busy the machine is.
  window.setDefaultTimeout(90_000)
  await gatherProblems(window, url, problems)
  return window
}

export interface Visit extends WindowOptions {
  key?: string
}

export interface VisitedPage {
  page: Page
  problems: string[]
}

/** A tab in a window of its own, with a key. */
export async function visit(
  browser: Browser,
  url: string,
  { key, ...options }: Visit,
  problems: string[] = [],
): Promise<VisitedPage> {
  const page = await (await openWindow(browser, url, problems, options)).newPage()
  if (key !== undefined) await signInWithKey(page, key)
  return { page, problems }
}

/** Signs the tab in with a key, from its next page on. */
export const signInWithKey = (page: Page, key: string): Promise<unknown> =>
  page.addInitScript((value) => sessionStorage.setItem('console.key', value), key)

/** By how many px the page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth')
