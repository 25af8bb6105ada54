import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withVariant } from '../../support/access/sign-in.ts'
import { type BillingApp, startBillingApp, subscriptionIn } from '../../support/stripe/billing-app.ts'
import { emit, newId } from '../../support/stripe/state.ts'

let billing: BillingApp
beforeAll(async () => {
  billing = await startBillingApp()
})
afterAll(() => billing[Symbol.asyncDispose]())

const second = () => Math.floor(billing.clock.now() / 1000)
const post = (body: string, signature?: string) =>
  billing.app.call('POST', '/v1/billing/webhook', {
    body,
    headers: {
      'content-type': 'application/json',
      ...(signature === undefined ? {} : { 'stripe-signature': signature }),
    },
  })
const anEvent = () => emit(billing.stripe.state, 'customer.created', { id: newId('cus'), object: 'customer' })

describe('the signature', () => {
  it('comes before anything else: whatever is not signed is 400 invalid_signature', async () => {
    const { body, signature } = billing.stripe.sign(anEvent(), second())
    const [stamp = '', proof = ''] = signature.split(',')
    const bad: [string, string | undefined][] = [
      [body, undefined],
      [body, ''],
      [body, 'nonsense'],
      [body, stamp],
      [body, `${stamp},v1=${'0'.repeat(64)}`],
      [body, `t=${second() + 1},${proof}`],
      [`${body} `, signature],
      [`\uFEFF${body}`, signature],
      [body.replace('customer.created', 'customer.deleted'), signature],
      ['', signature],
      ['not JSON', signature],
      [body, billing.stripe.sign(anEvent(), second()).signature],
      [body, billing.stripe.sign(JSON.parse(body), second() - 301).signature],
    ]
    for (const [payload, header] of bad) {
      const reply = await post(payload, header)
      expect([reply.status, reply.body]).toEqual([
        400,
        {
          error: 'invalid_signature',
          detail: 'the webhook signature is bad or missing: sign the body with the endpoint secret',
          status: 400,
        },
      ])
    }
    expect((await post(body, signature)).body).toEqual({ received: true, duplicate: false })
  })

  it('is over the raw body, whatever it is called', async () => {
    const { body, signature } = billing.stripe.sign(anEvent(), second())
    const headers = { 'content-type': 'text/plain', 'stripe-signature': signature, authorization: 'Bearer nobody' }
    const spaced = await billing.app.call('POST', '/v1/billing/webhook', { body, headers })
    expect(spaced.status).toBe(200)
  })

  it('on what is not an event is 400 bad_request, never 500', async () => {
    const of = (value: unknown) => billing.stripe.sign(value as never, second())
    const event = { id: 'evt_1', object: 'event', type: 'customer.subscription.updated', created: 1 }
    const odd = [
      null,
      1,
      [],
      {},
      { ...event, data: {} },
      { ...event, data: { object: { object: 'subscription' } } },
      { ...event, id: 'evt_\0', data: { object: {} } },
      { ...event, created: 1e300, data: { object: {} } },
      { ...event, data: { object: { object: 'charge', id: 'ch_1', amount: 'much', amount_refunded: 0 } } },
    ]
    for (const value of odd) {
      const { body, signature } = of(value)
      const reply = await post(body, signature)
      expect([JSON.stringify(value), reply.status, reply.body.error]).toEqual([
        JSON.stringify(value),
        400,
        'bad_request',
      ])
    }
  })

  it('is needed over GraphQL too', async () => {
    const { body, signature } = billing.stripe.sign(anEvent(), second())
    const mutation =
      'mutation ($payload: String!, $signature: String) { receiveBillingEvent(payload: $payload, signature: $signature) { received duplicate } }'
    const refused = await billing.app.graphql(mutation, { payload: body })
    expect(refused.body.errors[0].extensions).toMatchObject({ code: 'invalid_signature', status: 400 })
    const taken = await billing.app.graphql(mutation, { payload: body, signature })
    expect(taken.body.data.receiveBillingEvent).toEqual({ received: true, duplicate: false })
  })
})

