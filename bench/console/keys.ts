import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { visit } from '../../test/support/browser/browser.ts'
import { slowDown } from './observe.ts'
import { type Task, tasksDuring } from './tasks.ts'

/** Events that show sooner are not reported by the browser. */
const shortestMs = 16
/** About as fast as people type. */
const betweenMs = 120

export interface Pressed {
  path: string
  key: string
  /** Resolves once the keys can be pressed. */
  until(page: Page): Promise<void>
  /** As Playwright names them, one press each. */
  keys: readonly string[]
}

export interface Shown {
  /** Milliseconds from each press of a key until the next picture of the page. */
  times: number[]
  /** What the page did meanwhile. */
  tasks: Task[]
}

/** How soon keys show, on a CPU slowed `rate` times. */
export async function showsOfKeys(
  browser: Browser,
  url: string,
  rate: number,
  { path, key, until, keys }: Pressed,
): Promise<Shown> {
  const { page, problems } = await visit(browser, url, { key })
  await page.goto(path)
  await until(page)
  await slowDown(page, rate)
  await page.evaluate((durationThreshold) => {
    const times: number[] = []
    Object.assign(globalThis, { times })
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') times.push(duration)
    }).observe({ type: 'event', durationThreshold } as PerformanceObserverInit)
  }, shortestMs)
  const tasks = await tasksDuring(browser, page, async () => {
    for (const pressed of keys) {
      await page.keyboard.press(pressed)
      await sleep(betweenMs)
    }
    // The answers of the service, and the last entries.
    await sleep(1_500)
  })
  const times = await page.evaluate(() => (globalThis as unknown as { times: number[] }).times)
  await page.context().close()
  if (problems.length > 0) throw new Error(`${path}: ${problems.join('\n')}`)
  const sooner = Array<number>(Math.max(0, keys.length - times.length)).fill(shortestMs)
  return { times: [...times, ...sooner], tasks }
}
