import pg from 'pg'
import { expect } from 'vitest'
import { startPglite } from '../../../src/adapters/catalog/connection/pglite/start.ts'
import { type AuditAction, type AuditOutcome, type AuditRow, auditHash, genesisHash } from '../../../src/model/audit.ts'
import type { TestStorage } from './database.ts'

/** Runs SQL on a catalog that no application has open. It bypasses all our code, so it reads the data on disk. */
export type Sql = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>

export async function withCatalogRows<T>(
  { catalog }: Pick<TestStorage, 'catalog'>,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const embedded = catalog.kind === 'pglite' ? await startPglite({ dataDir: catalog.dataDir }) : null
  const pool = new pg.Pool(
    embedded?.poolConfig ?? { connectionString: catalog.kind === 'postgresql' ? catalog.url : '' },
  )
  // Closing connections may be terminated: a caller may drop the database before they end.
  pool.on('error', () => {})
  try {
    return await work(async (text, values = []) => (await pool.query(text, [...values])).rows)
  } finally {
    await pool.end()
    await embedded?.close()
  }
}

export interface HeadRow {
  namespace_id: string
  name: string
  seq: number
  documents: number
  audit_seq: number
  audit_hash: string
}

/** Every namespace with its head row. */
export function headRows(sql: Sql): Promise<HeadRow[]> {
  return sql<HeadRow>(
    `SELECT h.namespace_id, n.name, h.seq::float8 AS seq, h.documents, h.audit_seq::float8 AS audit_seq, h.audit_hash
     FROM head h JOIN namespace n ON n.id = h.namespace_id ORDER BY n.name`,
  )
}

interface AuditRecord {
  seq: number
  time: number
  principal_id: string
  action: AuditAction
  target: string | null
  outcome: AuditOutcome
  request_id: string
  detail: AuditRow['detail']
  prev_hash: string
  hash: string
}

/** Checks that the chain has no fork, no gap from 1 and no wrong hash, and that the head row names its last row. */
async function expectWholeChain(sql: Sql, head: HeadRow): Promise<number> {
  const rows = await sql<AuditRecord>(
    `SELECT seq::float8 AS seq, time::float8 AS time, principal_id, action, target, outcome, request_id, detail,
       prev_hash, hash
     FROM audit_row WHERE namespace_id = $1 AND audit_row.seq <= $2 ORDER BY audit_row.seq`,
    // A service that runs may write more after its head was read.
    [head.namespace_id, head.audit_seq],
  )
  let prevHash = genesisHash
  for (const [i, row] of rows.entries()) {
    const { seq, time, action, target, outcome, detail } = row
    const link = { namespace: head.name, seq, time, action, target, outcome, detail, prevHash }
    const hash = auditHash({ ...link, principalId: row.principal_id, requestId: row.request_id })
    expect({ seq, prev: row.prev_hash, hash: row.hash }).toEqual({ seq: i + 1, prev: prevHash, hash })
    prevHash = row.hash
  }
  expect({ seq: head.audit_seq, hash: head.audit_hash }).toEqual({ seq: rows.length, hash: prevHash })
  return rows.length
}

/**
 * Checks that a namespace's counters equal a recount of its Units, and that seqs are distinct and within the head's.
 */
async function expectTrueCounters(sql: Sql, { namespace_id, seq, documents }: HeadRow): Promise<void> {
  const one = [namespace_id]
  const [units] = await sql<{ units: number; seqs: number; highest: number; documents: number }>(
    `SELECT count(*)::int AS units, count(DISTINCT seq)::int AS seqs, coalesce(max(seq), 0)::float8 AS highest,
       (count(DISTINCT doc_id) FILTER (WHERE state = 'live')
         + count(*) FILTER (WHERE state = 'live' AND doc_id IS NULL))::int AS documents
     FROM unit WHERE namespace_id = $1`,
    one,
  )
  expect(units?.seqs).toBe(units?.units)
  expect(units?.highest).toBeLessThanOrEqual(seq)
  expect(documents).toBe(units?.documents)
  expect(
    await sql('SELECT doc_id, units FROM document WHERE namespace_id = $1 AND units <> 0 ORDER BY doc_id', one),
  ).toEqual(
    await sql(
      `SELECT doc_id, count(*)::int AS units FROM unit
       WHERE namespace_id = $1 AND state = 'live' AND doc_id IS NOT NULL GROUP BY doc_id ORDER BY doc_id`,
      one,
    ),
  )
  const group = 'scope_id, acl_set_id, plane'
  expect(
    await sql(
      `SELECT ${group}, units, vectors FROM unit_count
       WHERE namespace_id = $1 AND (units <> 0 OR vectors <> 0) ORDER BY ${group}`,
      one,
    ),
  ).toEqual(
    await sql(
      `SELECT ${group}, count(*)::int AS units, count(v.unit_id)::int AS vectors
       FROM unit u LEFT JOIN (SELECT DISTINCT namespace_id, unit_id FROM unit_vector) v USING (namespace_id, unit_id)
       WHERE namespace_id = $1 AND state = 'live' GROUP BY ${group} ORDER BY ${group}`,
      one,
    ),
  )
}

/** Checks the invariants that hold for every namespace at any time; returns the number of audit rows. */
export async function expectSoundCatalog(storage: Pick<TestStorage, 'catalog'>): Promise<number> {
  return withCatalogRows(storage, async (sql) => {
    let links = 0
    for (const head of await headRows(sql)) {
      links += await expectWholeChain(sql, head)
      await expectTrueCounters(sql, head)
    }
    const doubled = await sql(
      `SELECT namespace_id, scope_id, writer, external_id FROM unit WHERE state = 'live' AND external_id IS NOT NULL
       GROUP BY namespace_id, scope_id, writer, external_id HAVING count(*) > 1`,
    )
    expect(doubled).toEqual([])
    return links
  })
}
