import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { superAdminToken } from '../../support/boot.ts'
import { type BillingApp, startBillingApp, subscriptionIn } from '../../support/stripe/billing-app.ts'

let billed: BillingApp
beforeAll(async () => {
  billed = await startBillingApp()
})
afterAll(() => billed[Symbol.asyncDispose]())

const openPages = () => [...billed.stripe.state.sessions.values()].filter(({ status }) => status === 'open')

describe('checkouts of one payer', () => {
  it('can be paid once, however many are opened one after the other or at once', async () => {
    const [token, other] = [await billed.payer('ada'), await billed.payer('bob')]
    const foreign = await billed.checkout(other, 'pro', 'monthly')
    const first = await billed.checkout(token, 'pro', 'monthly')
    const all = await Promise.all(['pro', 'enterprise', 'pro'].map((tier) => billed.checkout(token, tier, 'monthly')))
    expect([foreign, first, ...all].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const urls = openPages().map(({ url }) => url)
    expect(urls).toHaveLength(2)
    expect(urls).toContain(foreign.body.url)
    expect(urls).not.toContain(first.body.url)
    const mine = all.map(({ body }) => body.url).filter((url) => urls.includes(url))
    expect(mine).toHaveLength(1)
    expect(() => billed.stripe.actions.pay(first.body.url)).toThrow()
    await billed.deliver(billed.stripe.actions.pay(mine[0]))
    expect((await billed.checkout(token, 'pro', 'monthly')).status).toBe(400)
    expect(billed.stripe.violations).toEqual([])
  })

  it('cannot be opened for a second subscription while the event of the first is late', async () => {
    const token = await billed.payer('tess')
    const late = await billed.buy(token, 'pro', 'monthly')
    const again = await billed.checkout(token, 'enterprise', 'yearly')
    expect([again.status, again.body.detail]).toEqual([400, expect.stringContaining('a subscription exists')])
    expect(openPages().filter(({ client_reference_id }) => client_reference_id === 'tess')).toEqual([])
    // What the provider said counts at once, and the late events change nothing.
    expect(await billed.tier(token)).toBe('pro')
    await billed.deliver(late)
    expect(await billed.tier(token)).toBe('pro')
    const bought = [...billed.stripe.state.subscriptions.values()].map(({ metadata }) => metadata.principal_id)
    expect(bought.filter((principal) => principal === 'tess')).toHaveLength(1)
    expect(billed.stripe.violations).toEqual([])
  })

  it('nor is a lifetime paid for twice', async () => {
    const token = await billed.payer('lea')
    const late = await billed.buy(token, 'pro', 'lifetime')
    expect((await billed.checkout(token, 'pro', 'lifetime')).status).toBe(400)
    expect((await billed.checkout(token, 'enterprise', 'lifetime')).status).toBe(200)
    await billed.deliver(late)
    expect(await billed.tier(token)).toBe('pro')
    expect(billed.stripe.violations).toEqual([])
  })
})

describe('a deleted principal', () => {
  const statusOf = (id: string) => billed.stripe.state.subscriptions.get(id)?.status

  it('is charged no more, also when the provider was away', async () => {
    const [token, other] = [await billed.payer('eve'), await billed.payer('mia')]
    await billed.app.principal({ id: 'heir', namespace: 'home-of-eve', tier: 'free' })
    const [gone, stays] = [await billed.buy(token, 'pro', 'monthly'), await billed.buy(other, 'pro', 'monthly')]
    await billed.deliver([...gone, ...stays])
    const options = { token: superAdminToken, namespace: 'home-of-eve' }
    expect((await billed.app.call('DELETE', '/v1/principals/eve', options)).body).toMatchObject({ deleted: true })
    billed.stripe.fault = 'down'
    billed.clock.advance(6000)
    await billed.settle()
    expect(statusOf(subscriptionIn(gone))).toBe('active')
    billed.stripe.fault = 'none'
    billed.clock.advance(6000)
    await billed.settle()
    expect([statusOf(subscriptionIn(gone)), statusOf(subscriptionIn(stays))]).toEqual(['canceled', 'active'])
    const calls = () => billed.stripe.calls.filter((call) => call.startsWith('DELETE')).length
    const before = calls()
    billed.clock.advance(6000)
    await billed.settle()
    expect(calls()).toBe(before)
    expect(await billed.tier(other)).toBe('pro')
    expect(billed.stripe.violations).toEqual([])
  })
})