describe('a delivery', () => {
  it('counts once, however often and from however many sides it comes', async () => {
    const token = await billing.payer('once')
    const events = await billing.buy(token, 'pro', 'monthly')
    await withVariant(billing.app, { billing: billing.app.runtime.config.billing }, async (replica) => {
      const sent = await Promise.all(
        Array.from({ length: 10 }, (_, i) => {
          const { body, signature } = billing.stripe.sign(events[0] as never, Math.floor(Date.now() / 1000))
          const door = i % 2 === 0 ? billing.app : replica
          return door.call('POST', '/v1/billing/webhook', { body, headers: { 'stripe-signature': signature } })
        }),
      )
      expect(sent.map(({ status }) => status)).toEqual(Array(10).fill(200))
      expect(sent.filter(({ body }) => !body.duplicate)).toHaveLength(1)
    })
    const before = await billing.app.call('GET', '/v1/audit', { token })
    const [replay] = await billing.deliver(events.slice(0, 1))
    expect(replay?.body).toEqual({ received: true, duplicate: true })
    const after = await billing.app.call('GET', '/v1/audit', { token })
    expect(after.body.count).toBe(before.body.count)
    const tiers = after.body.rows.filter(({ action }: { action: string }) => action === 'billing.tier')
    expect(tiers).toHaveLength(1)
  })

  it('that comes late lowers nothing, and raises nothing', async () => {
    const { actions } = billing.stripe
    const token = await billing.payer('late')
    const [created, completed] = await billing.buy(token, 'pro', 'monthly')
    const id = subscriptionIn([created as never])
    billing.clock.advance(1000)
    const failed = actions.failPayment(id)
    billing.clock.advance(1000)
    const upgraded = [...actions.recover(id)]
    billing.clock.advance(1000)
    upgraded.push(...actions.changePrice(id, 'price_enterprise_monthly'))
    await billing.deliver(upgraded.slice(1))
    expect(await billing.tier(token)).toBe('enterprise')
    await billing.deliver([...failed, created as never, ...upgraded.slice(0, 1)])
    expect(await billing.tier(token)).toBe('enterprise')
    billing.clock.advance(1000)
    const ended = actions.giveUp(id)
    await billing.deliver([...ended, completed as never])
    expect(await billing.tier(token)).toBe('free')
  })

  it('of a dispute may come before the purchase that it is about', async () => {
    const { actions } = billing.stripe
    const token = await billing.payer('disputed-first')
    const bought = await billing.buy(token, 'pro', 'lifetime')
    const session = `${bought[0]?.data.object.id}`
    await billing.deliver([...actions.dispute(session), ...bought])
    expect(await billing.tier(token)).toBe('free')
    billing.clock.advance(1000)
    await billing.deliver(actions.closeDispute(session, 'won'))
    expect(await billing.tier(token)).toBe('pro')
  })

  it('for an unknown customer is kept, and counts once it is known whose it is', async () => {
    const token = await billing.payer('found-later')
    const [created, completed] = billing.stripe.actions.payByLink('price_pro_monthly', 'found-later')
    const [reply] = await billing.deliver([created as never])
    expect(reply?.body).toEqual({ received: true, duplicate: false })
    expect(await billing.tier(token)).toBe('free')
    await billing.deliver([completed as never])
    expect(await billing.tier(token)).toBe('pro')
  })

  it('never gives a customer to someone else', async () => {
    const { state } = billing.stripe
    const [owner, thief] = [await billing.payer('rightful'), await billing.payer('thief')]
    const events = await billing.buy(owner, 'pro', 'monthly')
    await billing.deliver(events)
    const { customer } = events[0]?.data.object ?? {}
    const claimed = {
      object: 'checkout.session',
      customer,
      client_reference_id: 'thief',
      subscription: subscriptionIn(events),
    }
    const paid = { mode: 'subscription', status: 'complete', payment_status: 'paid', payment_intent: null }
    await billing.deliver([emit(state, 'checkout.session.completed', { id: newId('cs'), ...claimed, ...paid })])
    expect([await billing.tier(owner), await billing.tier(thief)]).toEqual(['pro', 'free'])
  })

  it('of a payment link opens the tier, and gives who paid no hold on what its receiver buys', async () => {
    const token = await billing.payer('receiver')
    const gift = billing.stripe.actions.payByLink('price_pro_lifetime', 'receiver')
    const customer = gift[0]?.data.object.customer
    await billing.deliver(gift)
    // The event does not contain the purchased item.
    await billing.settle()
    expect(await billing.tier(token)).toBe('pro')
    const portal = await billing.app.call('POST', '/v1/billing/portal', { token })
    expect(portal.status).toBe(400)
    const [bought] = await billing.buy(token, 'enterprise', 'lifetime')
    expect(bought?.data.object.customer).not.toBe(customer)
    expect((await billing.app.call('POST', '/v1/billing/portal', { token })).status).toBe(200)
  })

  it('counts the same when all of a life arrive at once, at two replicas', async () => {
    const { actions } = billing.stripe
    const token = await billing.payer('all-at-once')
    const events = await billing.buy(token, 'pro', 'monthly')
    const id = subscriptionIn(events)
    const steps = [() => actions.failPayment(id), () => actions.recover(id), () => actions.cancelAtPeriodEnd(id)]
    for (const step of [...steps, () => actions.changePrice(id, 'price_enterprise_monthly')]) {
      billing.clock.advance(1000)
      events.push(...step())
    }
    await withVariant(billing.app, { billing: billing.app.runtime.config.billing }, async (replica) => {
      const sent = await Promise.all(
        [...events, ...events].map((event, i) => {
          const { body, signature } = billing.stripe.sign(event, second())
          const door = i % 3 === 0 ? replica : billing.app
          return door.call('POST', '/v1/billing/webhook', { body, headers: { 'stripe-signature': signature } })
        }),
      )
      expect(sent.map(({ status, body }) => [status, body.duplicate]).filter(([, known]) => !known)).toHaveLength(6)
    })
    const { body } = await billing.app.call('GET', '/v1/billing/subscription', { token })
    expect(body).toMatchObject({
      tier: 'enterprise',
      subscriptions: [{ status: 'active', ends_at: expect.any(Number) }],
    })
  })

  it('of the session alone opens what it was for, and the rest is requested from the provider', async () => {
    const token = await billing.payer('session-first')
    const events = await billing.buy(token, 'enterprise', 'yearly')
    await billing.deliver(events.filter(({ type }) => type === 'checkout.session.completed'))
    expect(await billing.tier(token)).toBe('enterprise')
    await billing.settle()
    const { body } = await billing.app.call('GET', '/v1/billing/subscription', { token })
    expect(body.subscriptions).toMatchObject([{ id: subscriptionIn(events), cadence: 'yearly', status: 'active' }])
    expect(body.subscriptions[0].period_end).toBeGreaterThan(billing.clock.now())
  })
})

