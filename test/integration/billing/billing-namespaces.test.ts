import { afterAll, beforeAll, expect, it } from 'vitest'
import { superAdminToken } from '../../support/boot.ts'
import { type BillingApp, startBillingApp, subscriptionIn } from '../../support/stripe/billing-app.ts'

/** Which namespaces a payment upgrades, and their tier after it ends. */

let billing: BillingApp
beforeAll(async () => {
  billing = await startBillingApp()
})
afterAll(() => billing[Symbol.asyncDispose]())

const subscribe = async (token: string, tier = 'pro') => {
  const events = await billing.buy(token, tier, 'monthly')
  await billing.deliver(events)
  return subscriptionIn(events)
}
const end = (subscription: string) => billing.deliver(billing.stripe.actions.giveUp(subscription))
const tierOf = async (namespace: string) =>
  (await billing.app.call('GET', `/v1/namespaces/${namespace}`, { token: superAdminToken })).body.tier
const claim = (token: string, namespace: string) =>
  billing.app.call('POST', '/v1/namespaces', { token, body: { namespace } })

it('raises the home and what the payer owns, then and later, as long as it pays', async () => {
  const home = { namespace: 'home-of-owner', tier: 'free', signedUp: true } as const
  const token = await billing.app.principal({ id: 'owner', ...home })
  await billing.app.call('POST', '/v1/scopes', { token, body: { scope: 'here-to-stay' } })
  expect((await claim(token, 'owned-before')).body).toMatchObject({ tier: 'free', home: false })
  expect((await claim(token, 'too-many')).body).toMatchObject({ error: 'quota_exceeded', required_tier: 'pro' })
  const subscription = await subscribe(token)
  expect((await claim(token, 'owned-after')).body).toMatchObject({ tier: 'pro', home: false })
  const all = ['home-of-owner', 'owned-before', 'owned-after']
  expect(await Promise.all(all.map(tierOf))).toEqual(['pro', 'pro', 'pro'])
  await end(subscription)
  expect(await Promise.all(all.map(tierOf))).toEqual(['free', 'free', 'free'])
  // Existing namespaces stay, but no further claim is possible.
  expect((await claim(token, 'one-more')).body.error).toBe('quota_exceeded')
})

it('leaves the old home behind with what others pay for it', async () => {
  const mover = await billing.payer('mover')
  const subscription = await subscribe(mover)
  expect((await claim(mover, 'moved-to')).body).toMatchObject({ tier: 'pro', home: true })
  expect([await tierOf('home-of-mover'), await tierOf('moved-to')]).toEqual(['free', 'pro'])
  await end(subscription)
  expect(await tierOf('moved-to')).toBe('free')
})

it('never lowers what the operator set, and keeps to it when the payment ends', async () => {
  const token = await billing.payer('favoured')
  const set = (tier: string) =>
    billing.app.graphql(`mutation { setTier(namespace: "home-of-favoured", tier: ${tier}) { tier } }`, {}, operator)
  const operator = { token: superAdminToken, namespace: 'home-of-favoured' }
  const subscription = await subscribe(token, 'pro')
  // What is paid for stays in effect.
  expect((await set('free')).body.data.setTier.tier).toBe('pro')
  expect((await set('enterprise')).body.data.setTier.tier).toBe('enterprise')
  await end(subscription)
  expect(await tierOf('home-of-favoured')).toBe('enterprise')
  const again = await subscribe(token, 'pro')
  expect(await tierOf('home-of-favoured')).toBe('enterprise')
  expect((await set('free')).body.data.setTier.tier).toBe('pro')
  await end(again)
  expect(await tierOf('home-of-favoured')).toBe('free')
  const { rows } = (await billing.app.call('GET', '/v1/audit', operator)).body
  expect(rows ?? []).toEqual([])
})

it('keeps the higher of two payers in one home', async () => {
  const home = { namespace: 'shared-home', tier: 'free' } as const
  const [one, two] = [
    await billing.app.principal({ id: 'one', ...home }),
    await billing.app.principal({ id: 'two', ...home }),
  ]
  const pro = await subscribe(one, 'pro')
  const enterprise = await subscribe(two, 'enterprise')
  expect(await tierOf('shared-home')).toBe('enterprise')
  await end(enterprise)
  expect(await tierOf('shared-home')).toBe('pro')
  await end(pro)
  expect(await tierOf('shared-home')).toBe('free')
})

it('never lowers a tier that is not paid for', async () => {
  const token = await billing.app.principal({ id: 'given', namespace: 'given-enterprise', tier: 'enterprise' })
  const subscription = await subscribe(token, 'pro')
  expect(await tierOf('given-enterprise')).toBe('enterprise')
  await end(subscription)
  expect(await tierOf('given-enterprise')).toBe('enterprise')
  await billing.reconcile()
  expect(await tierOf('given-enterprise')).toBe('enterprise')
})

it('acknowledges what it hears of a payer whose home was deleted', async () => {
  const token = await billing.payer('leaver')
  const subscription = await subscribe(token)
  await billing.app.call('DELETE', '/v1/namespaces/home-of-leaver', { token })
  const [reply] = await end(subscription)
  expect(reply?.body).toEqual({ received: true, duplicate: false })
})

it('records every change of a tier in the log of its namespace', async () => {
  const token = await billing.app.principal({ id: 'recorded', namespace: 'recorded', tier: 'pro' })
  const subscription = await subscribe(token, 'enterprise')
  await end(subscription)
  const { body } = await billing.app.call('GET', '/v1/audit', { token })
  const seen = body.rows.filter(({ action }: { action: string }) => action.startsWith('billing.'))
  expect(seen.map((row: { action: string; detail: object }) => [row.action, row.detail])).toEqual([
    ['billing.event', { type: 'customer.subscription.deleted', payer: 'recorded' }],
    ['billing.tier', { from: 'enterprise', to: 'pro' }],
    ['billing.event', { type: 'checkout.session.completed', payer: 'recorded' }],
    ['billing.event', { type: 'customer.subscription.created', payer: 'recorded' }],
    ['billing.tier', { from: 'pro', to: 'enterprise' }],
    ['billing.checkout', { tier: 'enterprise', cadence: 'monthly' }],
  ])
  expect((await billing.app.call('GET', '/v1/audit/verify', { token })).body.intact).toBe(true)
})
