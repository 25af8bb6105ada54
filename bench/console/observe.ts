import type { Page } from 'playwright-core'

/** What a page has observed about itself. */
export interface Observed {
  /** Milliseconds from navigation until every control was there. */
  usableMs: number
  /** Bytes of scripts and styles that had come by then, as they were encoded. */
  scripts: number
  styles: number
  /** The sum of shifts that no input caused. */
  layoutShift: number
}

interface Shift {
  value: number
  hadRecentInput: boolean
}

/** Lets each document of the tab observe itself. It is usable when an enabled element is shown for each selector. */
export async function observe(page: Page, controls: readonly string[]): Promise<void> {
  await page.addInitScript((selectors) => {
    const observed: Observed = { usableMs: 0, scripts: 0, styles: 0, layoutShift: 0 }
    const usable = Promise.withResolvers<void>()
    Object.assign(globalThis, { observed, usable: usable.promise })
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries() as unknown as Shift[]) {
        if (!hadRecentInput) observed.layoutShift += value
      }
    }).observe({ type: 'layout-shift', buffered: true })

    const isShown = (selector: string) => {
      const element = document.querySelector(selector)
      return element !== null && element.getClientRects().length > 0 && !element.matches(':disabled')
    }
    const bytesOf = (ending: string) =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => name.endsWith(ending))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
    const look = () => {
      if (!selectors.every(isShown)) return requestAnimationFrame(look)
      Object.assign(observed, { usableMs: performance.now(), scripts: bytesOf('.js'), styles: bytesOf('.css') })
      usable.resolve()
    }
    requestAnimationFrame(look)
  }, controls)
}

/** Resolves once the document is usable. Playwright's own waiting evaluates strings, which the policy forbids. */
export const whenUsable = (page: Page): Promise<void> =>
  page.evaluate(() => (globalThis as unknown as { usable: Promise<void> }).usable)

export const observed = (page: Page): Promise<Observed> =>
  page.evaluate(() => (globalThis as unknown as { observed: Observed }).observed)

/** Slows the main thread of the tab down. */
export async function slowDown(page: Page, rate: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate })
}
