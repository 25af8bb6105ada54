import { Stripe } from 'stripe'
import { ZodError } from 'zod'
import { badRequest, invalidSignature, webhookNotConfigured } from '../../errors.ts'
import type { Payments } from '../../ports/payments.ts'
import { toEvent } from './normalise.ts'

/** Seconds for which a signature holds, as Stripe recommends. */
const tolerance = 300

/** Nothing of the body is looked at before its signature is found right. */
export function createReadEvent(secret: string | null): Payments['readEvent'] {
  return (payload, signature, now) => {
    if (secret === null) throw webhookNotConfigured()
    try {
      return toEvent(Stripe.webhooks.constructEvent(payload, signature ?? '', secret, tolerance, undefined, now))
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) throw invalidSignature()
      if (error instanceof SyntaxError) throw badRequest('the event is not valid JSON')
      if (!(error instanceof ZodError)) throw badRequest('the body is not an event')
      throw badRequest(`${error.issues[0]?.path.join('.') || 'event'}: is not as it should be`)
    }
  }
}
