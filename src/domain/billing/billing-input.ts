import { z } from 'zod'
import { cadences, paidTiers } from '../../model/billing.ts'
import { checkedLater } from '../input/checked-later.ts'
import { text } from '../input/parse.ts'

export const checkoutInput = z.strictObject({ tier: z.enum(paidTiers), cadence: z.enum(cadences) })
export type CheckoutInput = z.output<typeof checkoutInput>

export const reconcileCursor = text(256).regex(
  /^(events|subscriptions|purchases|payers):/,
  'must be a next_cursor of an earlier answer',
)

export const reconcileInput = z.strictObject({
  secret: z.string().optional(),
  // Checked only after the secret, which is the only credential here, was accepted.
  cursor: checkedLater(reconcileCursor).optional(),
})
export type ReconcileInput = z.output<typeof reconcileInput>

/** Accepts any text: only the signature decides. */
export const webhookInput = z.strictObject({ payload: z.string(), signature: z.string().nullable().default(null) })
export type WebhookInput = z.output<typeof webhookInput>
