import { expect, it } from 'vitest'
import { createStorage } from '../../support/database/database.ts'
import { environmentOf, startServerProcess } from '../../support/process/server-process.ts'
import {
  type LocalStripe,
  secretKey,
  startLocalStripe,
  stripeEnv,
  webhookSecret,
} from '../../support/stripe/local-stripe.ts'
import type { StripeEvent } from '../../support/stripe/state.ts'

/** A browser session with a server, all over HTTP. */
function openSession(url: string) {
  let cookie = ''
  return async (method: string, path: string, body?: object) => {
    const headers: Record<string, string> = { origin: url, cookie, 'content-type': 'application/json' }
    const response = await fetch(`${url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    const set = response.headers.getSetCookie().map((line) => line.split(';')[0])
    if (set.length > 0) cookie = set.join('; ')
    return { status: response.status, body: await response.json() }
  }
}

async function deliver(stripe: LocalStripe, url: string, events: readonly StripeEvent[]): Promise<number[]> {
  const statuses: number[] = []
  for (const event of events) {
    const { body, signature } = stripe.sign(event)
    const headers = { 'stripe-signature': signature, 'content-type': 'application/json; charset=utf-8' }
    statuses.push((await fetch(`${url}/v1/billing/webhook`, { method: 'POST', headers, body })).status)
  }
  return statuses
}

const units = (modality: string) => ({ units: [{ text: `the ${modality} of a harbour`, modality, acl_groups: ['*'] }] })

it('goes from sign-up over checkout, Pro and portal to the end of the period and Free again', async () => {
  await using stripe = await startLocalStripe()
  const storage = await createStorage()
  try {
    const env = { ...environmentOf(storage), ...stripeEnv(stripe), LOG_LEVEL: 'debug' }
    await using server = await startServerProcess(env)
    const call = openSession(server.url)
    const scoped = '/v1/ingest?scope=default/main'
    const status = async (method: string, path: string, body?: object) => (await call(method, path, body)).status
    const tier = async () => (await call('GET', '/v1/billing/subscription')).body.tier

    const person = { name: 'Mira', email: 'mira@example.com', password: 'the cat is called Bollard' }
    expect(await status('POST', '/api/auth/sign-up/email', person)).toBe(200)
    expect(await tier()).toBe('free')
    const refused = await call('POST', scoped, units('image'))
    expect(refused.body).toMatchObject({ error: 'upgrade_required', status: 402, required_tier: 'pro' })
    expect(await status('GET', '/v1/audit')).toBe(402)

    const plans = await call('GET', '/v1/billing/plans')
    expect(plans.body.plans[0].offers).toHaveLength(3)
    const checkout = await call('POST', '/v1/billing/checkout', { tier: 'pro', cadence: 'monthly' })
    expect(checkout.body.url).toMatch(`${stripe.url}/pay/`)
    expect(await tier()).toBe('free')
    const bought = stripe.actions.pay(checkout.body.url)
    expect(await deliver(stripe, server.url, bought)).toEqual([200, 200])

    expect(await tier()).toBe('pro')
    expect(await status('POST', scoped, units('image'))).toBe(200)
    expect(await status('GET', '/v1/audit')).toBe(200)
    const found = await call('POST', '/v1/search', { q: 'harbour', planes: ['visual'] })
    expect(found.body.hits).toHaveLength(1)

    const portal = await call('POST', '/v1/billing/portal', {})
    expect(portal.body.url).toMatch(`${stripe.url}/portal/`)
    const id = `${bought[0]?.data.object.id}`
    stripe.actions.advance(1)
    expect(await deliver(stripe, server.url, stripe.actions.cancelAtPeriodEnd(id))).toEqual([200])
    const { body } = await call('GET', '/v1/billing/subscription')
    expect(body).toMatchObject({ tier: 'pro', changes_at: body.subscriptions[0].period_end })

    expect(await deliver(stripe, server.url, stripe.actions.endPeriod(id))).toEqual([200])
    expect(await tier()).toBe('free')
    expect(await status('POST', scoped, units('image'))).toBe(402)
    expect(await status('POST', scoped, units('text'))).toBe(200)
    expect((await call('GET', '/v1/units')).body.units).toHaveLength(2)
    const clamped = await call('POST', '/v1/search', { q: 'harbour' })
    expect(clamped.body.trace.clamped_planes).toContain('visual')

    server.kill('SIGTERM')
    expect((await server.exited).code).toBe(0)
    const printed = server.stdout + server.stderr
    for (const secret of [secretKey, webhookSecret, 'cron-secret-of-tests']) expect(printed).not.toContain(secret)
    expect(stripe.violations).toEqual([])
  } finally {
    await storage.remove()
  }
})
