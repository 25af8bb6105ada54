import { z } from 'zod'
import { modeOf } from '../adapters/payments-stripe/read-event.ts'
import type { StripeConfig } from '../adapters/payments-stripe/stripe-config.ts'
import type { BillingSettings } from '../domain/bindings/bindings.ts'
import { cadences, type Price, paidTiers, tierNames } from '../model/tiers.ts'
import { integer, originUrl } from './kinds.ts'

export type BillingConfig = StripeConfig & BillingSettings

const price = (what: string) => z.string().optional().describe(`Stripe price id of ${what}`)

/** The settings of billing. */
export const billingSettings = {
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_/, 'must be a secret or a restricted key')
    .optional()
    .describe('Stripe secret key. Without it, billing is off'),
  STRIPE_PUBLISHABLE_KEY: z
    .string()
    .regex(/^pk_/, 'must be a publishable key, which is public')
    .optional()
    .describe('Stripe publishable key, for the pages that show the plans'),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .optional()
    .describe('Signing secret of the Stripe webhook endpoint that calls POST /v1/billing/webhook'),
  STRIPE_API_BASE: originUrl.optional().describe('Address of the Stripe API. Default: that of Stripe'),
  STRIPE_TIMEOUT_MS: integer(100, 60_000)
    .default(5000)
    .describe('Timeout of a Stripe call in milliseconds, including retries'),
  STRIPE_PRICE_PRO_MONTHLY: price('Pro, monthly'),
  STRIPE_PRICE_PRO_YEARLY: price('Pro, yearly'),
  STRIPE_PRICE_PRO_LIFETIME: price('Pro, lifetime'),
  STRIPE_PRICE_ENTERPRISE_MONTHLY: price('Enterprise, monthly'),
  STRIPE_PRICE_ENTERPRISE_YEARLY: price('Enterprise, yearly'),
  STRIPE_PRICE_ENTERPRISE_LIFETIME: price('Enterprise, lifetime'),
  DEFAULT_TIER: z
    .enum(tierNames)
    .optional()
    .describe(
      'Tier of a new home namespace: free, pro or enterprise. Default: enterprise, or free where a payment provider is configured',
    ),
  CRON_SECRET: z
    .string()
    .min(8, 'must have at least 8 characters')
    .optional()
    .describe('Bearer token for POST /v1/billing/reconcile. Without it, that route is closed'),
}

type BillingEnv = z.infer<z.ZodObject<typeof billingSettings>> & {
  HOST: string
  PORT: number
  PUBLIC_URL?: string | undefined
}

/** Reports settings that contradict each other in `problems`. */
export function billingConfig(env: BillingEnv, problems: string[]): BillingConfig {
  const prices = paidTiers.flatMap((tier) =>
    cadences.flatMap((cadence): Price[] => {
      const priceId = env[nameOf(tier, cadence)]
      return priceId === undefined ? [] : [{ tier, cadence, priceId }]
    }),
  )
  for (const [i, { tier, cadence, priceId }] of prices.entries()) {
    if (prices.findIndex((other) => other.priceId === priceId) < i) {
      problems.push(`${nameOf(tier, cadence)}: is the price of something else already`)
    }
  }
  const [mode, shown] = [modeOf(env.STRIPE_SECRET_KEY ?? null), modeOf(env.STRIPE_PUBLISHABLE_KEY ?? null)]
  if (mode !== null && shown !== null && mode !== shown) {
    problems.push(
      `STRIPE_PUBLISHABLE_KEY: is a ${shown} key, and STRIPE_SECRET_KEY a ${mode} key; set both of one mode`,
    )
  }
  if (env.STRIPE_SECRET_KEY === undefined) {
    const useless = ['STRIPE_WEBHOOK_SECRET', ...prices.map(({ tier, cadence }) => nameOf(tier, cadence))] as const
    for (const name of useless) {
      if (env[name] !== undefined) problems.push(`${name}: needs STRIPE_SECRET_KEY; set both or neither`)
    }
  }
  return {
    secretKey: env.STRIPE_SECRET_KEY ?? null,
    webhookSecret: env.STRIPE_WEBHOOK_SECRET ?? null,
    apiBase: env.STRIPE_API_BASE ?? null,
    timeoutMs: env.STRIPE_TIMEOUT_MS,
    prices,
    publishableKey: env.STRIPE_PUBLISHABLE_KEY ?? null,
    cronSecret: env.CRON_SECRET ?? null,
    defaultTier: env.DEFAULT_TIER ?? (env.STRIPE_SECRET_KEY === undefined ? 'enterprise' : 'free'),
    returnUrl: env.PUBLIC_URL ?? ownOrigin(env),
  }
}

function ownOrigin({ HOST, PORT }: BillingEnv): string {
  const origin = `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`
  return URL.canParse(origin) ? new URL(origin).origin : `http://localhost:${PORT}`
}

const nameOf = (tier: Price['tier'], cadence: Price['cadence']) =>
  `STRIPE_PRICE_${upper(tier)}_${upper(cadence)}` as const

const upper = <T extends string>(word: T) => word.toUpperCase() as Uppercase<T>
