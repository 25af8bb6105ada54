import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

const audits = serverAudits({
  url: 'http://localhost/graphql',
  fetchFn: (url: string, init: RequestInit) => app.app.fetch(new Request(url, init)),
})

it('all audits of GraphQL over HTTP are made', () => {
  expect(audits).toHaveLength(61)
})

it.each(audits)('$name', async ({ fn }) => {
  const { status, ...result } = await fn()
  expect([status, 'reason' in result ? result.reason : null]).toEqual(['ok', null])
})

it('a client that also accepts other types gets the status of the error', async () => {
  for (const accept of [undefined, '*/*', 'application/json, */*', 'application/graphql-response+json']) {
    const headers: Record<string, string> = accept === undefined ? {} : { accept }
    const { status } = await app.call('POST', '/graphql', { headers, body: { query: '{ nothing }' } })
    expect([accept, status]).toEqual([accept, 400])
  }
  // Only what GraphQL itself refuses.
  const headers = { accept: 'application/json' }
  const body = { documentId: 'sha256:00' }
  expect((await app.call('POST', '/graphql', { headers, body })).status).toBe(400)
})
