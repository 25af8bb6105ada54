import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { tokenHash } from '../../../src/domain/access/tokens.ts'
import { type AuditRow, auditHash } from '../../../src/model/audit.ts'
import { auditLine } from '../../../src/model/audit-wire.ts'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'

const publicOrigin = 'https://audit.example'
let app: TestApp
let now = Date.now()
beforeAll(async () => {
  app = await boot({ config: { publicOrigin }, bindings: { clock: { now: () => now } } })
})
afterAll(() => app.close())

const mutation = 'mutation($format: AuditExportFormat) { exportAudit(format: $format) { url expiresAt } }'

async function link(token: string, options: { format?: string; namespace?: string } = {}): Promise<string> {
  const { format, namespace } = options
  const { body } = await app.graphql(mutation, { format }, { token, ...(namespace ? { namespace } : {}) })
  if (body.errors) throw new Error(JSON.stringify(body.errors))
  const url = new URL(body.data.exportAudit.url)
  expect(url.origin).toBe(publicOrigin)
  return url.pathname
}

const gone = {
  error: 'not_found',
  detail: 'no such export: the link was used or has expired; request another one',
  status: 404,
}

/** Every row that the REST API returns, oldest first. */
async function listed(token: string): Promise<Record<string, unknown>[]> {
  const rows = []
  for (let cursor: number | null = 0; cursor !== null; ) {
    const { body } = await app.call('GET', `/v1/audit?cursor=${cursor}`, { token })
    rows.push(...body.rows)
    cursor = body.next_cursor
  }
  return rows.reverse()
}

const linesOf = (body: string) => body.split('\n').slice(0, -1)

describe('a link', () => {
  test('exports the whole log once, as it was hashed', async () => {
    const token = await app.principal({ id: 'whole', namespace: 'whole' })
    const units = Array.from({ length: 3 }, (_, i) => ({ text: `"quoted" \u2028 ${i}`, scope: 'a/b' }))
    await app.call('POST', '/v1/scopes', { token, body: { scope: 'a' } })
    await app.call('POST', '/v1/scopes', { token, body: { scope: 'a/b' } })
    await app.call('POST', '/v1/ingest', { token, body: { units } })
    const url = await link(token)
    expect(url).toMatch(/^\/exports\/[0-9A-Za-z]{32}$/)
    const { status, headers, body } = await app.call('GET', url)
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-disposition': 'attachment; filename="audit-whole.ndjson"',
      'cache-control': 'private, no-store',
      'x-request-id': expect.any(String),
    })
    const rows = await listed(token)
    expect(rows.map(({ action }) => action)).toEqual(['scope.create', 'scope.create', 'units.ingest', 'audit.export'])
    expect(linesOf(body).map((line) => JSON.parse(line))).toEqual(rows)
    expect(body.endsWith('}\n')).toBe(true)
    expect(await app.call('GET', url)).toMatchObject({ status: 404, body: gone })
  })

  test('keeps nothing of its token but a hash', async () => {
    const token = await app.principal({ id: 'kept', namespace: 'kept' })
    const secret = (await link(token)).split('/').at(-1) ?? ''
    const rows = await listed(token)
    expect(rows).toMatchObject([{ action: 'audit.export', target: null, detail: { format: 'ndjson' } }])
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(await app.runtime.bindings.catalog.exports.take(secret)).toBeNull()
    expect(await app.runtime.bindings.catalog.exports.take(tokenHash(secret))).toMatchObject({ principalId: 'kept' })
  })

  test('is for one of many that ask at once', async () => {
    const url = await link(await app.principal({ id: 'race', namespace: 'race' }))
    const replies = await Promise.all(Array.from({ length: 8 }, () => app.call('GET', url)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)])
  })

  test('ends after ten minutes, and is swept', async () => {
    const token = await app.principal({ id: 'late', namespace: 'late' })
    const first = await link(token)
    const second = await link(token)
    now += 10 * 60_000 - 1
    expect((await app.call('GET', first)).status).toBe(200)
    now += 1
    expect(await app.call('GET', second)).toMatchObject({ status: 404, body: gone })
    const third = await link(token)
    now += 10 * 60_000
    const { background } = app.runtime.domain
    background.kick()
    await background.idle()
    const hash = tokenHash(third.split('/').at(-1) ?? '')
    expect(await app.runtime.bindings.catalog.exports.take(hash)).toBeNull()
  })

  test('ends with the key that asked for it', async () => {
    const expiresAt = now + 1000
    const token = await app.principal({ id: 'short', namespace: 'short', expiresAt })
    const { body } = await app.graphql(mutation, {}, { token })
    expect(body.data.exportAudit.expiresAt).toBe(expiresAt)
  })

  test.each([
    ['GET', '/exports/'],
    ['GET', '/exports/short'],
    ['GET', `/exports/${'0'.repeat(32)}`],
    ['GET', `/exports/${'%30'.repeat(32)}`],
  ])('%s %s is 404', async (method, path) => {
    expect(await app.call(method, path)).toMatchObject({ status: 404, body: gone })
  })

  test('is not used up by other methods', async () => {
    const url = await link(await app.principal({ id: 'methods', namespace: 'methods' }))
    expect((await app.call('HEAD', url)).status).toBe(200)
    for (const method of ['POST', 'DELETE', 'OPTIONS']) {
      expect((await app.call(method, url)).status, method).toBe(404)
    }
    expect((await app.call('GET', `${url}?x=1`)).status).toBe(200)
  })
})

