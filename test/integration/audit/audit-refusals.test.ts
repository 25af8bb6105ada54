import { afterAll, beforeAll, expect, test } from 'vitest'
import { superAdminToken, type TestApp } from '../../support/boot.ts'
import { type ObservedCatalog, openObserved } from '../../support/database/observed-catalog.ts'

let app: TestApp & Pick<ObservedCatalog, 'chain'>
let observed: ObservedCatalog
let now = 1_000_000

beforeAll(async () => {
  observed = await openObserved()
  // With `sync` a row exists before the answer is sent.
  const audit = { reads: 'sync', queries: { kind: 'none' } } as const
  app = { ...(await observed.app(audit, { clock: { now: () => now } })), chain: observed.chain }
})

afterAll(() => observed.close())

const refusals = async (namespace: string) =>
  (await app.chain(namespace)).filter((row) => row.action === 'request.refused')

const row = (principalId: string, outcome: string, detail: object, requestId: unknown = expect.any(String)) => ({
  ...{ principalId, action: 'request.refused', target: null, outcome, requestId, detail },
})

const units = (unit: object) => ({ units: [unit] })

test('a refusal stands in the home of who asked, with its outcome and operation', async () => {
  const grants = [{ scope: '*', perms: ['read'] as const }]
  const rita = await app.principal({ id: 'rita', namespace: 'acme', grants })
  const headers = { 'x-request-id': 'first' }
  await app.call('POST', '/v1/ingest', { token: rita, scope: 'a', body: units({ text: 'a secret' }), headers })
  await app.graphql('mutation { a: createScope(input: {scope: "b"}) { scope } }', {}, { token: rita })
  expect(await refusals('acme')).toEqual([
    row('rita', 'forbidden', { operation: 'POST /v1/ingest', namespace: 'acme' }, 'first'),
    row('rita', 'forbidden', { operation: 'createScope', namespace: 'acme' }),
  ])

  const fay = await app.principal({ id: 'fay', namespace: 'small', tier: 'free', signedUp: true })
  await app.call('POST', '/v1/ingest', { token: fay, scope: 'a', body: units({ text: 'x', modality: 'image' }) })
  const claim = (namespace: string) => app.call('POST', '/v1/namespaces', { token: fay, body: { namespace } })
  const replies = [await claim('fay-one'), await claim('fay-two')]
  expect(replies.map((reply) => reply.status)).toEqual([200, 402])
  const chains = [...(await refusals('small')), ...(await refusals('fay-one'))]
  expect(chains.map(({ outcome, detail }) => [outcome, detail.operation])).toEqual([
    ['upgrade_required', 'POST /v1/ingest'],
    ['quota_exceeded', 'POST /v1/namespaces'],
  ])
})

test("an outsider leaves no trace in a stranger's log, and its own names the stranger only if it was let in", async () => {
  await app.principal({ id: 'sam', namespace: 'stranger' })
  const grants = [{ scope: '*', perms: ['read'] as const, namespace: 'partner' }]
  const otto = await app.principal({ id: 'otto', namespace: 'otto-home', grants })
  const ingest = (namespace: string) =>
    app.call('POST', '/v1/ingest', { token: otto, namespace, scope: 'a', body: units({ text: 'x' }) })
  for (const namespace of ['stranger', 'nowhere', 'partner']) expect((await ingest(namespace)).status).toBe(403)
  const query = { token: otto, namespace: 'stranger' }
  expect((await app.graphql('{ context { perms } }', {}, query)).status).toBe(403)
  expect(await refusals('otto-home')).toEqual([
    row('otto', 'forbidden', { operation: 'POST /v1/ingest' }),
    row('otto', 'forbidden', { operation: 'POST /v1/ingest' }),
    row('otto', 'forbidden', { operation: 'POST /v1/ingest', namespace: 'partner' }),
    row('otto', 'forbidden', { operation: 'graphql' }),
  ])
  for (const namespace of ['stranger', 'partner']) expect(await app.chain(namespace)).toEqual([])
})

