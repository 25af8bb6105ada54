import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { boot } from '../../support/boot.ts'
import { auditSample, auditTables } from '../../support/database/audit-tables.ts'
import { withCatalogRows } from '../../support/database/catalog-rows.ts'

/** RFC 8785 for the values in audit rows, implemented independently of the service: sorted keys, no white space. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, v]) => `${JSON.stringify(key)}:${canonical(v)}`).join(',')}}`
}

it('records every mutation in exactly the bytes that are documented, once and for good', async () => {
  const app = await boot()
  const { body: seeded } = await app.call('POST', '/v1/admin/seed', { headers: { 'x-request-id': 'seed-1' } })
  const token = seeded.tokens.admin
  const send = (method: string, path: string, body?: unknown) =>
    app.call(method, path, { token, scope: 'lab', body, headers: { 'x-request-id': path.replaceAll('/', '.') } })
  await send('POST', '/v1/scopes', { scope: 'lab' })
  const { body } = await send('POST', '/v1/ingest', { units: [{ text: 'the secret recipe', external_id: 'recipe' }] })
  await send('POST', '/v1/units:delete', { ids: [body.units[0].unit_id], hard: true })
  await send('POST', '/v1/units:delete', { ids: [] })
  await send('POST', '/v1/compaction')
  await send('DELETE', '/v1/scopes/lab')
  await app.graphql('mutation { createSource(input: {data: "AAEC"}) { sourceUri } }', {}, { token })
  await app.close({ keep: true })

  await withCatalogRows(app.storage, async (sql) => {
    const rows = await sql<Record<string, unknown>>(
      `SELECT n.name AS namespace, r.seq::float8 AS seq, r.time::float8 AS time, r.principal_id, r.action, r.target,
         r.outcome, r.request_id, r.detail, r.prev_hash, r.hash
       FROM audit_row r JOIN namespace n ON n.id = r.namespace_id WHERE n.name = 'demo' ORDER BY r.seq`,
    )
    expect(rows.map((row) => row.action)).toEqual([
      ...['units.ingest', 'seed.run', 'scope.create', 'units.ingest', 'units.delete'],
      ...['compaction.run', 'scope.delete', 'source.create'],
    ])
    expect(rows[3]).toMatchObject({
      principal_id: 'demo-admin',
      target: 'lab',
      outcome: 'ok',
      request_id: '.v1.ingest',
      detail: { units: 1, written: 1, seq: 101 },
    })
    let previous = '0'.repeat(64)
    for (const [i, { prev_hash, hash, ...row }] of rows.entries()) {
      expect(row.seq).toBe(i + 1)
      expect(prev_hash).toBe(previous)
      const bytes = Buffer.concat([Buffer.from(previous, 'hex'), Buffer.from(canonical(row))])
      expect(hash).toBe(createHash('sha256').update(bytes).digest('hex'))
      previous = String(hash)
    }
    expect(JSON.stringify(rows)).not.toMatch(/secret recipe|svc_sk_/)
    await sql(auditSample)
    for (const table of auditTables) {
      for (const change of [
        `UPDATE ${table} SET namespace_id = ''`,
        `DELETE FROM ${table}`,
        `TRUNCATE ${table} CASCADE`,
      ]) {
        await expect(sql(change), change).rejects.toThrow('write-once')
      }
    }
  })
  await app.storage.remove()
})
