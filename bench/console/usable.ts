import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { visit } from '../../test/support/browser/browser.ts'
import { type Observed, observe, observed, slowDown, whenUsable } from './observe.ts'

/** What comes after a page is usable may still move it. */
const settleMs = 2_000

export interface Start {
  path: string
  key?: string
  /** Selectors of what has to be shown and enabled. */
  controls: readonly string[]
}

/** Opens a page with an empty cache on a slowed CPU. Sizes are those of gzip: the browser accepts nothing else. */
export async function openCold(browser: Browser, url: string, { path, key, controls }: Start): Promise<Observed> {
  const { page, problems } = await visit(browser, url, key === undefined ? {} : { key })
  await page.setExtraHTTPHeaders({ 'accept-encoding': 'gzip' })
  await observe(page, controls)
  await slowDown(page, 4)
  await page.goto(path)
  await whenUsable(page)
  await sleep(settleMs)
  const seen = await observed(page)
  await page.context().close()
  if (problems.length > 0) throw new Error(`${path}: ${problems.join('\n')}`)
  return seen
}
