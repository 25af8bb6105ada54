import { createHash } from 'node:crypto'
import { openCatalog, type PrismaCatalog } from '../../src/adapters/catalog/catalog.ts'
import { createLog } from '../../src/log.ts'
import { type AuditRow, auditBody, genesisHash } from '../../src/model/audit.ts'

const batch = 5000

/** Appends rows to a namespace's log until it has `rows`. In SQL, because it would take an hour through the service. */
export async function fillLog(dataDir: string, name: string, rows: number): Promise<void> {
  const catalog = await openCatalog({ kind: 'pglite', dataDir }, createLog('error'))
  try {
    const found = await catalog.access.namespace(name)
    if (!found) throw new Error(`no namespace ${name}`)
    const { id } = found.namespace
    const { head } = await catalog.audit.end(id)
    for (let last = head; last.seq < rows; ) {
      const added = chain(name, last, Math.min(batch, rows - last.seq))
      await insert(catalog, id, added)
      last = added.at(-1) ?? last
    }
  } finally {
    await catalog.close()
  }
}

/** The rows after the given one, as an ingest would write them. */
export function chain(namespace: string, last: { seq: number; hash: string }, count: number): AuditRow[] {
  const rows: AuditRow[] = []
  let { seq, hash } = last
  for (let i = 0; i < count; i += 1) {
    seq += 1
    const row = {
      namespace,
      seq,
      time: 1_763_000_000_000 + seq * 37,
      principalId: `prn_${createHash('md5')
        .update(`${seq % 100}`)
        .digest('hex')
        .slice(0, 22)}`,
      action: 'units.ingest' as const,
      target: `team-${seq % 10}/project-${seq % 50}`,
      outcome: 'ok' as const,
      requestId: crypto.randomUUID(),
      detail: { created: seq % 500, seq: seq * 500, unchanged: 0, updated: seq % 7 },
      prevHash: hash,
    }
    hash = createHash('sha256').update(bytesOf(row)).digest('hex')
    rows.push({ ...row, hash })
  }
  return rows
}

/** The bytes of a row that are hashed. */
export const bytesOf = (row: Omit<AuditRow, 'hash'>): Buffer =>
  Buffer.concat([Buffer.from(row.prevHash || genesisHash, 'hex'), Buffer.from(auditBody(row))])

async function insert(catalog: PrismaCatalog, id: string, rows: readonly AuditRow[]): Promise<void> {
  const last = rows.at(-1)
  const records = JSON.stringify(rows.map((row) => ({ ...row, detail: JSON.stringify(row.detail) })))
  await catalog.client.$executeRaw`
    WITH added AS (
      INSERT INTO audit_row (namespace_id, seq, time, principal_id, action, target, outcome, request_id, detail,
        prev_hash, hash)
      SELECT ${id}, r.seq, r.time, r."principalId", r.action, r.target, r.outcome, r."requestId", r.detail::json,
        r."prevHash", r.hash
      FROM json_to_recordset(${records}::json) AS r(seq bigint, time bigint, "principalId" text, action text,
        target text, outcome text, "requestId" text, detail text, "prevHash" text, hash text))
    UPDATE head SET audit_seq = ${last?.seq ?? 0}, audit_hash = ${last?.hash ?? ''} WHERE namespace_id = ${id}`
}
