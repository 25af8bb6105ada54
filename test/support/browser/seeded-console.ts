import type { Browser } from 'playwright-core'
import { boot, type TestApp } from '../boot.ts'
import { type LoggedServer, listen } from '../process/http-server.ts'
import { openBrowser } from './browser.ts'

/** The service on a port with the demo in it, and a browser. */
export interface SeededConsole {
  app: TestApp
  server: LoggedServer
  browser: Browser
  /** The demo's keys by name. */
  tokens: Record<string, string>
  admin: string
  close(): Promise<void>
}

export async function openSeededConsole(): Promise<SeededConsole> {
  const app = await boot()
  const server = await listen(app)
  const browser = await openBrowser()
  const { tokens } = (await app.call('POST', '/v1/admin/seed')).body
  const close = async () => {
    await browser.close()
    await server.close()
    await app.close()
  }
  return { app, server, browser, tokens, admin: tokens.admin, close }
}
