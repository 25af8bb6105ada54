import { ZodError } from 'zod'
import { badRequest, invalidSignature, ServiceError, webhookNotConfigured } from '../../errors.ts'
import type { Payments } from '../../ports/payments.ts'
import { isForeign, type Mode } from './mode.ts'
import { toEvent } from './normalise.ts'
import { loadSdk } from './sdk.ts'

/** How long a signature is valid, in seconds, as Stripe recommends. */
const tolerance = 300

/** Reads nothing of the body before its signature is verified. Refuses an event of the other mode. */
export function createReadEvent(secret: string | null, mode: Mode | null): Payments['readEvent'] {
  return async (payload, signature, now) => {
    if (secret === null) throw webhookNotConfigured()
    const { Stripe } = await loadSdk()
    try {
      const event = Stripe.webhooks.constructEvent(payload, signature ?? '', secret, tolerance, undefined, now)
      if (isForeign(mode, event) || isForeign(mode, event.data?.object)) throw wrongMode(mode)
      return toEvent(event)
    } catch (error) {
      if (error instanceof ServiceError) throw error
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) throw invalidSignature()
      if (error instanceof SyntaxError) throw badRequest('the event must be valid JSON')
      if (!(error instanceof ZodError)) throw badRequest('the body must be an event of the payment provider')
      throw badRequest(`${error.issues[0]?.path.join('.') || 'event'}: must be as the payment provider documents it`)
    }
  }
}

const wrongMode = (mode: Mode | null) =>
  badRequest(`livemode: must be ${mode === 'live'}, because the service has a ${mode} key of the payment provider`)
