import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import type { Catalog } from '../../../src/ports/catalog.ts'
import { type BillingApp, startBillingApp, subscriptionIn } from '../../support/stripe/billing-app.ts'
import { get } from '../../support/stripe/state.ts'

let billing: BillingApp
beforeAll(async () => {
  billing = await startBillingApp()
})
afterAll(() => billing[Symbol.asyncDispose]())
beforeEach(() => {
  billing.stripe.fault = 'none'
})

const isPrisma = (catalog: Catalog): catalog is PrismaCatalog => 'client' in catalog
const day = 24 * 60 * 60 * 1000
let made = 0
const newPayer = async () => {
  const id = `payer-${++made}`
  return { id, token: await billing.payer(id), home: `home-of-${id}` }
}
/** Creates a payer with a monthly Pro subscription; also returns the subscription's id. */
const newSubscriber = async () => {
  const payer = await newPayer()
  const events = await billing.buy(payer.token, 'pro', 'monthly')
  await billing.deliver(events)
  return { ...payer, subscription: subscriptionIn(events) }
}
const rows = async (token: string) =>
  (await billing.app.call('GET', '/v1/billing/subscription', { token })).body.subscriptions
const ingest = (token: string, modality: string) =>
  billing.app.call('POST', '/v1/ingest', { token, body: { units: [{ modality, text: 'a pier', scope: 'quay' }] } })

describe('a subscription', () => {
  it('opens its tier with the webhook, and lists itself', async () => {
    const { token, home } = await newPayer()
    const events = await billing.buy(token, 'pro', 'monthly')
    expect(await billing.tier(token)).toBe('free')
    const replies = await billing.deliver(events)
    expect(replies.map(({ status, body }) => [status, body])).toEqual([
      [200, { received: true, duplicate: false }],
      [200, { received: true, duplicate: false }],
    ])
    const { body } = await billing.app.call('GET', '/v1/billing/subscription', { token })
    const id = subscriptionIn(events)
    const period_end = get(billing.stripe.state.subscriptions, id).items.data[0].current_period_end * 1000
    const row = { id, tier: 'pro', cadence: 'monthly', status: 'active', active: true, ends_at: null, period_end }
    expect(body).toEqual({ namespace: home, tier: 'pro', paid_tier: 'pro', changes_at: null, subscriptions: [row] })
  })

  it('is upgraded and downgraded with its price', async () => {
    const { actions } = billing.stripe
    const { token, subscription } = await newSubscriber()
    await billing.deliver(actions.changePrice(subscription, 'price_enterprise_yearly'))
    await billing.settle()
    expect(await billing.tier(token)).toBe('enterprise')
    expect(await rows(token)).toMatchObject([{ tier: 'enterprise', cadence: 'yearly' }])
    billing.clock.advance(day)
    await billing.deliver(actions.changePrice(subscription, 'price_pro_yearly'))
    expect(await billing.tier(token)).toBe('pro')
  })

  it('counts until the end of its period when it is cancelled, and not beyond', async () => {
    const { token, subscription } = await newSubscriber()
    billing.clock.advance(day)
    await billing.deliver(billing.stripe.actions.cancelAtPeriodEnd(subscription))
    const [row] = await rows(token)
    expect(row).toMatchObject({ status: 'active', active: true, ends_at: row.period_end })
    billing.clock.advance(row.ends_at - billing.clock.now() - 1000)
    await billing.settle()
    expect(await billing.tier(token)).toBe('pro')
    // The tier ends before the provider reports it.
    billing.clock.advance(1000)
    await billing.settle()
    expect(await billing.tier(token)).toBe('free')
    await billing.deliver(billing.stripe.actions.endPeriod(subscription))
    expect(await rows(token)).toMatchObject([{ status: 'canceled', active: false }])
  })

  it('can be resumed before its end, and is renewed', async () => {
    const { token, subscription } = await newSubscriber()
    const { actions } = billing.stripe
    billing.clock.advance(day)
    await billing.deliver(actions.cancelAtPeriodEnd(subscription))
    billing.clock.advance(day)
    await billing.deliver(actions.cancelAtPeriodEnd(subscription, false))
    billing.clock.advance(29 * day)
    await billing.deliver(actions.endPeriod(subscription))
    await billing.settle()
    expect(await billing.tier(token)).toBe('pro')
  })

  it('counts for two weeks after a failed payment', async () => {
    const { token, subscription } = await newSubscriber()
    const { actions } = billing.stripe
    billing.clock.advance(day)
    await billing.deliver(actions.failPayment(subscription))
    billing.clock.advance(5 * day)
    // The same failure again does not restart the grace period.
    await billing.deliver(actions.failPayment(subscription))
    billing.clock.advance(9 * day - 1000)
    await billing.settle()
    expect(await rows(token)).toMatchObject([
      { status: 'past_due', active: true, ends_at: billing.clock.now() + 1000 - (billing.clock.now() % 1000) },
    ])
    expect(await billing.tier(token)).toBe('pro')
    billing.clock.advance(1000)
    await billing.settle()
    expect(await billing.tier(token)).toBe('free')
    await billing.deliver(actions.recover(subscription))
    expect(await billing.tier(token)).toBe('pro')
    billing.clock.advance(day)
    await billing.deliver(actions.failPayment(subscription))
    expect(await billing.tier(token)).toBe('pro')
    billing.clock.advance(day)
    await billing.deliver(actions.giveUp(subscription))
    expect(await billing.tier(token)).toBe('free')
  })

  it('leaves everything in place when it ends: reads go on, writes beyond the tier are 402', async () => {
    const { token, subscription } = await newSubscriber()
    expect((await ingest(token, 'image')).status).toBe(200)
    expect((await ingest(token, 'text')).status).toBe(200)
    expect((await billing.app.call('GET', '/v1/audit', { token })).status).toBe(200)
    await billing.deliver(billing.stripe.actions.giveUp(subscription))
    await billing.settle()
    expect(await billing.tier(token)).toBe('free')
    const listed = await billing.app.call('GET', '/v1/units', { token })
    expect(listed.body.units.map((unit: { modality: string }) => unit.modality)).toEqual(['image', 'text'])
    const found = await billing.app.call('POST', '/v1/search', { token, body: { q: 'pier' } })
    expect(found.body.hits).toHaveLength(1)
    const refused = await ingest(token, 'image')
    expect(refused.body).toMatchObject({ error: 'upgrade_required', status: 402, required_tier: 'pro' })
    expect((await billing.app.call('GET', '/v1/audit', { token })).body.error).toBe('upgrade_required')
    expect((await ingest(token, 'text')).status).toBe(200)
  })
})

