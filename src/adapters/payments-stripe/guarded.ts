import { Stripe } from 'stripe'
import { billingNotConfigured, billingUnavailable } from '../../errors.ts'
import type { Log } from '../../model/log.ts'
import { within } from '../resilience/deadline.ts'
import type { StripeConfig } from './stripe-config.ts'

/** Runs a call of the SDK. Every failure becomes one of our errors, within the configured timeout. */
export type Guarded = <T>(call: (stripe: Stripe) => Promise<T>) => Promise<T>

/** Stripe has no object with this id. */
export class ObjectNotFoundError extends Error {}

export function createGuarded({ secretKey, apiBase, timeoutMs }: StripeConfig, log: Pick<Log, 'warn'>): Guarded {
  const stripe = secretKey === null ? null : new Stripe(secretKey, clientOptions(apiBase, timeoutMs))
  return async (call) => {
    if (!stripe) throw billingNotConfigured()
    try {
      // The SDK limits only silence: a slow endless answer would never time out.
      return await within(timeoutMs, call(stripe))
    } catch (error) {
      if (error instanceof Stripe.errors.StripeError && error.code === 'resource_missing')
        throw new ObjectNotFoundError()
      // Messages of the SDK may quote the request and its key: only the class of the failure is logged.
      log.warn({ failure: classOf(error) }, 'a Stripe call failed')
      throw billingUnavailable()
    }
  }
}

function clientOptions(apiBase: string | null, timeoutMs: number) {
  // One more try fits in if the first one ends at half of the time.
  const options = { maxNetworkRetries: 1, timeout: Math.ceil(timeoutMs / 2), telemetry: false }
  if (apiBase === null) return options
  const { protocol, hostname: host, port } = new URL(apiBase)
  const secure = protocol === 'https:'
  return {
    ...options,
    host,
    port: port || (secure ? 443 : 80),
    protocol: secure ? ('https' as const) : ('http' as const),
  }
}

function classOf(error: unknown): Record<string, string | number | undefined> {
  if (!(error instanceof Stripe.errors.StripeError)) return { type: error instanceof Error ? error.name : 'unknown' }
  const { type, code, statusCode, requestId } = error
  return { type, code, statusCode, requestId }
}
