import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toEvent } from '../../src/adapters/payments-stripe/read-event.ts'
import { latestVersions, outcomeOf, purchasesOf } from '../../src/domain/billing/entitlements.ts'
import type { BillingFacts, BillingVersion, Price } from '../../src/model/tiers.ts'
import { propertyRuns, shortOrLong } from '../support/amounts.ts'
import { type BillingApp, startBillingApp, subscriptionIn } from '../support/stripe/billing-app.ts'
import type { StripeEvent } from '../support/stripe/state.ts'

/** The final billing state does not depend on the order of the events, nor on duplicates. */

const runs = propertyRuns(shortOrLong(8, 24))
const timeout = 240_000 + runs * 300
const prices: Price[] = [
  { tier: 'pro', cadence: 'monthly', priceId: 'price_pro' },
  { tier: 'enterprise', cadence: 'monthly', priceId: 'price_enterprise' },
]

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]]
  return items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]))
}

const facts: fc.Arbitrary<BillingFacts> = fc.oneof(
  fc.record({
    kind: fc.constant('subscription' as const),
    status: fc.constantFrom('incomplete', 'active', 'past_due', 'unpaid', 'canceled'),
    prices: fc.constantFrom('price_pro', 'price_enterprise', 'price_other').map((id) => [{ id, tier: null }]),
    tier: fc.constantFrom(null, 'pro' as const),
    endsAt: fc.constantFrom(null, 5, 1000),
    periodEnd: fc.constant(1000),
  }),
  fc.record({
    kind: fc.constant('session' as const),
    mode: fc.constant('payment'),
    paid: fc.boolean(),
    tier: fc.constantFrom('pro' as const, 'enterprise' as const),
    prices: fc.constant([]),
    subscription: fc.constant(null),
  }),
  fc.record({ kind: fc.constant('charge' as const), amount: fc.constant(10), refunded: fc.constantFrom(0, 5, 10) }),
  fc.record({ kind: fc.constant('dispute' as const), status: fc.constantFrom('needs_response', 'won', 'lost') }),
)
const versions: fc.Arbitrary<BillingVersion[]> = fc
  .array(
    fc.record({
      facts,
      object: fc.nat(1),
      at: fc.nat(4),
      rank: fc.nat(2),
      source: fc.constantFrom('event' as const, 'lookup' as const),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((drawn) =>
    drawn.map(({ object, ...version }, i) => ({
      ...version,
      id: `evt_${i}`,
      objectId: `${version.facts.kind}_${object}`,
      customer: 'cus_1',
      paymentIntent: 'pi_1',
      principalId: null,
    })),
  )

const comesTo = (set: readonly BillingVersion[], now: number) => {
  const purchases = purchasesOf(latestVersions(set), prices, now).sort((a, b) => (a.id < b.id ? -1 : 1))
  return { purchases, ...outcomeOf(purchases) }
}

describe('the fold', () => {
  it('is a function of the set of versions, seconds that tie included', { timeout }, () => {
    const seen = new Set<string | null>()
    fc.assert(
      fc.property(versions, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (set, dice) => {
        const expected = comesTo(set, 3000)
        seen.add(expected.tier)
        const key = new Map(set.map((version) => [version, dice.next().value ?? 0]))
        const shuffled = set.toSorted((a, b) => (key.get(a) ?? 0) - (key.get(b) ?? 0))
        expect(comesTo(shuffled, 3000)).toEqual(expected)
      }),
      { numRuns: runs * 40 },
    )
    expect(seen).toEqual(new Set([null, 'pro', 'enterprise']))
  })
})

describe('a life of six events', () => {
  let billing: BillingApp
  beforeAll(async () => {
    billing = await startBillingApp()
  })
  afterAll(() => billing[Symbol.asyncDispose]())

  /** Purchase, failed payment, recovery, upgrade, cancellation at period end; in different seconds, or all in one. */
  const live = async (token: string, stepMs: number): Promise<StripeEvent[]> => {
    const { actions } = billing.stripe
    const events = await billing.buy(token, 'pro', 'monthly')
    const id = subscriptionIn(events)
    const steps = [
      () => actions.failPayment(id),
      () => actions.recover(id),
      () => actions.changePrice(id, 'price_enterprise_yearly'),
      () => actions.cancelAtPeriodEnd(id),
    ]
    for (const step of steps) {
      billing.clock.advance(stepMs)
      events.push(...step())
    }
    return events
  }

  const orders = permutations([0, 1, 2, 3, 4, 5])
  const some = orders.filter((_, i) => i % Math.max(1, Math.floor(orders.length / runs)) === 0)
  const final = { tier: 'enterprise', cadence: 'yearly', status: 'active', active: true }

  it(`ends the same in all ${orders.length} orders, whether it continues or ends`, async () => {
    const sold = billing.app.runtime.config.billing.prices
    const ends = async (events: readonly StripeEvent[]) => {
      const heard = events.flatMap((event) => toEvent(event).version ?? [])
      const expected = outcomeOf(purchasesOf(latestVersions(heard), sold, billing.clock.now()))
      const differing = orders.filter((order) => {
        const shuffled = order.flatMap((i) => heard[i] ?? [])
        return !isDeepStrictEqual(outcomeOf(purchasesOf(latestVersions(shuffled), sold, billing.clock.now())), expected)
      })
      expect([heard.length, differing]).toEqual([6, []])
      return expected.tier
    }
    const events = await live(await billing.payer('all-orders'), 1000)
    expect(await ends(events)).toBe('enterprise')
    billing.clock.advance(1000)
    const ended = billing.stripe.actions.giveUp(subscriptionIn(events))
    expect(await ends([...events.slice(0, 5), ...ended])).toBeNull()
  })

  it(
    `ends the same in ${some.length} of ${orders.length} orders, with the provider out of reach`,
    async () => {
      billing.stripe.fault = 'none'
      for (const order of some) {
        const token = await billing.payer(`life-${order.join('')}`)
        const events = await live(token, 1000)
        billing.stripe.fault = 'down'
        const shuffled = order.flatMap((i) => events[i] ?? [])
        // One event is a duplicate.
        await billing.deliver([...shuffled, ...shuffled.slice(2, 3)])
        const { body } = await billing.app.call('GET', '/v1/billing/subscription', { token })
        expect([order, body.tier, body.subscriptions.length]).toEqual([order, 'enterprise', 1])
        expect(body.subscriptions[0]).toMatchObject(final)
        expect(body.changes_at).toBe(body.subscriptions[0].period_end)
        billing.stripe.fault = 'none'
      }
      expect(some.length).toBeGreaterThanOrEqual(Math.min(runs, orders.length))
    },
    timeout,
  )

  it(
    'ends as the provider has it even if all of it happens within one second',
    async () => {
      for (const order of some.filter((_, i) => i % 6 === 0)) {
        const token = await billing.payer(`rush-${order.join('')}`)
        const events = await live(token, 0)
        await billing.deliver(order.flatMap((i) => events[i] ?? []))
        await billing.settle()
        const { body } = await billing.app.call('GET', '/v1/billing/subscription', { token })
        expect([order, body.tier]).toEqual([order, 'enterprise'])
        expect(body.subscriptions).toMatchObject([{ ...final, ends_at: body.subscriptions[0].period_end }])
      }
    },
    timeout,
  )
})
