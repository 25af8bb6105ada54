import type { Browser, BrowserContext } from 'playwright-core'
import { type BootOptions, boot, type TestApp } from '../boot.ts'
import { listen } from '../process/http-server.ts'
import { openBrowser, openWindow, type WindowOptions } from './browser.ts'

/** One for the files of a process, which run one after another: a start of Chromium takes more than a second of CPU. It ends with the process. */
let shared: Browser | undefined
async function sharedBrowser(): Promise<Browser> {
  if (!shared?.isConnected()) shared = await openBrowser()
  return shared
}

/** The service on a port, and a browser that reaches nothing else. */
export interface OpenConsole {
  app: TestApp
  url: string
  browser: Browser
  /** A window with a profile of its own: its tabs share cookies. */
  window(options?: WindowOptions): Promise<BrowserContext>
  /** What the pages of any window did that none may do. */
  problems: string[]
  close(): Promise<void>
}

export async function openConsole(config: BootOptions['config'] = {}): Promise<OpenConsole> {
  const app = await boot({ config })
  const server = await listen(app)
  const { url } = server
  const browser = await sharedBrowser()
  const problems: string[] = []
  const window = (options?: WindowOptions) => openWindow(browser, url, problems, options)
  const close = async () => {
    for (const window of browser.contexts()) await window.close()
    await server.close()
    await app.close()
  }
  return { app, url, browser, window, problems, close }
}
