import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMetrics } from '../../src/adapters/metrics-prometheus/metrics.ts'
import { errorTable } from '../../src/errors.ts'
import { schema } from '../../src/graphql/schema.ts'
import { openapi } from '../../src/http/rest/openapi.ts'
import { routes } from '../../src/http/rest/route.ts'
import { searchStages, unitChanges } from '../../src/model/telemetry.ts'
import { planes } from '../../src/model/unit.ts'
import { shapes } from '../../src/operations/operation.ts'
import { propertyRuns } from '../support/amounts.ts'
import { boot, type TestApp } from '../support/boot.ts'
import { samplesOf } from '../support/metrics/families.ts'
import { createLineLog, type LoggedServer, listen } from '../support/process/http-server.ts'

/** Whatever callers send, labels come from fixed lists: no ids, names of tenants, paths, methods or texts of theirs. */

const runs = propertyRuns(12)
const { registry, requests, telemetry, refresh } = createMetrics()
let app: TestApp
let server: LoggedServer
beforeAll(async () => {
  app = await boot({ bindings: { telemetry } })
  server = await listen(app, createLineLog(), { meter: requests })
})
afterAll(async () => {
  await server.close()
  await app.close()
})

const document = openapi(routes, { schema, shapes }, { version: '', brand: 'svc' }) as { paths: object }
const links = ['/exports/{token}', '/uploads/{token}', '/sources/{token}', '/api/auth/{path}', '/assets/{name}']
const mounts = ['/graphql', '/mcp', '/livez', '/readyz', '/openapi.json', '/api/auth/get-session', '/', '/search']
const allowed: Record<string, ReadonlySet<string>> = {
  http_route: new Set([...Object.keys(document.paths), ...links, ...mounts, 'unmatched']),
  http_request_method: new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', '_OTHER']),
  type: new Set(['query', 'mutation']),
  field: new Set(
    [schema.getQueryType(), schema.getMutationType()].flatMap((type) => Object.keys(type?.getFields() ?? {})),
  ),
  outcome: new Set(['ok', 'error', 'timeout', ...Object.keys(errorTable)]),
  code: new Set(Object.keys(errorTable)),
  stage: new Set(searchStages),
  leg: new Set(['vector', 'text']),
  plane: new Set([...planes, 'all']),
  engine: new Set(['embedded']),
  reason: new Set(['error', 'timeout']),
  change: new Set(unitChanges),
  state: new Set(['busy', 'idle', 'waiting']),
  for: new Set(['connection', 'namespace_lock']),
  queue: new Set(['embed', 'index', 'audit_reads', 'sweep', 'mail']),
  operation: new Set(['embed', 'rerank', 'chat', 'judge']),
  provider: new Set(['builtin']),
}

const word = fc.stringMatching(/^zq[a-z0-9]{4,12}$/)
const path = fc.constantFrom(
  (w: string) => `/v1/units/${w}`,
  (w: string) => `/${w}`,
  (w: string) => `/v1/${w}/${w}?q=${w}`,
  (w: string) => `/sources/${w}`,
  (w: string) => `/uploads/${w}`,
  (w: string) => `/api/auth/callback/${w}`,
  (w: string) => `/api/auth/${w}`,
  (w: string) => `/assets/${w}.js`,
  (w: string) => `/graphql?query={${w}}`,
  (w: string) => `/mcp/${w}`,
)
const method = fc.oneof(
  fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'OPTIONS', 'PROPFIND'),
  word.map((text) => text.toUpperCase()),
)

it(
  'labels come from fixed lists',
  async () => {
    let sent = 0
    const used = new Set<string>()
    await fc.assert(
      fc.asyncProperty(word, path, method, async (name, pathOf, verb) => {
        used.add(name)
        const token = await app.principal({ id: name, namespace: name, tier: 'enterprise' })
        const headers = { authorization: `Bearer ${token}`, 'x-svc-scope': name }
        // Methods that Node's own parser does not know are refused before there is a request.
        await fetch(`${server.url}${pathOf(name)}`, { method: verb, headers, redirect: 'manual' }).catch(() => {})
        const units = [{ text: name, modality: 'text', external_id: name, doc_id: name }]
        const written = await app.call('POST', '/v1/ingest', { token, scope: name, body: { units } })
        await app.call('POST', '/v1/search', { token, body: { q: name, answer: true, rerank: true } })
        await app.call('POST', '/v1/units:delete', { token, scope: name, body: { ids: [name] } })
        await app.graphql(`{ ${name} }`, {}, { token })
        used.add(written.body.units[0].unit_id)
        sent += 1
      }),
      { numRuns: runs },
    )
    expect(sent).toBe(runs)
    await refresh(app.runtime.domain.load)
    const text = await registry.metrics()
    for (const secret of used) expect(text).not.toContain(secret)
    const samples = samplesOf(text).filter(({ name }) => /^(http_server|retrieval)_/.test(name))
    const strange = samples.flatMap(({ name, labels }) =>
      Object.entries(labels).flatMap(([label, value]) => {
        const isKnown =
          label === 'http_response_status_code'
            ? /^([1-5]\d\d)?$/.test(value)
            : ['le', 'version', 'node'].includes(label) || allowed[label]?.has(value)
        return isKnown ? [] : [`${name}{${label}="${value}"}`]
      }),
    )
    expect(strange).toEqual([])
    expect(samples.length).toBeGreaterThan(100)
    expect(samples.length).toBeLessThan(10_000)
  },
  60_000 + runs * 4_000,
)
