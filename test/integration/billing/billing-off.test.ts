import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { startBillingApp } from '../../support/stripe/billing-app.ts'

let app: TestApp
let token: string
beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'payer', namespace: 'home', tier: 'free' })
})
afterAll(() => app.close())

const pro = { tier: 'pro', cadence: 'monthly' }
const notConfigured = {
  error: 'billing_not_configured',
  detail: 'no payment provider is configured: the operator must set STRIPE_SECRET_KEY',
  status: 503,
}

describe('without a payment provider', () => {
  it('plans are listed, and nothing is sold', async () => {
    const { status, body } = await app.call('GET', '/v1/billing/plans')
    expect([status, body]).toEqual([
      200,
      {
        plans: [
          expect.objectContaining({ tier: 'pro', planes: ['text', 'visual', 'audio', 'doc_visual'], offers: [] }),
          expect.objectContaining({ tier: 'enterprise', max_documents: null, audit: true, offers: [] }),
        ],
        payment_links: [],
        publishable_key: null,
        configured: false,
      },
    ])
  })

  it('checkout and portal say so', async () => {
    const checkout = await app.call('POST', '/v1/billing/checkout', { token, body: pro })
    expect([checkout.status, checkout.body]).toEqual([503, notConfigured])
    const portal = await app.call('POST', '/v1/billing/portal', { token })
    expect([portal.status, portal.body]).toEqual([503, notConfigured])
  })

  it('what is wrong with a request comes first', async () => {
    const bodies: [object, string][] = [
      [{}, 'cadence: is required'],
      [{ ...pro, tier: 'free' }, 'tier: must be one of enterprise, pro'],
      [{ ...pro, cadence: 'weekly' }, 'cadence: must be one of lifetime, monthly, yearly'],
      [{ ...pro, seats: 3 }, 'seats: unknown field; must be one of cadence, tier'],
    ]
    for (const [body, detail] of bodies) {
      const reply = await app.call('POST', '/v1/billing/checkout', { token, body })
      expect([reply.status, reply.body.detail]).toEqual([400, detail])
    }
    expect((await app.call('POST', '/v1/billing/checkout', { body: pro })).status).toBe(401)
    expect((await app.call('POST', '/v1/billing/portal', { token, body: { x: 1 } })).body.detail).toBe(
      'x: unknown field; none is allowed here',
    )
    const restricted = await app.principal({ id: 'key', namespace: 'home', restrictions: { perms: ['read'] } })
    for (const route of ['checkout', 'portal']) {
      const body = route === 'checkout' ? pro : {}
      const reply = await app.call('POST', `/v1/billing/${route}`, { token: restricted, body })
      expect([route, reply.status, reply.body.error]).toEqual([route, 403, 'forbidden'])
    }
  })

  it('the subscription is an empty list, the webhook and reconciling are closed', async () => {
    const { body } = await app.call('GET', '/v1/billing/subscription', { token })
    expect(body).toEqual({ namespace: 'home', tier: 'free', paid_tier: null, changes_at: null, subscriptions: [] })
    const webhook = await app.call('POST', '/v1/billing/webhook', { body: '{}', headers: { 'stripe-signature': 'x' } })
    expect([webhook.status, webhook.body.error]).toEqual([503, 'webhook_not_configured'])
    for (const given of [undefined, token, 'anything']) {
      const reply = await app.call('POST', '/v1/billing/reconcile', given === undefined ? {} : { token: given })
      expect([reply.status, reply.body.error]).toEqual([401, 'unauthorized'])
    }
  })
})

describe('settings', () => {
  it('a cron secret works without a key, and a key without a webhook secret', async () => {
    const { billing } = readConfig({ CRON_SECRET: 'cron-secret' })
    expect(billing).toMatchObject({ secretKey: null, webhookSecret: null, cronSecret: 'cron-secret' })
    await using open = await startBillingApp({ env: { STRIPE_WEBHOOK_SECRET: '' } })
    expect((await open.reconcile()).status).toBe(200)
    const webhook = await open.app.call('POST', '/v1/billing/webhook', { body: '{}' })
    expect([webhook.status, webhook.body.error]).toEqual([503, 'webhook_not_configured'])
  })

  it('that make no sense stop the start, and are not quoted', () => {
    const wrong: [Record<string, string>, string][] = [
      [{ STRIPE_SECRET_KEY: 'pk_live_hush' }, 'STRIPE_SECRET_KEY: must be a secret or a restricted key'],
      [{ STRIPE_PUBLISHABLE_KEY: 'sk_live_hush' }, 'STRIPE_PUBLISHABLE_KEY: must be a publishable key'],
      [{ STRIPE_API_BASE: 'http://127.0.0.1/v1' }, 'STRIPE_API_BASE: must be an origin'],
      [{ STRIPE_WEBHOOK_SECRET: 'whsec_hush' }, 'STRIPE_WEBHOOK_SECRET: needs STRIPE_SECRET_KEY'],
      [{ STRIPE_PRICE_PRO_YEARLY: 'price_hush' }, 'STRIPE_PRICE_PRO_YEARLY: needs STRIPE_SECRET_KEY'],
      [
        { STRIPE_SECRET_KEY: 'sk_live_hush', STRIPE_PUBLISHABLE_KEY: 'pk_test_hush' },
        'STRIPE_PUBLISHABLE_KEY: is a test key, and STRIPE_SECRET_KEY a live key',
      ],
      [{ CRON_SECRET: 'hush' }, 'CRON_SECRET: must have at least 8 characters'],
      [
        { STRIPE_PRICE_PRO_MONTHLY: 'price_hush', STRIPE_PRICE_ENTERPRISE_MONTHLY: 'price_hush' },
        'STRIPE_PRICE_ENTERPRISE_MONTHLY: is the price of something else already',
      ],
    ]
    for (const [env, problem] of wrong) {
      expect(() => readConfig(env)).toThrow(problem)
      expect(() => readConfig(env)).not.toThrow('hush')
    }
  })
})
