import { z } from 'zod'
import { cadences, paidTiers } from '../../model/tiers.ts'
import { checkedLater, text } from '../input/parse.ts'

export const checkoutInput = z
  .strictObject({
    tier: z.enum(paidTiers).describe('The tier.'),
    cadence: z.enum(cadences).describe('How to pay.'),
  })
  .meta({ title: 'CheckoutInput', about: 'What to buy.' })
export type CheckoutInput = z.output<typeof checkoutInput>

export const reconcileCursor = text(256).regex(
  /^(events|subscriptions|purchases|payers):/,
  'must be a next_cursor of an earlier answer',
)

export const reconcileInput = z.strictObject({
  secret: z.string().optional().describe('The cron secret.'),
  // Checked only after the secret, which is the only credential here, was accepted.
  cursor: checkedLater(reconcileCursor).optional().describe('The `next_cursor` of an earlier answer.'),
})
export type ReconcileInput = z.output<typeof reconcileInput>

/** Accepts any text: only the signature decides. */
export const webhookInput = z.strictObject({
  payload: z.string().describe('The body as it was sent.'),
  signature: z.string().nullable().default(null).describe('The header `Stripe-Signature`.'),
})
export type WebhookInput = z.output<typeof webhookInput>
