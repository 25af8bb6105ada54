import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds wrong with the page: its rules, each with the elements. */
export async function violations(page: Page): Promise<string[]> {
  // Through the protocol of the debugger: the policy forbids the page to run it.
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(source)
  const found = await page.evaluate<AxeResults>(() =>
    (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run(document, { resultTypes: ['violations'] }),
  )
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html, failureSummary }) => `${id}: ${target} ${html.slice(0, 160)} ${failureSummary}`),
  )
}
