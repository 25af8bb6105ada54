import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BillingApp, startBillingApp, subscriptionIn } from '../../support/stripe/billing-app.ts'
import { liveSecretKey } from '../../support/stripe/local-stripe.ts'
import { emit, newId, put, type StripeEvent } from '../../support/stripe/state.ts'

const liveEnv = { STRIPE_SECRET_KEY: liveSecretKey, STRIPE_PUBLISHABLE_KEY: 'pk_live_of_the_local_stripe' }
const modes: [string, boolean, Record<string, string>][] = [
  ['live', true, liveEnv],
  ['test', false, {}],
]

/** Creates a subscription of the given mode at the provider; returns its event. */
function subscribe(billing: BillingApp, principal_id: string, livemode: boolean): StripeEvent {
  const { state } = billing.stripe
  const subscription = put(state.subscriptions, {
    id: newId('sub'),
    object: 'subscription',
    customer: newId('cus'),
    status: 'active',
    livemode,
    created: state.now,
    metadata: { principal_id },
    items: { object: 'list', data: [{ price: state.prices.get('price_pro_monthly'), current_period_end: 4e9 }] },
  })
  return Object.assign(emit(state, 'customer.subscription.created', subscription), { livemode })
}

describe.each(modes)('with a %s key', (_mode, livemode, env) => {
  let billing: BillingApp
  beforeAll(async () => {
    billing = await startBillingApp({ env })
  })
  afterAll(() => billing[Symbol.asyncDispose]())

  it('an event of the other mode is refused and raises nothing, however it says so', async () => {
    const token = await billing.payer('tester')
    const foreign = subscribe(billing, 'tester', !livemode)
    // The flag of either the event or its object is enough.
    const { id, data } = foreign
    const disguised = { ...foreign, id: `${id}x`, livemode, data: { object: { ...data.object, livemode: !livemode } } }
    for (const event of [
      foreign,
      { ...foreign, id: `${id}y`, data: { object: { ...data.object, livemode } } },
      disguised,
    ]) {
      const [reply] = await billing.deliver([event])
      expect([reply?.status, reply?.body.error]).toEqual([400, 'bad_request'])
      expect(reply?.body.detail).toMatch(/^livemode: must be /)
    }
    expect(await billing.tier(token)).toBe('free')
  })

  it('reconciling takes nothing of the other mode in, and takes back what is of it', async () => {
    const token = await billing.payer('corrected')
    const foreign = subscribe(billing, 'corrected', !livemode)
    expect((await billing.reconcile()).status).toBe(200)
    expect(await billing.tier(token)).toBe('free')
    // Simulates that it was accepted earlier.
    const { object } = foreign.data
    const [reply] = await billing.deliver([{ ...foreign, livemode, data: { object: { ...object, livemode } } }])
    expect([reply?.status, await billing.tier(token)]).toEqual([200, 'pro'])
    billing.clock.advance(60_000)
    billing.stripe.state.events.splice(0)
    await billing.reconcile()
    expect(await billing.tier(token)).toBe('free')
  })

  it('what is of its own mode counts', async () => {
    const token = await billing.payer('customer')
    const event = subscribe(billing, 'customer', livemode)
    expect((await billing.deliver([event])).map(({ status }) => status)).toEqual([200])
    expect(await billing.tier(token)).toBe('pro')
    expect(subscriptionIn([event])).not.toBe('none')
  })
})

it('a page of the other mode is never handed out to pay on', async () => {
  // The local Stripe creates all objects in test mode.
  await using billing = await startBillingApp({ env: liveEnv })
  const reply = await billing.checkout(await billing.payer('buyer'), 'pro', 'monthly')
  expect([reply.status, reply.body.error]).toEqual([503, 'billing_unavailable'])
})
