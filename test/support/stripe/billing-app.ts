import { readConfig } from '../../../src/config.ts'
import type { Bindings } from '../../../src/domain/bindings/bindings.ts'
import type { AuditConfig } from '../../../src/settings/audit.ts'
import { boot, type Reply, type TestApp } from '../boot.ts'
import { type LocalStripe, startLocalStripe, stripeEnv } from './local-stripe.ts'
import type { StripeEvent } from './state.ts'

export interface BillingApp {
  app: TestApp
  stripe: LocalStripe
  /** Epoch milliseconds: the service's clock, which the provider's clock follows. */
  clock: { now(): number; advance(ms: number): void }
  /** Log lines, as text. */
  logged: string[]
  /** Creates a Free principal with its own home namespace; returns its token. */
  payer(id: string): Promise<string>
  tier(token: string): Promise<string>
  checkout(token: string, tier: string, cadence: string): Promise<Reply>
  /** Sends events to the webhook, one after the other. */
  deliver(events: readonly StripeEvent[]): Promise<Reply[]>
  /** Checkout and payment; returns the events that the provider has not delivered yet. */
  buy(token: string, tier: string, cadence: string): Promise<StripeEvent[]>
  reconcile(query?: string): Promise<Reply>
  /** Resolves when no background work is left. */
  settle(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The id of the subscription in the events. */
export function subscriptionIn(events: readonly StripeEvent[]): string {
  const ids = events.map((event) => `${event.data.object.id}`)
  return ids.find((id) => id.startsWith('sub_')) ?? 'none'
}

interface Options {
  bindings?: Partial<Bindings>
  env?: Record<string, string>
  audit?: Partial<AuditConfig>
}

/** The application with a local Stripe, on one clock. */
export async function startBillingApp({ bindings, env, audit }: Options = {}): Promise<BillingApp> {
  let now = Date.now()
  const stripe = await startLocalStripe(Math.floor(now / 1000))
  const clock = {
    now: () => now,
    advance: (ms: number) => {
      now += ms
      stripe.state.now = Math.floor(now / 1000)
    },
  }
  const logged: string[] = []
  const write = (fields: object, message: string) => {
    logged.push(
      `${message} ${JSON.stringify(fields, (_, value) => (value instanceof Error ? `${value.stack}` : value))}`,
    )
  }
  const log = { info: write, warn: write, error: write }
  const { billing } = readConfig({ ...stripeEnv(stripe), ...env })
  const app = await boot({ config: { billing, audit: audit ?? {} }, bindings: { clock, log, ...bindings } })
  const billed: BillingApp = {
    app,
    stripe,
    clock,
    logged,
    payer: (id) => app.principal({ id, namespace: `home-of-${id}`, tier: 'free' }),
    tier: async (token) => (await app.call('GET', '/v1/billing/subscription', { token })).body.tier,
    checkout: (token, tier, cadence) => app.call('POST', '/v1/billing/checkout', { token, body: { tier, cadence } }),
    deliver: async (events) => {
      const replies: Reply[] = []
      for (const event of events) {
        const { body, signature } = stripe.sign(event, Math.floor(now / 1000))
        const headers = { 'stripe-signature': signature }
        replies.push(await app.call('POST', '/v1/billing/webhook', { body, headers }))
      }
      return replies
    },
    buy: async (token, tier, cadence) => {
      const { status, body } = await billed.checkout(token, tier, cadence)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return stripe.actions.pay(body.url)
    },
    reconcile: (query = '') => app.call('POST', `/v1/billing/reconcile${query}`, { token: 'cron-secret-of-tests' }),
    settle: async () => {
      app.runtime.domain.billingBackground.kick()
      await app.runtime.domain.billingBackground.idle()
    },
    [Symbol.asyncDispose]: async () => {
      await app.close()
      await stripe[Symbol.asyncDispose]()
    },
  }
  return billed
}
