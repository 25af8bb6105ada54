import { type Cadence, type PaidTier, paidTiers } from '../../model/billing.ts'
import { type Tier, tiers } from '../../model/tiers.ts'
import type { Amount, Payments } from '../../ports/payments.ts'
import type { BillingDeps } from '../bindings/bindings.ts'

/** A price of a plan. The amount, in the currency's smallest unit, and the currency are null without the provider. */
export interface Offer {
  cadence: Cadence
  priceId: string
  currency: string | null
  unitAmount: number | null
}

export interface Plan extends Pick<Tier, 'planes' | 'maxDocuments' | 'maxNamespaces' | 'answers' | 'rerank' | 'audit'> {
  tier: PaidTier
  offers: Offer[]
}

export interface PaymentLink {
  tier: PaidTier
  cadence: Cadence
  url: string
}

export interface Plans {
  plans: Plan[]
  paymentLinks: PaymentLink[]
  publishableKey: string | null
  /** Whether anything can be bought on this service. */
  configured: boolean
}

interface Listed {
  amounts: ReadonlyMap<string, Amount>
  links: readonly { priceId: string; url: string }[]
}

const freshMs = 60_000
const failedMs = 5_000

/** Public, so the provider is called once a minute at most. If it fails, its last response is used. */
export function createPlans({
  payments,
  billing,
  clock,
  log,
}: Pick<BillingDeps, 'payments' | 'billing' | 'clock' | 'log'>) {
  let listed: Listed = { amounts: new Map(), links: [] }
  let askedAt = Number.NEGATIVE_INFINITY
  let goodMs = 0
  let asking: Promise<void> | null = null

  const ask = async () => {
    try {
      listed = await listPrices(
        payments,
        billing.prices.map(({ priceId }) => priceId),
      )
      goodMs = freshMs
    } catch (err) {
      log.warn({ err }, 'the payment provider did not list its prices')
      goodMs = failedMs
    }
    askedAt = clock.now()
  }

  return async (): Promise<Plans> => {
    if (payments.configured && Math.abs(clock.now() - askedAt) >= goodMs) {
      asking ??= ask().finally(() => {
        asking = null
      })
      await asking
    }
    const { prices, publishableKey } = billing
    return {
      plans: paidTiers.map((tier) => ({ ...featuresOf(tier), offers: offersOf(tier) })),
      paymentLinks: prices.flatMap(({ tier, cadence, priceId }) =>
        listed.links.filter((link) => link.priceId === priceId).map(({ url }) => ({ tier, cadence, url })),
      ),
      publishableKey,
      configured: payments.configured,
    }
  }

  function offersOf(tier: PaidTier): Offer[] {
    const ofTier = billing.prices.filter((price) => price.tier === tier)
    return ofTier.map(({ cadence, priceId }) => {
      const { currency = null, unitAmount = null } = listed.amounts.get(priceId) ?? {}
      return { cadence, priceId, currency, unitAmount }
    })
  }
}

function featuresOf(tier: PaidTier) {
  const { planes, maxDocuments, maxNamespaces, answers, rerank, audit } = tiers[tier]
  return { tier, planes, maxDocuments, maxNamespaces, answers, rerank, audit }
}

async function listPrices(payments: Payments, priceIds: readonly string[]): Promise<Listed> {
  const [amounts, links] = await Promise.all([payments.amounts(priceIds), payments.paymentLinks()])
  return { amounts, links }
}
