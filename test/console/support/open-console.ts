import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { startServer } from '../../../src/http/server.ts'
import { type BootOptions, boot, type TestApp } from '../../support/boot.ts'

/** The browser to test with; null where there is none. */
export const browserPath = [process.env.CHROMIUM ?? '/usr/bin/chromium'].find((path) => existsSync(path)) ?? null

/** For titles of tests: why they are skipped. */
export const whySkipped = browserPath === null ? ' (skipped: no Chromium; set CHROMIUM to its path)' : ''

export interface Opened {
  app: TestApp
  url: string
  /** A window with a profile of its own: its tabs share cookies. */
  window(options?: { dark?: boolean; width?: number }): Promise<BrowserContext>
  /** Violations of the policy, requests to other hosts, and errors on the console of the browser, over all windows. */
  problems: string[]
  close(): Promise<void>
}

/** The service on a port, and a browser that reaches nothing else. */
export async function openConsole(config: BootOptions['config'] = {}): Promise<Opened> {
  const app = await boot({ config })
  const log = app.runtime.bindings.log
  const server = await startServer(app.app.handler, { host: '127.0.0.1', port: 0, log, drainMs: 100 })
  const browser = await launch()
  const problems: string[] = []
  const window = async ({ dark = false, width = 1440 } = {}) => {
    const context = await browser.newContext({
      colorScheme: dark ? 'dark' : 'light',
      viewport: { width, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await context.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        console.error(`policy: ${violatedDirective} ${blockedURI}`)
      })
    })
    context.on('page', (page) => watch(page, server.url, problems))
    return context
  }
  const close = async () => {
    await browser.close()
    await server.close()
    await app.close()
  }
  return { app, url: server.url, window, problems, close }
}

const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath ?? '',
    args: [
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
      '--no-proxy-server',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--no-sandbox',
    ],
  })

function watch(page: Page, origin: string, problems: string[]): void {
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !/^(blob|data|about):/.test(url)) problems.push(`request to ${url}`)
    if (url.startsWith(`${origin}/v1`)) problems.push(`request to ${url}`)
  })
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // The browser reports each answer of 4xx; the page shows those itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(`console: ${message.text()}`)
  })
}
