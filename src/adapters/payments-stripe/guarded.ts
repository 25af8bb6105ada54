import type { Stripe } from 'stripe'
import { within } from '../../async/limits.ts'
import { billingNotConfigured, billingUnavailable } from '../../errors.ts'
import type { Log } from '../../model/log.ts'
import type { StripeConfig } from './stripe-config.ts'

/** Runs a call of the SDK. Every failure becomes one of our errors, within the configured timeout. */
export type Guarded = <T>(call: (stripe: Stripe) => Promise<T>) => Promise<T>

/** Stripe has no object with this id. */
export class ObjectNotFoundError extends Error {}

export function createGuarded({ secretKey, apiBase, timeoutMs }: StripeConfig, log: Pick<Log, 'warn'>): Guarded {
  let client: Stripe | undefined
  return async (call) => {
    if (secretKey === null) throw billingNotConfigured()
    const { Stripe } = await loadSdk()
    client ??= new Stripe(secretKey, clientOptions(apiBase, timeoutMs))
    try {
      // The SDK limits only silence: a slow endless answer would never time out.
      return await within(timeoutMs, call(client))
    } catch (error) {
      const failure = error instanceof Stripe.errors.StripeError ? error : null
      if (failure?.code === 'resource_missing') throw new ObjectNotFoundError()
      // Messages of the SDK may quote the request and its key: only the class of the failure is logged.
      log.warn({ failure: failure ? classOf(failure) : { type: nameOf(error) } }, 'a Stripe call failed')
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

function classOf({ type, code, statusCode, requestId }: Stripe.errors.StripeError) {
  return { type, code, statusCode, requestId }
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : 'unknown')

/** Loaded at the first call: the SDK takes memory, and a service without payments needs none of it. */
export const loadSdk = () => import('stripe')
