import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { startSmtpServer } from '../../support/mail/smtp-server.ts'
import { environmentOf, type ServerProcess, startServerProcess } from '../../support/process/server-process.ts'
import { type S3Server, startS3Server } from '../../support/s3/server.ts'
import { type LocalStripe, secretKey, startLocalStripe, stripeEnv } from '../../support/stripe/local-stripe.ts'
import { hasTraceSdk } from '../../support/traces/has-sdk.ts'
import { startOtlpReceiver } from '../../support/traces/otlp-receiver.ts'

const client = 3
const failed = 2

describe.skipIf(!hasTraceSdk)('traces of other vendors (needs npm run install:otel)', () => {
  let storage: TestStorage
  let s3: S3Server
  let stripe: LocalStripe
  let smtp: Awaited<ReturnType<typeof startSmtpServer>>
  let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>
  let service: ServerProcess
  let tokens: Record<'admin' | 'free', string>

  beforeAll(async () => {
    ;[storage, s3, stripe, smtp, receiver] = await Promise.all([
      createStorage(),
      startS3Server(),
      startLocalStripe(),
      startSmtpServer(),
      startOtlpReceiver(),
    ])
    service = await startServerProcess({
      ...environmentOf(storage),
      ...stripeEnv(stripe),
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'service@example.com',
      S3_BUCKET: s3.bucket,
      S3_ENDPOINT: s3.endpoint,
      S3_REGION: s3.region,
      S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    })
    const seeded = await post('/v1/admin/seed', {})
    tokens = ((await seeded.json()) as { tokens: typeof tokens }).tokens
  }, 240_000)
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]()
    await receiver?.close()
    await smtp?.close()
    await stripe?.[Symbol.asyncDispose]()
    await s3?.close()
    await storage?.remove()
  })

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const traceOf = (digit: string) => digit.repeat(32)
  /** Headers of a caller with a trace of its own. */
  const traced = (digit: string, token?: string) => ({
    traceparent: `00-${traceOf(digit)}-b7ad6b7169203331-01`,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  })
  const attributes = (system: string, service: string, method: string) => ({
    ...{ 'rpc.system': system, 'rpc.service': service, 'rpc.method': method },
  })

  it('a source that is stored is a request to S3, which carries the trace', async () => {
    const mutation = 'mutation { createUpload(input: { bytes: 5, name: "zqname.txt" }) { url } }'
    const made = await post('/graphql', { query: mutation }, { authorization: `Bearer ${tokens.admin}` })
    const { data } = (await made.json()) as { data: { createUpload: { url: string } } }
    const sent = await fetch(new URL(data.createUpload.url, service.url), {
      method: 'PUT',
      body: 'zqtxt',
      headers: traced('a'),
    })
    expect(sent.status).toBe(200)
    const span = await receiver.find('S3.PutObject', traceOf('a'))
    expect(span.kind).toBe(client)
    expect(span.attributes).toEqual(attributes('aws-api', 'S3', 'PutObject'))
    expect(s3.traceparents).toContain(`00-${span.traceId}-${span.spanId}-01`)
  })

  it('a checkout is calls of Stripe, which carry the trace', async () => {
    const order = { tier: 'pro', cadence: 'monthly' }
    expect((await post('/v1/billing/checkout', order, traced('b', tokens.free))).status).toBe(200)
    const span = await receiver.find('stripe/createCheckout', traceOf('b'))
    expect(span.kind).toBe(client)
    expect(span.attributes).toEqual(attributes('stripe', 'stripe', 'createCheckout'))
    expect(stripe.traceparents).toContain(`00-${span.traceId}-${span.spanId}-01`)
    stripe.fault = 'broken'
    expect((await post('/v1/billing/portal', {}, traced('c', tokens.free))).status).toBe(503)
    stripe.fault = 'none'
    const broken = await receiver.find('stripe/createPortal', traceOf('c'))
    expect(broken).toMatchObject({ status: failed, attributes: { 'error.type': 'billing_unavailable' } })
  })

  it('a mail is sent by SMTP', async () => {
    const person = { name: 'Zqperson', email: 'zqperson@example.com', password: 'zqpassword of tests' }
    const headers = { ...traced('d'), origin: service.url }
    expect((await post('/api/auth/sign-up/email', person, headers)).status).toBe(200)
    const span = await receiver.find('smtp/send', traceOf('d'))
    expect(span.kind).toBe(client)
    expect(span.attributes).toEqual(attributes('smtp', 'smtp', 'send'))
    expect(smtp.messages).toHaveLength(1)
  })

  it('tell nothing of what was sent', async () => {
    service.kill('SIGTERM')
    expect((await service.exited).code).toBe(0)
    const principals = [...stripe.state.customers.keys()]
    expect(principals.length).toBeGreaterThan(0)
    for (const secret of ['zq', secretKey, s3.credentials.secretAccessKey, tokens.free, 'example.com', ...principals]) {
      expect(receiver.text()).not.toContain(secret)
    }
  })
})
