import type { BrowserContext, Page } from 'playwright-core'

/**
 * Gathers what no page of the service may do, over all tabs of a window: violations of the policy, errors, requests to
 * other hosts, and requests of the console to `/v1`.
 */
export async function gatherProblems(window: BrowserContext, origin: string, problems: string[]): Promise<void> {
  await window.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`policy: ${violatedDirective} ${blockedURI}`)
    })
  })
  window.on('page', (page) => watch(page, origin, problems))
}

function watch(page: Page, origin: string, problems: string[]): void {
  // The API reference sends requests to /v1; it is not part of the console.
  const isConsole = () => new URL(page.url()).pathname !== '/reference'
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !/^(blob|data|about):/.test(url)) problems.push(`request to ${url}`)
    if (url.startsWith(`${origin}/v1`) && isConsole()) problems.push(`request to ${url}`)
  })
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // The browser reports each answer of 4xx; the page shows those itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(`console: ${message.text()}`)
  })
}
