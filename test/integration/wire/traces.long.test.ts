import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { startSmtpServer } from '../../support/mail/smtp-server.ts'
import { type ModelServer, startModelServer } from '../../support/models/model-server.ts'
import { openAiSettings } from '../../support/models/remote-models.ts'
import {
  environmentOf,
  failedStart,
  type ServerProcess,
  startServerProcess,
} from '../../support/process/server-process.ts'
import { type S3Server, startS3Server } from '../../support/s3/server.ts'
import { type LocalStripe, secretKey, startLocalStripe, stripeEnv } from '../../support/stripe/local-stripe.ts'
import { hasTraceSdk } from '../../support/traces/has-sdk.ts'
import { startOtlpReceiver } from '../../support/traces/otlp-receiver.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const [client, failed] = [3, 2]
const caller = `00-${traceId}-b7ad6b7169203331-01`

async function until(met: () => boolean): Promise<void> {
  for (let waited = 0; !met(); waited += 20) {
    if (waited > 20_000) throw new Error('it did not come')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe.skipIf(!hasTraceSdk)('traces (needs npm run install:otel)', () => {
  let storage: TestStorage
  let models: ModelServer
  let s3: S3Server
  let stripe: LocalStripe
  let smtp: Awaited<ReturnType<typeof startSmtpServer>>
  let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>
  let service: ServerProcess
  let tokens: Partial<Record<'admin' | 'free', string>> = {}
  /** As the admin, once there is one. */
  const post = (path: string, body: object, headers: Record<string, string> = {}, token = tokens.admin) =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }), ...headers },
      body: JSON.stringify(body),
    })
  const traceOf = (digit: string) => digit.repeat(32)
  /** Headers of a caller with a trace of its own. */
  const traced = (digit: string) => ({ traceparent: `00-${traceOf(digit)}-b7ad6b7169203331-01` })
  const attributes = (system: string, service: string, method: string) => ({
    ...{ 'rpc.system': system, 'rpc.service': service, 'rpc.method': method },
  })

  beforeAll(async () => {
    ;[storage, models, s3, stripe, smtp, receiver] = await Promise.all([
      createStorage(),
      startModelServer(),
      startS3Server(),
      startLocalStripe(),
      startSmtpServer(),
      startOtlpReceiver(),
    ])
    service = await startServerProcess({
      ...environmentOf(storage),
      ...openAiSettings(models.url),
      ...stripeEnv(stripe),
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'service@example.com',
      S3_BUCKET: s3.bucket,
      S3_ENDPOINT: s3.endpoint,
      S3_REGION: s3.region,
      S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
      LOG_LEVEL: 'info',
      AUDIT_QUERIES: 'text',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of the receiver',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
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
    await models?.[Symbol.asyncDispose]()
    await storage?.remove()
  })

  it('continue the trace of the caller from the request to the vendor', async () => {
    const response = await post('/v1/search', { q: 'marmalade ferry' }, { traceparent: caller, tracestate: 'a=b' })
    expect(response.status).toBe(200)
    const root = await receiver.find('POST /v1/search')
    expect(root).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331', kind: 2 })
    expect(root.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/search',
      'http.response.status_code': 200,
      'retrieval.request_id': response.headers.get('x-request-id'),
      'url.path': '/v1/search',
      'url.scheme': 'http',
    })
    const field = await receiver.find('query search')
    expect(field).toMatchObject({ traceId, parentSpanId: root.spanId })
    expect(field.attributes['graphql.operation.type']).toBe('query')
    for (const stage of ['plan', 'candidates', 'fuse', 'hydrate']) {
      expect(await receiver.find(`search ${stage}`)).toMatchObject({ traceId, parentSpanId: field.spanId })
    }
    const candidates = await receiver.find('search candidates')
    expect(await receiver.find('search leg text')).toMatchObject({ traceId, parentSpanId: candidates.spanId })
    const embedding = receiver.spans.find(({ name, traceId: id }) => name === 'embeddings bge-m3' && id === traceId)
    expect(embedding).toMatchObject({
      kind: 3,
      attributes: {
        'gen_ai.operation.name': 'embeddings',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'bge-m3',
      },
    })
    const carried = models.asked.flatMap(({ headers }) => `${headers.traceparent}`)
    expect(carried).toContain(`00-${traceId}-${embedding?.spanId}-01`)
    expect(receiver.resources[0]).toMatchObject({
      'service.name': 'multimodal-retrieval',
      'deployment.environment.name': 'test',
    })
    expect(receiver.headers[0]).toMatchObject({ 'x-key': 'of the receiver', path: '/v1/traces' })
  })

  it('show statements of the catalog by their first word', async () => {
    await post('/v1/ingest', { units: [{ text: 'zqsecrettext', modality: 'text' }] }, { 'x-svc-scope': 'traces' })
    const root = await receiver.find('POST /v1/ingest')
    await receiver.find('INSERT')
    const statements = receiver.spans.filter(
      (span) => span.attributes['db.system.name'] === 'postgresql' && span.traceId === root.traceId,
    )
    expect(statements.length).toBeGreaterThan(2)
    for (const { kind, name, attributes } of statements) {
      expect(kind).toBe(3)
      expect(name).toMatch(/^[A-Z]+$/)
      expect(attributes['db.operation.name']).toBe(name)
    }
  })

  it('give the log the id of the trace, for a broken traceparent a new one', async () => {
    const broken = await post('/v1/search', { q: 'x' }, { traceparent: '00-zz-zz-01', 'x-request-id': 'broken' })
    expect(broken.status).toBe(200)
    const lineOf = () => service.stderr.split('\n').find((text) => text.includes('"request_id":"broken"'))
    await until(() => lineOf() !== undefined)
    const { trace_id: id } = JSON.parse(lineOf() ?? '{}') as { trace_id: string }
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(id).not.toBe(traceId)
    await until(() => receiver.spans.some((span) => span.traceId === id))
  })

  it('obey the flag of the caller', async () => {
    const quiet = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
    await post('/v1/search', { q: 'quiet' }, { traceparent: `00-${quiet}-b7ad6b7169203331-00` })
    const loud = 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'
    await post('/v1/search', { q: 'loud' }, { traceparent: `00-${loud}-b7ad6b7169203331-01` })
    await until(() => receiver.spans.some((span) => span.traceId === loud))
    expect(receiver.spans.some((span) => span.traceId === quiet)).toBe(false)
  })

  it('a source that is stored is a request to S3, which carries the trace', async () => {
    const mutation = 'mutation { createUpload(input: { bytes: 5, name: "zqname.txt" }) { url } }'
    const made = await post('/graphql', { query: mutation })
    const { data } = (await made.json()) as { data: { createUpload: { url: string } } }
    const sent = await fetch(new URL(data.createUpload.url, service.url), {
      method: 'PUT',
      body: 'zqtxt',
      headers: traced('1'),
    })
    expect(sent.status).toBe(200)
    const span = await receiver.find('S3.PutObject', traceOf('1'))
    expect(span.kind).toBe(client)
    expect(span.attributes).toEqual(attributes('aws-api', 'S3', 'PutObject'))
    expect(s3.traceparents).toContain(`00-${span.traceId}-${span.spanId}-01`)
  })

  it('a checkout is calls of Stripe, which carry the trace', async () => {
    const order = { tier: 'pro', cadence: 'monthly' }
    expect((await post('/v1/billing/checkout', order, traced('2'), tokens.free)).status).toBe(200)
    const span = await receiver.find('stripe/createCheckout', traceOf('2'))
    expect(span.kind).toBe(client)
    expect(span.attributes).toEqual(attributes('stripe', 'stripe', 'createCheckout'))
    expect(stripe.traceparents).toContain(`00-${span.traceId}-${span.spanId}-01`)
    stripe.fault = 'broken'
    expect((await post('/v1/billing/portal', {}, traced('3'), tokens.free)).status).toBe(503)
    stripe.fault = 'none'
    const broken = await receiver.find('stripe/createPortal', traceOf('3'))
    expect(broken).toMatchObject({ status: failed, attributes: { 'error.type': 'billing_unavailable' } })
  })

  it('a mail is sent by SMTP', async () => {
    const person = { name: 'Zqperson', email: 'zqperson@example.com', password: 'zqpassword of tests' }
    const headers = { ...traced('4'), origin: service.url }
    expect((await post('/api/auth/sign-up/email', person, headers, '')).status).toBe(200)
    const span = await receiver.find('smtp/send', traceOf('4'))
    expect(span.kind).toBe(client)
    expect(span.attributes).toEqual(attributes('smtp', 'smtp', 'send'))
    expect(smtp.messages).toHaveLength(1)
  })

  it('tell no secrets, and the query on the search span alone', async () => {
    await fetch(`${service.url}/uploads/zqsecretlink?zqsecretquery=1`, { method: 'PUT', body: 'zqsecretbody' })
    await fetch(`${service.url}/zqsecretpath`)
    await post('/graphql', { query: 'query zqsecretname { zqsecretfield }' })
    await receiver.find('PUT /uploads/{token}')
    service.kill('SIGTERM')
    expect((await service.exited).code).toBe(0)
    const told = [receiver.text(), service.stderr]
    for (const text of told) {
      for (const secret of [`${tokens.admin}`, 'zqsecret', 'Authorization', 'Bearer'])
        expect(text).not.toContain(secret)
    }
    const principals = [...stripe.state.customers.keys()]
    expect(principals.length).toBeGreaterThan(0)
    const ofVendors = ['zq', secretKey, s3.credentials.secretAccessKey, `${tokens.free}`, 'example.com', ...principals]
    for (const secret of ofVendors) expect(receiver.text()).not.toContain(secret)
    expect(service.stderr).not.toContain('marmalade')
    const withQuery = receiver.spans.filter(({ attributes }) => 'retrieval.query.text' in attributes)
    expect(new Set(withQuery.map(({ name }) => name))).toEqual(new Set(['query search']))
    expect(withQuery.map(({ attributes }) => attributes['retrieval.query.text'])).toContain('marmalade ferry')
    const others = receiver.spans.filter((span) => !withQuery.includes(span))
    expect(JSON.stringify(others)).not.toContain('marmalade')
    expect(receiver.spans.find(({ name }) => name === 'PUT /uploads/{token}')?.attributes['url.path']).toBe(
      '/uploads/REDACTED',
    )
  })
})

it.skipIf(hasTraceSdk)('without the SDK, the start names the command that installs it', async () => {
  const storage = await createStorage()
  const { stderr, exit } = await failedStart({
    ...environmentOf(storage),
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  })
  await storage.remove()
  expect(exit.code).toBe(1)
  expect(stderr).toMatch(/cannot start: traces need OpenTelemetry's SDK.*npm run install:otel brings it/)
})
