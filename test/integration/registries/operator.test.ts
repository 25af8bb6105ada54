import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { openBrowser } from '../../support/access/browser.ts'
import { signInWith } from '../../support/access/sign-in.ts'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'

/** The operator owns the service: tiers, and admins of namespaces. */

let app: TestApp
beforeAll(async () => {
  app = await boot({ config: { signIn: signInWith() } })
})
afterAll(() => app.close())

const operate = (mutation: string, token = superAdminToken) => app.graphql(`mutation { ${mutation} }`, {}, { token })
const rowsOf = async (namespace: string, action: string) =>
  (await app.call('GET', `/v1/audit?limit=50`, { token: superAdminToken, namespace })).body.rows.filter(
    (row: { action: string }) => row.action === action,
  )

it.each([
  [{}, 'enterprise'],
  [{ DEFAULT_TIER: 'pro' }, 'pro'],
  [{ STRIPE_SECRET_KEY: 'sk_test_1' }, 'free'],
  [{ STRIPE_SECRET_KEY: 'sk_test_1', DEFAULT_TIER: 'enterprise' }, 'enterprise'],
])('gives new homes a tier that depends on what is sold: %o', (env, tier) => {
  expect(readConfig(env).billing.defaultTier).toBe(tier)
})

it('sets tiers, says in a 402 how, and records it once', async () => {
  const browser = openBrowser(app)
  await browser.signUp('owner@example.com')
  const { namespace } = (await browser.call('GET', '/v1/context')).body.principal
  const ask = () => browser.call('POST', '/v1/answer', { body: { q: 'what is here?' } })
  expect((await ask()).status).toBe(200)
  expect((await operate(`setTier(namespace: "${namespace}", tier: free) { tier }`)).body.data.setTier.tier).toBe('free')
  const refused = await ask()
  expect(refused.body).toEqual({
    error: 'upgrade_required',
    detail: `answers require the pro tier; the namespace has free: where plans are sold, its owner can choose one, and the operator of the service can run multimodal-retrieval tier ${namespace} pro`,
    status: 402,
    required_tier: 'pro',
  })
  await operate(`setTier(namespace: "${namespace}", tier: enterprise) { tier }`)
  expect((await ask()).status).toBe(200)
  expect(await rowsOf(namespace, 'namespace.tier')).toMatchObject([
    { principal_id: 'super-admin', target: namespace, detail: { from: 'free', to: 'enterprise', base: 'enterprise' } },
    { detail: { from: 'enterprise', to: 'free', base: 'free' } },
  ])
  const unknown = await operate('setTier(namespace: "nowhere", tier: pro) { tier }')
  expect(unknown.body.errors[0].extensions).toMatchObject({ code: 'not_found', status: 404 })
})

it('makes a person who has signed up an admin, once, also before the first request', async () => {
  const token = await app.principal({ id: 'founder', namespace: 'harbor' })
  const browser = openBrowser(app)
  await browser.signUp('Grace@Example.com')
  const grant = 'grantAdmin(email: "GRACE@example.com", namespace: "harbor") { id scope perms }'
  const first = (await operate(grant)).body.data.grantAdmin
  expect(first).toMatchObject({ scope: '*', perms: ['read', 'write', 'admin'] })
  expect((await operate(grant)).body.data.grantAdmin.id).toBe(first.id)
  expect(await rowsOf('harbor', 'grant.create')).toHaveLength(1)
  expect((await browser.call('GET', '/v1/grants', { namespace: 'harbor' })).status).toBe(200)
  const refusals: [string, string, string?][] = [
    ['grantAdmin(email: "nobody@example.com", namespace: "harbor") { id }', 'bad_request'],
    ['grantAdmin(email: "grace", namespace: "harbor") { id }', 'bad_request'],
    ['grantAdmin(email: "grace@example.com", namespace: "nowhere") { id }', 'not_found'],
    [grant, 'forbidden', token],
  ]
  for (const [mutation, code, by] of refusals) {
    expect((await operate(mutation, by)).body.errors[0].extensions.code).toBe(code)
  }
})
