import { superAdminToken } from '../boot.ts'
import { type BillingApp, startBillingApp } from '../stripe/billing-app.ts'

/** What a step sends, beside the body that openapi.json shows. */
interface Sent {
  /** Instead of the parameters of the template. */
  path?: string
  token?: string
  body?: unknown
  headers?: Record<string, string>
}

/** An operation of openapi.json, and how to send it now. Answers are those of earlier operations. */
export type Step = readonly [operation: string, sent: (answers: Answers) => Sent | Promise<Sent>]

// Bodies are checked against their schemas in the test.
// biome-ignore lint/suspicious/noExplicitAny: the wire has no types
export type Answers = Readonly<Record<string, any>>

/** The service with a payment provider, and one request to every operation: what is read was written before. */
export async function startStory(): Promise<{ billing: BillingApp; steps: readonly Step[] }> {
  // Each read is in the log before the next request.
  const billing = await startBillingApp({ audit: { reads: 'sync' } })
  const keeper = await billing.app.principal({ id: 'keeper', namespace: 'coast', groups: ['crew'] })
  const payer = await billing.payer('payer')
  const owner = await billing.app.principal({ id: 'owner', namespace: 'harbours' })
  // The first owner moves to the namespace that it creates.
  await billing.app.principal({ id: 'deputy', namespace: 'harbours' })
  await billing.app.principal({ id: 'ada', namespace: 'elsewhere' })
  const kept = { token: keeper }
  const paying = { token: payer }
  const steps: Step[] = [
    ['GET /v1/health', () => ({})],
    ['POST /v1/scopes', () => kept],
    ['GET /v1/scopes', () => kept],
    ['GET /v1/scopes/{scope}', () => ({ ...kept, path: '/v1/scopes/harbour' })],
    ['GET /v1/context', () => kept],
    ['POST /v1/ingest', () => kept],
    ['POST /v1/search', () => kept],
    ['POST /v1/answer', () => kept],
    ['GET /v1/units', () => ({ ...kept, path: '/v1/units?limit=1' })],
    [
      'GET /v1/units/{id}',
      (answers) => ({ ...kept, path: `/v1/units/${answers['POST /v1/ingest'].units[0].unit_id}` }),
    ],
    ['GET /v1/catalog/stats', () => kept],
    ['POST /v1/compaction', () => kept],
    ['GET /v1/compaction', () => kept],
    ['GET /v1/audit', () => ({ ...kept, path: '/v1/audit?limit=2' })],
    ['GET /v1/audit/verify', () => kept],
    ['GET /v1/audit/checkpoint', () => kept],
    ['GET /v1/audit/proof', () => ({ ...kept, path: '/v1/audit/proof?seq=1' })],
    ['POST /v1/units:delete', () => kept],
    ['DELETE /v1/scopes/{scope}', () => ({ ...kept, path: '/v1/scopes/harbour' })],
    ['POST /v1/namespaces', () => ({ token: owner })],
    ['GET /v1/namespaces', () => ({ token: owner })],
    ['GET /v1/namespaces/{ns}', () => ({ token: owner, path: '/v1/namespaces/lighthouse' })],
    ['DELETE /v1/namespaces/{ns}', () => ({ token: superAdminToken, path: '/v1/namespaces/lighthouse' })],
    ['POST /v1/principals', () => kept],
    ['GET /v1/principals', () => kept],
    ['GET /v1/principals/{id}', (answers) => ({ ...kept, path: principalIn(answers) })],
    ['POST /v1/grants', () => kept],
    ['GET /v1/grants', () => kept],
    ['GET /v1/grants/{id}', (answers) => ({ ...kept, path: grantIn(answers) })],
    ['DELETE /v1/grants/{id}', (answers) => ({ ...kept, path: grantIn(answers) })],
    ['DELETE /v1/principals/{id}', (answers) => ({ ...kept, path: principalIn(answers) })],
    ['GET /v1/billing/plans', () => ({})],
    ['POST /v1/billing/checkout', () => paying],
    ['POST /v1/billing/webhook', async (answers) => event(billing, answers['POST /v1/billing/checkout'].url)],
    ['GET /v1/billing/subscription', () => paying],
    ['POST /v1/billing/portal', () => ({ ...paying, body: {} })],
    ['POST /v1/billing/reconcile', () => ({ token: 'cron-secret-of-tests' })],
    ['POST /v1/admin/seed', () => ({ token: superAdminToken })],
    ['GET /v1/benchmarks', () => kept],
    ['GET /v1/eval', () => kept],
  ]
  return { billing, steps }
}

const principalIn = (answers: Answers) => `/v1/principals/${answers['POST /v1/principals'].principal_id}`
const grantIn = (answers: Answers) => `/v1/grants/${answers['POST /v1/grants'].id}`

/** Of a payment: what the provider sends, signed. The other events are delivered. */
async function event({ stripe, clock, deliver }: BillingApp, checkout: string): Promise<Sent> {
  const events = await stripe.actions.pay(checkout)
  const last = events.at(-1)
  if (last === undefined) throw new Error('a payment must have an event')
  await deliver(events.slice(0, -1))
  const { body, signature } = stripe.sign(last, Math.floor(clock.now() / 1000))
  return { body, headers: { 'stripe-signature': signature } }
}
