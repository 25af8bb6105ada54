import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'

const executablePath = '/usr/bin/chromium'
const build = fileURLToPath(new URL('../../../console/dist/index.html', import.meta.url))
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Why browser tests cannot run here; null if they can. */
export const noBrowser = !existsSync(executablePath)
  ? 'needs Chromium at /usr/bin/chromium'
  : !existsSync(build)
    ? 'needs the console: npm run build:console'
    : null

/** A browser that dials nothing by itself. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
      '--no-first-run',
    ],
  })

export interface Visit {
  key?: string
  theme?: 'light' | 'dark'
  width?: number
}

export interface VisitedPage {
  page: Page
  /** Errors of the console (violations of the policy too), of scripts, and requests to other hosts. */
  problems: string[]
}

/** A tab of its own at the console of `url`, with a key. */
export async function visit(
  browser: Browser,
  url: string,
  { key, theme = 'light', width = 1440 }: Visit,
): Promise<VisitedPage> {
  const context = await browser.newContext({ baseURL: url, colorScheme: theme, viewport: { width, height: 900 } })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  if (key !== undefined) await page.addInitScript(`sessionStorage.setItem('console.key', ${JSON.stringify(key)})`)
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (line) => {
    // A refused request is a line too; pages show those themselves.
    if (line.type() === 'error' && !line.text().startsWith('Failed to load resource')) problems.push(line.text())
  })
  page.on('request', (request) => {
    const target = request.url()
    if (!target.startsWith(url) && !target.startsWith('blob:')) problems.push(`request to ${target}`)
  })
  return { page, problems }
}

/** What axe finds wrong, with the elements. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const found = `axe.run(document).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`
  return page.evaluate(found)
}

/** By how many px the page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth')
