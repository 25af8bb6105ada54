import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { type ModelServer, startModelServer } from '../../support/models/model-server.ts'
import { openAiSettings } from '../../support/models/remote-models.ts'
import {
  environmentOf,
  failedStart,
  type ServerProcess,
  startServerProcess,
} from '../../support/process/server-process.ts'
import { hasTraceSdk } from '../../support/traces/has-sdk.ts'
import { startOtlpReceiver } from '../../support/traces/otlp-receiver.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
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
  let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>
  let service: ServerProcess
  let token = ''
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }), ...headers },
      body: JSON.stringify(body),
    })

  beforeAll(async () => {
    storage = await createStorage()
    models = await startModelServer()
    receiver = await startOtlpReceiver()
    service = await startServerProcess({
      ...environmentOf(storage),
      ...openAiSettings(models.url),
      LOG_LEVEL: 'info',
      AUDIT_QUERIES: 'text',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of the receiver',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    })
    const seeded = (await (await post('/v1/admin/seed', {})).json()) as { tokens: { admin: string } }
    token = seeded.tokens.admin
  }, 240_000)
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]()
    await receiver?.close()
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

  it('tell no secrets, and the query on the search span alone', async () => {
    await fetch(`${service.url}/uploads/zqsecretlink?zqsecretquery=1`, { method: 'PUT', body: 'zqsecretbody' })
    await fetch(`${service.url}/zqsecretpath`)
    await post('/graphql', { query: 'query zqsecretname { zqsecretfield }' })
    await receiver.find('PUT /uploads/{token}')
    service.kill('SIGTERM')
    expect((await service.exited).code).toBe(0)
    const told = [receiver.text(), service.stderr]
    for (const text of told) {
      for (const secret of [token, 'zqsecret', 'Authorization', 'Bearer']) expect(text).not.toContain(secret)
    }
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
