import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMetrics } from '../../../src/adapters/metrics-prometheus/metrics.ts'
import { startMetricsServer } from '../../../src/http/metrics-server.ts'
import { planes } from '../../../src/model/unit.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { createLineLog, exchange, type LoggedServer, listen } from '../../support/process/http-server.ts'

const { registry, requests: meter, telemetry, refresh } = createMetrics()
const own = { kind: 'on', host: '127.0.0.1', port: 0, token: 'a token of tests' } as const
const authorization = `Bearer ${own.token}`
/** No checkpoint is signed before the end, however long that takes. */
const unsigned = { checkpointMs: 0 }
let app: TestApp
let server: LoggedServer
let metrics: Awaited<ReturnType<typeof startMetricsServer>>
beforeAll(async () => {
  app = await boot({ bindings: { telemetry }, config: { mail: { kind: 'console' }, audit: unsigned } })
  server = await listen(app, createLineLog(), { meter })
  metrics = await startMetricsServer(registry, own, () => refresh(app.runtime.domain.load))
})
afterAll(async () => {
  await metrics.close()
  await server.close()
  await app.close()
})

const scrape = async () => (await fetch(metrics.url, { headers: { authorization } })).text()

describe('metrics', () => {
  it('are served to who has the token, and nothing else is', async () => {
    const get = await fetch(metrics.url, { headers: { authorization } })
    expect(get.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const head = await fetch(metrics.url, { method: 'HEAD', headers: { authorization } })
    expect([get.status, head.status, await head.text()]).toEqual([200, 200, ''])
    expect((await fetch(metrics.url)).status).toBe(401)
    expect((await fetch(metrics.url, { headers: { authorization: `${authorization}x` } })).status).toBe(401)
    expect((await fetch(metrics.url, { method: 'POST', headers: { authorization } })).status).toBe(404)
    expect((await fetch(metrics.url.replace('/metrics', '/'), { headers: { authorization } })).status).toBe(404)
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404)
  })

  it('count ended requests by templates, and nothing that callers choose', async () => {
    await fetch(`${server.url}/v1/units/marmalade?q=marmalade`)
    await fetch(`${server.url}/marmalade`, { method: 'PROPFIND' })
    await exchange(server.port, 'marmalade marmalade\r\n\r\n')
    await server.requests(3)
    const text = await scrape()
    const counted = (method: string, route: string, status: number) =>
      `http_server_request_duration_seconds_count{http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"} 1`
    expect(text).toContain(counted('GET', '/v1/units/{id}', 401))
    expect(text).toContain(counted('_OTHER', 'unmatched', 404))
    expect(text).toContain(counted('_OTHER', 'unmatched', 400))
    expect(text).toContain('http_server_active_requests{http_request_method="GET"} 0')
    expect(text).toContain('retrieval_refusals_total{code="unauthorized"} 1')
    expect(text).toMatch(/retrieval_build_info\{version="[^"]+",node="[^"]+"\} 1/)
    expect(text).toContain('process_cpu_seconds_total')
    expect(text).not.toContain('marmalade')
  })

  it('name the paths beside REST, and tell none of their secrets', async () => {
    for (const path of ['/graphql', '/mcp', '/livez', '/uploads/marmalade', '/api/auth/callback/marmalade']) {
      await fetch(`${server.url}${path}`, { method: 'GET', redirect: 'manual' })
    }
    await server.requests(8)
    const text = await scrape()
    for (const route of ['/graphql', '/mcp', '/livez', '/uploads/{token}']) {
      expect(text).toContain(`http_route="${route}"`)
    }
    expect(text).not.toContain('marmalade')
  })

  it('measure fields, stages, legs, models, waits and written Units', async () => {
    const token = await app.principal({ id: 'marmalade', namespace: 'marmalade', tier: 'enterprise' })
    const units = [
      { text: 'marmalade is cooked in spring', modality: 'text' },
      { text: 'toast', modality: 'text' },
    ]
    const sent = { token, scope: 'marmalade', body: { units } }
    const ingested = await app.call('POST', '/v1/ingest', sent)
    expect(ingested.status).toBe(200)
    await app.call('POST', '/v1/ingest', {
      ...sent,
      body: { units: units.map((unit, i) => ({ ...unit, external_id: `${i}` })) },
    })
    await app.call('POST', '/v1/ingest', {
      ...sent,
      body: { units: units.map((unit, i) => ({ ...unit, external_id: `${i}` })) },
    })
    const ids = ingested.body.units.map((unit: { unit_id: string }) => unit.unit_id)
    await app.call('POST', '/v1/search', { token, body: { q: 'marmalade' } })
    await app.call('GET', `/v1/units/none`, { token })
    await app.call('POST', '/v1/units:delete', { token, scope: 'marmalade', body: { ids: [ids[0]] } })
    await app.call('POST', '/v1/units:delete', { token, scope: 'marmalade', body: { ids, hard: true } })
    const text = await scrape()
    const value = (series: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1],
      )
    const field = (labels: string) => value(`retrieval_graphql_field_duration_seconds_count{${labels}}`)
    expect(field('type="query",field="search",outcome="ok"')).toBe(1)
    expect(field('type="query",field="unit",outcome="not_found"')).toBe(1)
    expect(field('type="mutation",field="deleteUnits",outcome="ok"')).toBe(2)
    for (const stage of ['plan', 'candidates', 'fuse', 'hydrate']) {
      expect(value(`retrieval_search_stage_duration_seconds_count{stage="${stage}"}`)).toBe(1)
    }
    const leg = 'leg="text",plane="all",engine="embedded"'
    expect(value(`retrieval_search_leg_duration_seconds_count{${leg}}`)).toBe(1)
    for (const [change, count] of [
      ['created', 4],
      ['unchanged', 2],
      ['tombstoned', 1],
      ['purged', 2],
    ] as const) {
      expect(value(`retrieval_units_written_total{plane="text",change="${change}"}`), change).toBe(count)
    }
    expect(
      value('retrieval_inference_duration_seconds_count{operation="embed",provider="builtin",outcome="ok"}'),
    ).toBeGreaterThan(0)
    expect(value('retrieval_catalog_wait_seconds_count{for="connection"}')).toBeGreaterThan(0)
    expect(value('retrieval_catalog_wait_seconds_count{for="namespace_lock"}')).toBeGreaterThan(0)
    for (const secret of ['marmalade', ...ids]) expect(text).not.toContain(secret)
  })

  it('show what waits and what the indexes hold', async () => {
    const sample = (text: string, series: string) =>
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1]
    const token = await app.principal({ id: 'keeper', namespace: 'vault', tier: 'enterprise' })
    await app.call('POST', '/v1/ingest', {
      token,
      scope: 'yard',
      body: { units: [{ text: 'a crane', modality: 'text' }] },
    })
    const grown = await scrape()
    for (const plane of planes) {
      expect(sample(grown, `retrieval_index_pending{plane="${plane}"}`), plane).toBe('0')
      expect(sample(grown, `retrieval_index_lag_seconds{plane="${plane}"}`), plane).toBe('0')
    }
    expect(Number(sample(grown, 'retrieval_index_units{plane="text"}'))).toBeGreaterThan(0)
    expect(Number(sample(grown, 'retrieval_index_memory_bytes{plane="text"}'))).toBeGreaterThan(0)
    expect(sample(grown, 'retrieval_index_units{plane="audio"}')).toBe('0')
    for (const state of ['busy', 'idle', 'waiting']) {
      expect(sample(grown, `retrieval_catalog_connections{state="${state}"}`), state).toMatch(/^\d+$/)
    }
    for (const queue of ['index', 'audit_reads', 'embed', 'sweep', 'mail']) {
      expect(sample(grown, `retrieval_queue_length{queue="${queue}"}`), queue).toMatch(/^\d+$/)
    }
    expect(sample(grown, 'retrieval_billing_events_waiting')).toBe('0')
    expect(sample(grown, 'retrieval_audit_anchor_behind')).toBe('0')
    expect(Number(sample(grown, 'retrieval_audit_checkpoint_age_seconds'))).toBeGreaterThan(0)
  })

  it('show no checkpoint that waits, once all logs are signed', async () => {
    const first = await boot({ config: { audit: unsigned } })
    const token = await first.principal({ id: 'keeper', namespace: 'vault', tier: 'enterprise' })
    const units = [{ text: 'a crane', modality: 'text' }]
    expect((await first.call('POST', '/v1/ingest', { token, scope: 'yard', body: { units } })).status).toBe(200)
    const { load } = first.runtime.domain
    expect(load.now().checkpointAgeMs).toBeGreaterThan(0)
    await first.runtime.dispose()
    expect(load.now().checkpointAgeMs).toBe(0)
    await first.storage.remove()
  })
})