it('leaves a namespace that is beyond the lower cap as it is: it may change and shrink, not grow', async () => {
  const { token, subscription, home } = await newSubscriber()
  const put = (external_id: string, text: string) =>
    billing.app.call('POST', '/v1/ingest', { token, body: { units: [{ external_id, text, scope: 'quay' }] } })
  await put('known', 'a pier')
  const { catalog } = billing.app.runtime.bindings
  if (!isPrisma(catalog)) throw new Error('the catalog keeps no tables')
  // Simulates growth to this size during the Pro subscription.
  await catalog.client.head.updateMany({ where: { namespace: { name: home } }, data: { documents: 25_001 } })
  expect((await put('pro', 'more')).status).toBe(200)
  await billing.deliver(billing.stripe.actions.giveUp(subscription))
  await billing.settle()
  expect((await put('free', 'one too many')).body).toMatchObject({ error: 'quota_exceeded', required_tier: 'pro' })
  expect((await put('known', 'a changed pier')).status).toBe(200)
  const body = { filter: { external_id: 'pro' } }
  expect((await billing.app.call('POST', '/v1/units:delete', { token, body })).body.matched).toBe(1)
  expect((await billing.app.call('GET', '/v1/units', { token })).body.units).toHaveLength(1)
})

it('is bought and managed over GraphQL alike', async () => {
  const { token, home } = await newPayer()
  const bought = await billing.app.graphql(
    'mutation { createCheckout(input: { tier: enterprise, cadence: lifetime }) { url expiresAt } }',
    {},
    { token },
  )
  const { url, expiresAt } = bought.body.data.createCheckout
  expect(expiresAt).toBeGreaterThan(billing.clock.now())
  await billing.deliver(billing.stripe.actions.pay(url))
  const { body } = await billing.app.graphql(
    '{ billingSubscription { namespace tier paidTier subscriptions { cadence status } } billingPlans { configured plans { tier offers { priceId } } } }',
    {},
    { token },
  )
  const subscriptions = [{ cadence: 'lifetime', status: 'paid' }]
  expect(body.data.billingSubscription).toEqual({
    namespace: home,
    tier: 'enterprise',
    paidTier: 'enterprise',
    subscriptions,
  })
  expect(body.data.billingPlans).toMatchObject({ configured: true, plans: [{ tier: 'pro' }, { tier: 'enterprise' }] })
  const portal = await billing.app.graphql('mutation { createBillingPortal { url } }', {}, { token })
  expect(portal.body.data.createBillingPortal.url).toContain('/portal/')
})

describe('a lifetime', () => {
  const newOwner = async () => {
    const payer = await newPayer()
    const events = await billing.buy(payer.token, 'enterprise', 'lifetime')
    await billing.deliver(events)
    expect(await billing.tier(payer.token)).toBe('enterprise')
    return { ...payer, session: `${events[0]?.data.object.id}` }
  }

  it('never lapses, and outlives a subscription', async () => {
    const { token } = await newOwner()
    billing.clock.advance(3650 * day)
    await billing.settle()
    expect(await billing.tier(token)).toBe('enterprise')
    const again = await billing.checkout(token, 'pro', 'monthly')
    expect([again.status, again.body.error]).toEqual([400, 'bad_request'])
  })

  it('ends with a full refund, not with a part of it', async () => {
    const { token, session } = await newOwner()
    await billing.deliver(billing.stripe.actions.refund(session, 1))
    expect(await billing.tier(token)).toBe('enterprise')
    billing.clock.advance(day)
    await billing.deliver(billing.stripe.actions.refund(session))
    expect(await billing.tier(token)).toBe('free')
    expect(await rows(token)).toMatchObject([{ cadence: 'lifetime', status: 'refunded', active: false }])
  })

  it('rests while it is disputed, and ends with a lost dispute alone', async () => {
    const [winner, loser] = [await newOwner(), await newOwner()]
    const { actions } = billing.stripe
    await billing.deliver([...actions.dispute(winner.session), ...actions.dispute(loser.session)])
    expect([await billing.tier(winner.token), await billing.tier(loser.token)]).toEqual(['free', 'free'])
    billing.clock.advance(day)
    await billing.deliver([
      ...actions.closeDispute(winner.session, 'won'),
      ...actions.closeDispute(loser.session, 'lost'),
    ])
    expect([await billing.tier(winner.token), await billing.tier(loser.token)]).toEqual(['enterprise', 'free'])
  })
})

it('asks the provider for nothing that its API does not know', () => {
  expect(billing.stripe.calls.length).toBeGreaterThan(10)
  expect(billing.stripe.violations).toEqual([])
})
