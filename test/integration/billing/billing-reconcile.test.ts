import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type BillingApp, startBillingApp, subscriptionIn } from '../../support/stripe/billing-app.ts'
import { hasContract } from '../../support/stripe/contract.ts'
import { newId, put } from '../../support/stripe/state.ts'

let billing: BillingApp
beforeAll(async () => {
  billing = await startBillingApp()
})
afterAll(() => billing[Symbol.asyncDispose]())
beforeEach(() => {
  billing.clock.advance(60_000)
})

const nothing = { events: 0, subscriptions: 0, purchases: 0, payers: 0 }
const repaired = ({ events, subscriptions, purchases, payers }: Record<string, { repaired: number }>) => ({
  events: events?.repaired,
  subscriptions: subscriptions?.repaired,
  purchases: purchases?.repaired,
  payers: payers?.repaired,
})
/** Simulates that the deliveries and the list of events are both lost. */
const forgetEvents = () => billing.stripe.state.events.splice(0)

it('is for who has the cron secret', async () => {
  const token = await billing.payer('nosy')
  for (const given of [undefined, token, 'cron-secret-of-test', 'cron-secret-of-testsx']) {
    const options = given === undefined ? {} : { token: given }
    const reply = await billing.app.call('POST', '/v1/billing/reconcile', options)
    expect([reply.status, reply.body.error]).toEqual([401, 'unauthorized'])
  }
  const query = 'mutation { reconcileBilling(secret: "cron-secret-of-tests") { pages nextCursor } }'
  const { body } = await billing.app.graphql(query, {})
  expect(body.data.reconcileBilling).toEqual({ pages: 4, nextCursor: null })
  const bad = await billing.reconcile('?cursor=nowhere')
  expect([bad.status, bad.body.detail]).toEqual([400, 'cursor: must be a next_cursor of an earlier answer'])
})

it('takes in events that never arrived', async () => {
  const token = await billing.payer('undelivered')
  const events = await billing.buy(token, 'pro', 'monthly')
  const { body } = await billing.reconcile()
  expect(await billing.tier(token)).toBe('pro')
  expect(body).toMatchObject({ events: { repaired: 2 }, tiers_changed: 1, next_cursor: null })
  expect(repaired((await billing.reconcile()).body)).toEqual(nothing)
  // A late delivery is a duplicate.
  expect((await billing.deliver(events)).map((reply) => reply.body.duplicate)).toEqual([true, true])
})

it('repairs what no event tells of any more', async () => {
  const { actions } = billing.stripe
  const [a, b, c] = [await billing.payer('raised'), await billing.payer('lowered'), await billing.payer('refunded')]
  const lowered = await billing.buy(b, 'pro', 'monthly')
  const refunded = await billing.buy(c, 'pro', 'lifetime')
  await billing.deliver([...lowered, ...refunded])
  await billing.buy(a, 'enterprise', 'yearly')
  billing.clock.advance(1000)
  actions.giveUp(subscriptionIn(lowered))
  actions.refund(`${refunded[0]?.data.object.id}`)
  forgetEvents()
  const { body } = await billing.reconcile()
  expect(await Promise.all([a, b, c].map(billing.tier))).toEqual(['enterprise', 'free', 'free'])
  // The new subscription with its session, the ended subscription, and the charge.
  expect(repaired(body)).toEqual({ events: 0, subscriptions: 2, purchases: 2, payers: 0 })
  expect(body.tiers_changed).toBe(3)
  expect(repaired((await billing.reconcile()).body)).toEqual(nothing)
})

