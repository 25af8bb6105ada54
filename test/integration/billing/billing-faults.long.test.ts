import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sampled } from '../../support/amounts.ts'
import { type BillingApp, startBillingApp, subscriptionIn } from '../../support/stripe/billing-app.ts'
import { type Fault, secretKey, webhookSecret } from '../../support/stripe/local-stripe.ts'
import { emit, put } from '../../support/stripe/state.ts'
import { waited } from '../../support/waited.ts'

const timeoutMs = 2000
let billing: BillingApp
let token: string
let customerToken: string
beforeAll(async () => {
  billing = await startBillingApp({ env: { STRIPE_TIMEOUT_MS: `${timeoutMs}` } })
  token = await billing.payer('payer')
  customerToken = await billing.payer('customer')
  await billing.checkout(customerToken, 'pro', 'monthly')
})
afterAll(() => billing[Symbol.asyncDispose]())
beforeEach(() => {
  billing.stripe.fault = 'none'
})

const unavailable = {
  error: 'billing_unavailable',
  detail: 'the payment provider is unavailable; try again later',
  status: 503,
}
const faults: Fault[] = ['down', 'slow', 'trickling', 'broken', 'limited', 'senseless']

describe.each(sampled(faults, 3))('with the provider %s', (fault) => {
  it('what needs it is 503 billing_unavailable within its time', async () => {
    billing.stripe.fault = fault
    const { result: replies, ms } = await waited(() =>
      Promise.all([
        billing.checkout(token, 'pro', 'monthly'),
        billing.app.call('POST', '/v1/billing/portal', { token: customerToken }),
        billing.reconcile(),
      ]),
    )
    expect(ms).toBeLessThan(timeoutMs + 2000)
    for (const reply of replies) expect([reply.status, reply.body]).toEqual([503, unavailable])
  })

  it('plans, the subscription and events go on', async () => {
    const payer = await billing.payer(`paid-while-${fault}`)
    const events = await billing.buy(payer, 'pro', 'monthly')
    billing.clock.advance(61_000)
    billing.stripe.fault = fault
    const plans = await billing.app.call('GET', '/v1/billing/plans')
    expect([plans.status, plans.body.plans.length, plans.body.configured]).toEqual([200, 2, true])
    await billing.deliver(events)
    expect(await billing.tier(payer)).toBe('pro')
  })
})

it('plans remember what was listed last, and ask once a minute', async () => {
  const { state, calls } = billing.stripe
  const line_items = [{ price: state.prices.get('price_pro_monthly'), quantity: 1 }]
  const url = 'https://buy.stripe.test/pro'
  put(state.links, { id: 'plink_1', object: 'payment_link', active: true, url, line_items: { data: line_items } })
  billing.clock.advance(61_000)
  const list = () => billing.app.call('GET', '/v1/billing/plans')
  const [first] = await Promise.all([list(), list(), list()])
  const asked = calls.length
  expect(first?.body.payment_links).toEqual([{ tier: 'pro', cadence: 'monthly', url }])
  expect(first?.body.plans[0].offers[0]).toEqual({
    cadence: 'monthly',
    price_id: 'price_pro_monthly',
    currency: 'eur',
    unit_amount: 1000,
  })
  await list()
  expect(calls.length).toBe(asked)
  billing.clock.advance(61_000)
  billing.stripe.fault = 'down'
  expect((await list()).body).toEqual(first?.body)
  expect(calls.length).toBeGreaterThan(asked)
})

it('an unanswered question is sent again', async () => {
  const payer = await billing.payer('asked-again')
  const events = await billing.buy(payer, 'enterprise', 'yearly')
  billing.stripe.fault = 'down'
  await billing.deliver(events.filter(({ type }) => type === 'checkout.session.completed'))
  await billing.settle()
  const rows = async () =>
    (await billing.app.call('GET', '/v1/billing/subscription', { token: payer })).body.subscriptions
  expect(await rows()).toMatchObject([{ active: true, period_end: null }])
  billing.stripe.fault = 'none'
  billing.clock.advance(6000)
  await billing.settle()
  expect(await rows()).toMatchObject([{ id: subscriptionIn(events), active: true, period_end: expect.any(Number) }])
})

it('two checkouts at once make one customer', async () => {
  const payer = await billing.payer('twice')
  const before = billing.stripe.state.customers.size
  const replies = await Promise.all([
    billing.checkout(payer, 'pro', 'monthly'),
    billing.checkout(payer, 'pro', 'yearly'),
    billing.checkout(payer, 'pro', 'lifetime'),
  ])
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(new Set(replies.map(({ body }) => body.url)).size).toBe(3)
  expect(billing.stripe.state.customers.size).toBe(before + 1)
})

it('nobody is led to pay twice', async () => {
  const payer = await billing.payer('careful')
  await billing.deliver(await billing.buy(payer, 'pro', 'monthly'))
  const second = await billing.checkout(payer, 'enterprise', 'monthly')
  expect([second.status, second.body.detail]).toEqual([
    400,
    'tier: a subscription exists; change it in the billing portal',
  ])
  expect((await billing.checkout(payer, 'pro', 'lifetime')).status).toBe(200)
})

it('a portal takes a checkout first, and leads to the provider', async () => {
  const none = await billing.app.call('POST', '/v1/billing/portal', { token: await billing.payer('fresh') })
  expect([none.status, none.body.error]).toEqual([400, 'bad_request'])
  const open = await billing.app.call('POST', '/v1/billing/portal', { token: customerToken, body: {} })
  expect(open.body).toEqual({ url: expect.stringContaining(`${billing.stripe.url}/portal/`) })
})

it('no secret is in a log, an error or the schema, whatever the provider quotes', async () => {
  billing.stripe.fault = 'broken'
  await billing.checkout(token, 'pro', 'monthly')
  const { body, signature } = billing.stripe.sign(emit(billing.stripe.state, 'x', { id: 'x', object: 'x' }), 1)
  const replies = [
    await billing.checkout(token, 'pro', 'monthly'),
    await billing.app.call('POST', '/v1/billing/webhook', { body, headers: { 'stripe-signature': signature } }),
    await billing.app.graphql('mutation { reconcileBilling(secret: "a guess") { pages } }', {}),
    await billing.app.graphql('{ __schema { types { name description fields { name description } } } }', {}),
    await billing.app.call('GET', '/openapi.json'),
    await billing.app.call('GET', '/v1/billing/plans'),
    await billing.app.call('GET', '/v1/health'),
  ]
  const seen = [...billing.logged, ...replies.map((reply) => JSON.stringify(reply.body))].join('\n')
  expect(billing.logged.length).toBeGreaterThan(0)
  for (const secret of [secretKey, webhookSecret, 'cron-secret-of-tests', 'a guess', signature]) {
    expect(seen).not.toContain(secret)
  }
})

it('asks the provider for nothing that its API does not know', () => {
  expect(billing.stripe.violations).toEqual([])
})
