import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import qs from 'qs'
import { Stripe } from 'stripe'
import { listen, shut } from '../process/local-http.ts'
import { createActions } from './actions.ts'
import { ApiError, createApi } from './api.ts'
import { type CheckRequest, createContract, hasContract } from './contract.ts'
import { newState, put, type StripeEvent, type StripeState } from './state.ts'

export const webhookSecret = 'whsec_of_the_local_stripe'
export const secretKey = 'sk_test_of_the_local_stripe'
export const liveSecretKey = 'sk_live_of_the_local_stripe'

/**
 * `down` closes connections, `slow` never answers, `trickling` never ends its answer, `broken` is 500, `limited` is
 * 429, `senseless` answers JSON that is not an object.
 */
export type Fault = 'none' | 'down' | 'slow' | 'trickling' | 'broken' | 'limited' | 'senseless'

export interface LocalStripe {
  /** The value of `STRIPE_API_BASE`. */
  url: string
  state: StripeState
  actions: ReturnType<typeof createActions>
  /** The calls that it received. */
  calls: string[]
  /** `traceparent` of each call that has one. */
  traceparents: string[]
  /** Errors in them under Stripe's API document; empty if that is not available. */
  violations: string[]
  fault: Fault
  /** Delays answers to this call (`GET /v1/…`) until the gate opens; they show the state at the time of the call. */
  held: { call: string; gate: Promise<void> } | null
  /** The body and the header of a webhook delivery, as Stripe sends them. */
  sign(event: StripeEvent, at?: number): { body: string; signature: string }
  [Symbol.asyncDispose](): Promise<void>
}

/** The prices for sale, in every combination. */
const catalogue = ['pro', 'enterprise'].flatMap((tier, i) =>
  (
    [
      ['monthly', 'month'],
      ['yearly', 'year'],
      ['lifetime', null],
    ] as const
  ).map(([cadence, interval], j) => ({
    id: `price_${tier}_${cadence}`,
    object: 'price',
    active: true,
    currency: 'eur',
    unit_amount: (i + 1) * (j + 1) * 1000,
    recurring: interval === null ? null : { interval, interval_count: 1 },
    type: interval === null ? 'one_time' : 'recurring',
    metadata: {},
  })),
)

/** The settings that make the service sell these prices. */
export const stripeEnv = (stripe: LocalStripe): Record<string, string> => ({
  STRIPE_SECRET_KEY: secretKey,
  STRIPE_PUBLISHABLE_KEY: 'pk_test_of_the_local_stripe',
  STRIPE_WEBHOOK_SECRET: webhookSecret,
  STRIPE_API_BASE: stripe.url,
  CRON_SECRET: 'cron-secret-of-tests',
  ...Object.fromEntries(catalogue.map(({ id }) => [`STRIPE_${id.toUpperCase()}`, id])),
})

/**
 * A local Stripe for the real SDK. It has state, a clock and faults. It checks every request against Stripe's API
 * document if that is available next to the project, and it signs its events with the SDK.
 */
export async function startLocalStripe(now = Math.floor(Date.now() / 1000)): Promise<LocalStripe> {
  const state = newState(now)
  for (const price of catalogue) put(state.prices, price)
  const check: CheckRequest = hasContract ? createContract() : () => null
  const answered = new Map<string, { params: unknown; status: number; body: object }>()
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const url = await listen(server)
  const api = createApi(state, url)
  const stripe: LocalStripe = {
    url,
    state,
    actions: createActions(state),
    calls: [],
    traceparents: [],
    violations: [],
    fault: 'none',
    held: null,
    sign: (event, at = Math.floor(Date.now() / 1000)) => {
      const payload = JSON.stringify(event)
      const options = { payload, secret: webhookSecret, timestamp: at }
      return { body: payload, signature: Stripe.webhooks.generateTestHeaderString(options) }
    },
    [Symbol.asyncDispose]: () => shut(server),
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, search } = new URL(request.url ?? '/', url)
    const method = request.method ?? 'GET'
    stripe.calls.push(`${method} ${path}`)
    const { traceparent } = request.headers
    if (traceparent !== undefined) stripe.traceparents.push(`${traceparent}`)
    const form = await text(request)
    if (stripe.fault === 'down') request.socket.destroy()
    if (stripe.fault === 'down' || stripe.fault === 'slow') return
    if (stripe.fault === 'trickling') return trickle(response)
    if (stripe.fault === 'senseless') return void response.writeHead(200).end('null')
    const params: Record<string, unknown> = qs.parse(method === 'POST' ? form : search.slice(1), {
      depth: 20,
      arrayLimit: 1000,
    })
    const { status, body } = answer(request, method, path, params)
    const date = new Date(state.now * 1000).toUTCString()
    const headers = { 'content-type': 'application/json', date, 'request-id': `req_${stripe.calls.length}` }
    const payload = JSON.stringify(body)
    if (stripe.held?.call === `${method} ${path}`) await stripe.held.gate
    response.writeHead(status, headers).end(payload)
  }

  function answer(request: IncomingMessage, method: string, path: string, params: Record<string, unknown>) {
    if (stripe.fault === 'broken') return failure(500, 'api_error')
    if (stripe.fault === 'limited') return failure(429, 'rate_limit_error')
    const bearers = [secretKey, liveSecretKey].map((key) => `Bearer ${key}`)
    if (!bearers.includes(request.headers.authorization ?? '')) return failure(401, 'authentication_error')
    const wrong = check(method, path, params)
    if (wrong !== null) stripe.violations.push(wrong)
    const key = request.headers['idempotency-key']
    const before = typeof key === 'string' && method === 'POST' ? answered.get(key) : undefined
    if (before) return isDeepStrictEqual(before.params, params) ? before : failure(400, 'idempotency_error')
    const result = run(method, path, params)
    if (typeof key === 'string' && method === 'POST') answered.set(key, { params, ...result })
    return result
  }

  function run(method: string, path: string, params: Record<string, unknown>): { status: number; body: object } {
    try {
      return { status: 200, body: api(method, path, params) }
    } catch (error) {
      if (error instanceof ApiError) return { status: error.status, body: error.body }
      throw error
    }
  }
  return stripe
}

/** Sends bytes without end, so that the connection is never idle. */
function trickle(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 50)
  response.on('close', () => clearInterval(timer))
}

/** Quotes the key, as a careless provider may do. */
const failure = (status: number, type: string) => ({
  status,
  body: { error: { type, message: `refused: ${secretKey}` } },
})