it('an event that seems to be the later one of its second is not believed blindly', async () => {
  const { actions } = billing.stripe
  const token = await billing.payer('recovered')
  const events = await billing.buy(token, 'pro', 'monthly')
  const id = subscriptionIn(events)
  await billing.deliver(events)
  billing.clock.advance(1000)
  // The usual order is the reverse: first active, then past due.
  const [failed, recovered] = [...actions.failPayment(id), ...actions.recover(id)]
  await billing.deliver([recovered as never, failed as never])
  await billing.settle()
  const { body } = await billing.app.call('GET', '/v1/billing/subscription', { token })
  expect(body.subscriptions).toMatchObject([{ status: 'active' }])
})

it('two events of one second that contradict each other are settled by the provider', async () => {
  const { actions, state } = billing.stripe
  const token = await billing.payer('same-second')
  const events = await billing.buy(token, 'pro', 'monthly')
  const id = subscriptionIn(events)
  await billing.deliver(events)
  // An upgrade and a downgrade in the same second: the events don't show which was last.
  const changes = [
    ...actions.changePrice(id, 'price_enterprise_monthly'),
    ...actions.changePrice(id, 'price_pro_monthly'),
  ]
  expect(new Set(changes.map(({ created }) => created))).toEqual(new Set([state.now]))
  await billing.deliver(changes)
  await billing.settle()
  expect(await billing.tier(token)).toBe('pro')
  expect(billing.stripe.violations).toEqual([])
})