it('ends what the provider does not know, and mends tiers that were changed beside it', async () => {
  const [gone, touched] = [await billing.payer('gone'), await billing.payer('touched')]
  const events = await billing.buy(gone, 'pro', 'monthly')
  await billing.deliver([...events, ...(await billing.buy(touched, 'pro', 'monthly'))])
  billing.stripe.state.subscriptions.delete(subscriptionIn(events))
  const { catalog } = billing.app.runtime.bindings
  await catalog.provision(async (tx) => {
    const [home] = await tx.billing.namespacesOf('touched')
    await tx.billing.setTier(home?.id ?? '', 'free', 'free')
  })
  expect(await billing.tier(touched)).toBe('free')
  const { body } = await billing.reconcile()
  expect(await Promise.all([gone, touched].map(billing.tier))).toEqual(['free', 'pro'])
  expect(body).toMatchObject({ subscriptions: { repaired: 1 }, payers: { repaired: 1 }, tiers_changed: 2 })
  const { body: view } = await billing.app.call('GET', '/v1/billing/subscription', { token: gone })
  expect(view.subscriptions).toMatchObject([{ status: 'missing', active: false }])
})

it('goes through everything in pages, and leaves strangers alone', async () => {
  const { subscriptions, prices } = billing.stripe.state
  const price = prices.get('price_pro_monthly')
  for (let i = 0; i < 230; i += 1) {
    const items = { data: [{ price, current_period_end: billing.stripe.state.now }] }
    const stranger = { customer: newId('cus'), status: 'active', cancel_at_period_end: false, metadata: {}, items }
    put(subscriptions, { id: newId('sub'), object: 'subscription', ...stranger })
  }
  const { body } = await billing.reconcile()
  expect(body.subscriptions).toEqual({ checked: subscriptions.size, repaired: 0 })
  expect(body.pages).toBe(6)
  expect(body.next_cursor).toBeNull()
  // An interrupted run continues at its cursor.
  const { body: rest } = await billing.reconcile(`?cursor=subscriptions:${[...subscriptions.keys()].at(100)}`)
  expect(rest).toMatchObject({ subscriptions: { checked: 100 }, events: { checked: 0 } })
})

it('does not undo an event that arrives while it runs', async () => {
  const token = await billing.payer('meanwhile')
  const events = await billing.buy(token, 'pro', 'monthly')
  await billing.deliver(events)
  const id = subscriptionIn(events)
  for (let round = 0; round < 5; round += 1) {
    billing.clock.advance(1000)
    const priceId = round % 2 === 0 ? 'price_enterprise_monthly' : 'price_pro_monthly'
    const running = billing.reconcile()
    const [replies] = await Promise.all([billing.deliver(billing.stripe.actions.changePrice(id, priceId)), running])
    expect(replies.map(({ status }) => status)).toEqual([200])
    await billing.settle()
    expect(await billing.tier(token)).toBe(round % 2 === 0 ? 'enterprise' : 'pro')
  }
})

it('does not take an answer for news that is older than what came in meanwhile', async () => {
  const { stripe } = billing
  const token = await billing.payer('overtaken')
  const events = await billing.buy(token, 'pro', 'monthly')
  await billing.deliver(events)
  const gate = Promise.withResolvers<void>()
  stripe.held = { call: 'GET /v1/subscriptions', gate: gate.promise }
  const asked = stripe.calls.length
  const running = billing.reconcile()
  await expect.poll(() => stripe.calls.slice(asked)).toContain('GET /v1/subscriptions')
  billing.clock.advance(1000)
  await billing.deliver(stripe.actions.changePrice(subscriptionIn(events), 'price_enterprise_monthly'))
  gate.resolve()
  stripe.held = null
  expect((await running).body).toMatchObject({ subscriptions: { repaired: 0 }, tiers_changed: 0 })
  expect(await billing.tier(token)).toBe('enterprise')
})

it.skipIf(!hasContract)(
  'asks for nothing that the API document of Stripe does not know (needs ../shared)',
  async () => {
    expect(billing.stripe.calls.length).toBeGreaterThan(30)
    expect(billing.stripe.violations).toEqual([])
    // Proves that the check can fail.
    const wrong = {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_of_the_local_stripe' },
      body: 'mode=sideways',
    }
    await fetch(`${billing.stripe.url}/v1/checkout/sessions`, wrong)
    await fetch(`${billing.stripe.url}/v1/subscriptions?status=odd`, { headers: wrong.headers })
    expect(billing.stripe.violations).toHaveLength(2)
  },
)