test('refusals of unknown callers are not recorded', async () => {
  const token = await app.principal({ id: 'ann', namespace: 'quiet' })
  const replies = [
    await app.call('GET', '/v1/units/unit_unknown', { token }),
    await app.call('GET', '/v1/nothing', { token }),
    await app.call('POST', '/v1/search', { token, body: { q: 7 } }),
    await app.call('GET', '/v1/context', { token: 'svc_sk_wrong', namespace: 'quiet' }),
    await app.call('GET', '/v1/context', { namespace: 'quiet' }),
    await app.call('GET', '/v1/context', { token: superAdminToken, namespace: 'nowhere' }),
    await app.graphql('mutation { createApiKey(input: {name: "k"}) { token } }', {}, { token: superAdminToken }),
  ]
  expect(replies.map((reply) => reply.status)).toEqual([404, 404, 400, 401, 401, 403, 200])
  expect(replies.at(-1)?.body.errors[0].extensions.code).toBe('forbidden')
  expect(await app.chain('quiet')).toEqual([])
  expect(await app.chain('demo')).toEqual([])
})

test('beyond some hundreds a minute, refusals of a principal are only counted', async () => {
  const token = await app.principal({ id: 'bea', namespace: 'busy', grants: [{ scope: '*', perms: ['read'] }] })
  const other = await app.principal({ id: 'bob', namespace: 'busy', grants: [{ scope: '*', perms: ['read'] }] })
  const refused = (as: string) => app.call('POST', '/v1/scopes', { token: as, body: { scope: 'x' } })
  for (let i = 0; i < 10; i += 1) await Promise.all(Array.from({ length: 25 }, () => refused(token)))
  await refused(other)
  const rows = await refusals('busy')
  expect(rows.filter((row) => row.principalId === 'bea')).toHaveLength(199)
  expect(rows.filter((row) => row.principalId === 'bob')).toHaveLength(1)

  now += 60_000
  await refused(token)
  const detail = { operation: 'POST /v1/scopes', namespace: 'busy' }
  expect((await refusals('busy')).slice(200).map((row) => row.detail)).toEqual([{ ...detail, more: 50 }, detail])

  for (let i = 0; i < 8; i += 1) await Promise.all(Array.from({ length: 25 }, () => refused(token)))
  now += 60_000
  app.runtime.domain.background.kick()
  await app.runtime.domain.background.idle()
  expect((await refusals('busy')).at(-1)?.detail).toEqual({ ...detail, more: 1 })
  expect(await refusals('busy')).toHaveLength(202 + 199)
})

test('a flood of one operation hides no other, nor another target or outcome of the same', async () => {
  const grants = [
    { scope: '*', perms: ['read'] as const },
    { scope: '*', perms: ['read'] as const, namespace: 'partner' },
  ]
  const token = await app.principal({ id: 'flo', namespace: 'flooded', tier: 'pro', grants })
  const paths = ['/v1/scopes', '/v1/compaction', '/v1/units:delete', '/v1/ingest'] as const
  const bodies = {
    '/v1/scopes': { scope: 'x' },
    '/v1/units:delete': { ids: ['u'] },
    '/v1/ingest': units({ text: 'x' }),
  }
  const refused = (path: string, namespace?: string) =>
    app.call('POST', path, {
      token,
      scope: 's',
      body: bodies[path as keyof typeof bodies],
      ...(namespace ? { namespace } : {}),
    })
  await times(220, () => refused('/v1/scopes'))
  await times(30, () => refused('/v1/scopes', 'partner'))
  await times(20, () => refused('/v1/scopes', 'nowhere'))
  for (const path of paths.slice(1)) await times(10, () => refused(path))
  const atOnce = (await refusals('flooded')).map(({ detail }) => detail)
  for (const path of paths.slice(1)) {
    expect(atOnce.filter(({ operation }) => operation === `POST ${path}`)).toEqual([
      { operation: `POST ${path}`, namespace: 'flooded' },
    ])
  }
  now += 60_000
  app.runtime.domain.background.kick()
  await app.runtime.domain.background.idle()
  const counts = new Map<string, number>()
  for (const { detail } of await refusals('flooded')) {
    const key = `${detail.operation} ${detail.namespace}`
    counts.set(key, (counts.get(key) ?? 0) + 1 + Number(detail.more ?? 0))
  }
  expect(Object.fromEntries(counts)).toEqual({
    'POST /v1/scopes flooded': 220,
    'POST /v1/scopes partner': 30,
    'POST /v1/scopes undefined': 20,
    'POST /v1/compaction flooded': 10,
    'POST /v1/units:delete flooded': 10,
    'POST /v1/ingest flooded': 10,
  })
})

async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i += 10) await Promise.all(Array.from({ length: Math.min(10, count - i) }, work))
}
