import { afterAll, beforeAll, expect, it } from 'vitest'
import { errorTable } from '../../../src/errors.ts'
import { boot, type CallOptions, superAdminToken, type TestApp } from '../../support/boot.ts'
import { problemsOfDetail } from '../../support/texts/error-details.ts'
import type { Who } from './error-details/case.ts'
import { graphqlCases } from './error-details/graphql-cases.ts'
import { restCases } from './error-details/rest-cases.ts'

let app: TestApp
let oldUnit: string
const tokens: Partial<Record<Exclude<Who, null>, string>> = { superAdmin: superAdminToken }

beforeAll(async () => {
  app = await boot()
  tokens.owner = await app.principal({ id: 'owner', namespace: 'works' })
  tokens.reader = await app.principal({ id: 'reader', namespace: 'works', grants: [{ scope: '*', perms: ['read'] }] })
  tokens.clerk = await app.principal({ id: 'clerk', namespace: 'works', restrictions: { planes: ['text', 'audio'] } })
  tokens.agent = await app.principal({ id: 'agent', namespace: 'works', kind: 'agent' })
  tokens.free = await app.principal({ id: 'free', namespace: 'small', tier: 'free' })
  tokens.pro = await app.principal({ id: 'pro', namespace: 'medium', tier: 'pro' })
  for (const [namespace, who] of [
    ['small-shop', 'free'],
    ['taken', 'pro'],
  ] as const) {
    await app.call('POST', '/v1/namespaces', { token: tokens[who] ?? '', body: { namespace } })
  }
  for (const scope of ['a', 'b', 'b/closed'])
    await run('owner', `mutation { createScope(input: { scope: "${scope}" }) { scope } }`)
  await run('owner', 'mutation { updateScope(scope: "a", input: { planes: [text] }) { scope } }')
  await run('owner', 'mutation { updateScope(scope: "b/closed", input: { readOnlyAgents: true }) { scope } }')
  const ingested = await app.call('POST', '/v1/ingest', {
    token: tokens.owner,
    body: { units: [{ scope: 'a', external_id: 'old', text: 'old' }] },
  })
  oldUnit = ingested.body.units[0].unit_id
})
afterAll(() => app.close())

const run = (who: Exclude<Who, null>, query: string) => app.graphql(query, {}, { token: tokens[who] ?? '' })

const cases = [...restCases, ...graphqlCases]

it.each(cases)('%s', async (_, { who, method, path, options }, code, named) => {
  const token = who === null ? undefined : tokens[who]
  const sent: CallOptions = JSON.parse(JSON.stringify(options).replaceAll('OLD', oldUnit))
  const { body: reply } = await app.call(method, path, token === undefined ? sent : { ...sent, token })
  const [error] = reply.errors ?? []
  const detail = error?.message ?? reply.detail
  expect([error?.extensions.code ?? reply.error, detail]).toEqual([code, expect.stringMatching(named)])
  expect(problemsOfDetail(detail)).toEqual([])
})

it('every code is provoked but those of faults, which other tests cause', () => {
  const provoked = new Set(cases.map(([, , code]) => code))
  const faults = Object.keys(errorTable).filter((code) => !provoked.has(code))
  expect(faults.sort()).toEqual([
    'audit_anchor_unavailable',
    'audit_inconsistent',
    'billing_unavailable',
    'expectation_failed',
    'headers_too_large',
    'idempotency_in_progress',
    'idempotency_key_reused',
    'inference_unavailable',
    'internal_error',
    'invalid_signature',
    'mail_not_configured',
    'not_indexed_yet',
    'overloaded',
    'persisted_only',
    'range_not_satisfiable',
    'rate_limited',
    'request_timeout',
    'source_store_unavailable',
    'storage_full',
    'storage_unavailable',
    'uri_too_long',
  ])
})