describe('who may', () => {
  const codeOf = async (token: string, format?: string) => {
    const { body } = await app.graphql(mutation, { format }, { token })
    return body.errors?.[0].extensions.code
  }

  test('admin principals alone', async () => {
    const grants = [{ scope: '*', perms: ['read', 'write'] as const }]
    expect(await codeOf(await app.principal({ id: 'writer', namespace: 'who', grants }))).toBe('forbidden')
    const area = [{ scope: 'a', perms: ['read', 'write', 'admin'] as const }]
    expect(await codeOf(await app.principal({ id: 'area', namespace: 'who', grants: area }))).toBe('forbidden')
    const restrictions = { scopePrefix: 'a' }
    expect(await codeOf(await app.principal({ id: 'narrow', namespace: 'who', restrictions }))).toBe('forbidden')
  })

  test('on a tier with a log', async () => {
    const token = await app.principal({ id: 'free', namespace: 'free', tier: 'free' })
    expect(await codeOf(token)).toBe('upgrade_required')
  })

  test('the super-admin, while there is one', async () => {
    await app.principal({ id: 'super', namespace: 'super' })
    const url = await link(superAdminToken, { namespace: 'super' })
    const { status, body } = await app.call('GET', url)
    expect(status).toBe(200)
    expect(JSON.parse(linesOf(body)[0] ?? '')).toMatchObject({ action: 'audit.export', principal_id: 'super-admin' })
  })

  test('an unknown format is 400', async () => {
    const token = await app.principal({ id: 'format', namespace: 'format' })
    const { status, body } = await app.graphql(mutation, { format: 'xml' }, { token })
    expect(status === 400 || body.errors.length > 0).toBe(true)
  })

  test('is checked again when the link is used', async () => {
    const owner = await app.principal({ id: 'owner', namespace: 'again' })
    const second = await app.principal({ id: 'second', namespace: 'again' })
    const url = await link(second)
    const { body } = await app.call('GET', '/v1/grants', { token: owner })
    const grants = body.grants.filter((grant: { principal_id: string }) => grant.principal_id === 'second')
    expect(grants).toHaveLength(1)
    expect((await app.call('DELETE', `/v1/grants/${grants[0].id}`, { token: owner })).status).toBe(200)
    expect(await app.call('GET', url)).toMatchObject({ status: 404, body: gone })
  })

  test('nobody, once the tier has no log', async () => {
    const token = await app.principal({ id: 'fallen', namespace: 'fallen', tier: 'pro' })
    const url = await link(token)
    const { client } = app.runtime.bindings.catalog as PrismaCatalog
    await client.$executeRaw`UPDATE namespace SET tier = 'free' WHERE name = 'fallen'`
    expect(await app.call('GET', url)).toMatchObject({ status: 404, body: gone })
  })

  test('nobody, once the principal or the namespace is deleted', async () => {
    const owner = await app.principal({ id: 'boss', namespace: 'doomed' })
    const url = await link(await app.principal({ id: 'leaver', namespace: 'doomed' }))
    expect((await app.call('DELETE', '/v1/principals/leaver', { token: owner })).status).toBe(200)
    expect(await app.call('GET', url)).toMatchObject({ status: 404, body: gone })
    const [own, foreign] = [await link(owner), await link(superAdminToken, { namespace: 'doomed' })]
    const deleted = await app.call('DELETE', '/v1/namespaces/doomed', { token: superAdminToken, namespace: 'doomed' })
    expect(deleted.status).toBe(200)
    expect(await app.call('GET', own)).toMatchObject({ status: 404, body: gone })
    expect(await app.call('GET', foreign)).toMatchObject({ status: 404, body: gone })
  })
})

test('a long log comes in its order, up to the head as of the request', async () => {
  const token = await app.principal({ id: 'long', namespace: 'long' })
  const { catalog } = app.runtime.bindings
  const found = await catalog.access.namespace('long')
  const id = found?.namespace.id ?? ''
  const entry = { time: now, principalId: 'long', action: 'units.get' as const, target: null, outcome: 'ok' as const }
  const write = (rows: number) =>
    catalog.transact(id, async (tx) => {
      for (let i = 0; i < rows; i++)
        await tx.audit({ ...entry, requestId: `r${i}`, detail: { i, text: '\u{1F6A2}"\\' } })
    })
  await write(2500)
  const url = await link(token)
  const response = await app.app.fetch(new Request(`http://localhost${url}`))
  await write(10)
  const lines = linesOf(await response.text())
  expect(lines).toHaveLength(2501)
  let prev = '0'.repeat(64)
  for (const [i, line] of lines.entries()) {
    const { prev_hash: prevHash, principal_id: principalId, request_id: requestId, ...rest } = JSON.parse(line)
    const row: AuditRow = { ...rest, prevHash, principalId, requestId }
    expect(auditLine(row)).toBe(line)
    expect([row.seq, row.prevHash, row.hash]).toEqual([i + 1, prev, auditHash(row)])
    prev = row.hash
  }
})
