import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const get = (path: string, token: string | undefined, headers = {}) => service.call('GET', path, { token, headers })

/** RFC 8785 for what audit rows hold: sorted keys, no white space. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, v]) => `${JSON.stringify(key)}:${canonical(v)}`).join(',')}}`
}

/** All rows that a token sees, oldest first. What others write meanwhile moves rows to a later page, never to none. */
async function wholeLog(token: string) {
  const rows = new Map<number, { prev_hash: string; hash: string; seq: number; [field: string]: unknown }>()
  for (let cursor: number | null = 0; cursor !== null; ) {
    const { status, body } = await get(`/v1/audit?cursor=${cursor}`, token)
    expect(status).toBe(200)
    for (const row of body.rows) rows.set(row.seq, row)
    cursor = body.next_cursor
  }
  return [...rows.values()].toReversed()
}

describe('GET /v1/audit', () => {
  it('shows an admin a chain that anyone can recompute', async () => {
    const { admin } = service.tokens
    await service.call('POST', '/v1/scopes', { token: admin, body: { scope: 'audited/one' } })
    const { body: before } = await get('/v1/audit?limit=1', admin)
    expect(before).toEqual({ namespace: 'demo', rows: [expect.anything()], count: before.rows[0].seq, next_cursor: 1 })
    const rows = await wholeLog(admin)
    let prev_hash = '0'.repeat(64)
    for (const [i, { hash, ...row }] of rows.entries()) {
      expect([row.seq, row.prev_hash]).toEqual([i + 1, prev_hash])
      const { prev_hash: previous, ...content } = row
      const bytes = Buffer.concat([Buffer.from(previous, 'hex'), Buffer.from(canonical(content))])
      expect(hash).toBe(createHash('sha256').update(bytes).digest('hex'))
      prev_hash = hash
    }
    const { body: report } = await get('/v1/audit/verify', admin)
    expect(report.head_seq).toBeGreaterThanOrEqual(rows.length)
    expect(report).toEqual({
      namespace: 'demo',
      intact: true,
      checked: report.head_seq,
      head_seq: expect.any(Number),
      head_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      break_at: null,
      reason: null,
    })
  })

  it('shows others less, and never more than the count says', async () => {
    const { readonly, admin } = service.tokens
    const { principal } = (await get('/v1/context', readonly)).body
    const rows = await wholeLog(readonly)
    const all = await wholeLog(admin)
    expect(rows.length).toBeLessThan(all.length)
    const key = (row: object) => JSON.stringify(row)
    const known = new Set(all.map(key))
    expect(rows.filter((row) => !known.has(key(row)))).toEqual([])
    const others = rows.filter((row) => row.principal_id !== principal.principal_id)
    for (const { action } of others) expect(action).toMatch(/^(units|scope|access)\./)
  })

  it('over GraphQL is filtered, among the rows that the caller sees', async () => {
    const query = `query ($filter: AuditFilterInput) {
      audit(filter: $filter) { count rows { seq action target principalId outcome } } }`
    const ask = async (filter: object, token: string) =>
      (await service.call('POST', '/graphql', { token, body: { query, variables: { filter } } })).body
    const { admin, readonly } = service.tokens
    await service.call('POST', '/v1/scopes', { token: admin, body: { scope: 'audited/filter' } })
    const filter = { action: 'scope.create', target: 'audited/filter', outcome: 'ok' }
    const row = { ...filter, seq: expect.any(Number), principalId: 'demo-admin' }
    expect((await ask(filter, admin)).data.audit).toEqual({ count: 1, rows: [row] })
    expect((await ask({ ...filter, before: 1 }, admin)).data.audit).toEqual({ count: 0, rows: [] })
    expect((await ask({ action: 'seed.run' }, readonly)).data.audit).toEqual({ count: 0, rows: [] })
    expect((await ask({ action: '' }, admin)).errors[0].extensions).toMatchObject({ code: 'bad_request', status: 400 })
  })

  it('is not part of the free tier, and needs a token', async () => {
    for (const path of ['/v1/audit', '/v1/audit/verify']) {
      const free = await get(path, service.tokens.free)
      expect(free).toMatchObject({ status: 402, body: { error: 'upgrade_required', required_tier: 'pro' } })
      expect((await get(path, undefined)).status).toBe(401)
      expect((await get(path, service.tokens.pro, { 'x-svc-namespace': 'enterprise' })).status).toBe(403)
      expect((await get(path, service.tokens.pro)).status).toBe(200)
    }
  })

  it.each(['limit=0', 'limit=101', 'limit=ten', 'cursor=-1', 'cursor=1.5'])('refuses %s', async (query) => {
    const { status, body } = await get(`/v1/audit?${query}`, service.tokens.admin)
    expect([status, body.error, body.detail]).toEqual([
      ...[400, 'bad_request'],
      expect.stringContaining(query.split('=')[0] ?? ''),
    ])
  })
})
