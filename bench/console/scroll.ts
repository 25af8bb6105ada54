import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, JSHandle, Locator, Page } from 'playwright-core'
import { visit } from '../../test/support/browser/browser.ts'
import { slowDown } from './observe.ts'
import { type Task, tasksDuring } from './tasks.ts'

const places = 10
const turns = 10

export interface Scrolled {
  path: string
  key: string
  /** Something inside of what scrolls, there once the page is. */
  inside(page: Page): Locator
  /** What is there only at the end. */
  last(page: Page): Locator
}

/** The tasks while a page is scrolled from its start to its end, on a CPU slowed `rate` times. */
export async function tasksOfScrolling(
  browser: Browser,
  url: string,
  rate: number,
  { path, key, inside, last }: Scrolled,
): Promise<Task[]> {
  const { page, problems } = await visit(browser, url, { key })
  await page.goto(path)
  const shown = inside(page).first()
  await shown.waitFor()
  // Links may lie above it: they pass the wheel on.
  await shown.hover({ force: true })
  await slowDown(page, rate)
  await sleep(1_000)
  const scroller = await shown.evaluateHandle(scrollerOf)
  const tasks = await tasksDuring(browser, page, () => scrollThrough(page, scroller))
  await last(page).waitFor()
  await page.context().close()
  if (problems.length > 0) throw new Error(`${path}: ${problems.join('\n')}`)
  return tasks
}

async function scrollThrough(page: Page, scroller: JSHandle<Element>): Promise<void> {
  for (let place = 0; place <= places; place++) {
    // As dragging its bar does.
    await scroller.evaluate((element, share) => {
      element.scrollTo({ top: (element.scrollHeight - element.clientHeight) * share, behavior: 'instant' })
    }, place / places)
    for (let turn = 0; turn < turns; turn++) {
      await page.mouse.wheel(0, 300)
      await sleep(30)
    }
    // For what is loaded and drawn only where one stays.
    await sleep(400)
  }
}

/** The nearest element around it that scrolls up and down. */
function scrollerOf(inside: Element): Element {
  for (let element = inside.parentElement; element !== null; element = element.parentElement) {
    const scrolls = /auto|scroll/.test(getComputedStyle(element).overflowY)
    if (scrolls && element.scrollHeight > element.clientHeight) return element
  }
  throw new Error('nothing scrolls')
}
