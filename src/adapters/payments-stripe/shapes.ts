import { z } from 'zod'
import { type PricePaid, paidTiers } from '../../model/billing.ts'

/**
 * The fields that are read of Stripe's objects (https://docs.stripe.com/api). Events use the API version with which the
 * endpoint was set up, so fields that have moved since are read from both places.
 */

const id = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => !text.includes('\0') && text.isWellFormed())
/** A reference, expanded or not. */
const ref = z
  .union([id, z.looseObject({ id }).transform((object) => object.id)])
  .nullish()
  .transform((value) => value ?? null)
const seconds = z.number().int().nullish()
const metadata = z
  .object({ principal_id: id.optional().catch(undefined), tier: z.enum(paidTiers).optional().catch(undefined) })
  .nullish()
const price = z.object({ id, metadata }).transform((p): PricePaid => ({ id: p.id, tier: p.metadata?.tier ?? null }))

export const subscriptionShape = z.object({
  object: z.literal('subscription'),
  id,
  customer: ref,
  status: z.string().max(64),
  cancel_at: seconds,
  cancel_at_period_end: z.boolean().nullish(),
  current_period_end: seconds,
  items: z.object({ data: z.array(z.object({ price: price.nullish(), current_period_end: seconds })) }).nullish(),
  metadata,
})

const chargeFields = {
  object: z.literal('charge'),
  id,
  customer: ref,
  payment_intent: ref,
  amount: z.number(),
  amount_refunded: z.number(),
  metadata,
}
export const chargeShape = z.object(chargeFields)

/** Only if it was expanded. */
export const chargeWithin = z.object({ latest_charge: chargeShape }).transform((intent) => intent.latest_charge)

export const sessionShape = z.object({
  object: z.literal('checkout.session'),
  id,
  customer: ref,
  payment_intent: ref,
  subscription: ref,
  client_reference_id: id.nullish().catch(null),
  mode: z.string().max(64).nullish(),
  status: z.string().nullish(),
  payment_status: z.string().nullish(),
  line_items: z.object({ data: z.array(z.object({ price: price.nullish() })) }).nullish(),
  metadata,
})

export const disputeShape = z.object({
  object: z.literal('dispute'),
  id,
  payment_intent: ref,
  status: z.string().max(64),
})

export const eventShape = z.object({
  id,
  type: z.string().max(255),
  created: z.number().int().min(0).max(8_640_000_000_000),
  data: z.object({ object: z.looseObject({ object: z.string().optional() }) }),
})
