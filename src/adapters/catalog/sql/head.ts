import canonicalize from 'canonicalize'
import { notFound } from '../../../errors.ts'
import { type AuditEntry, type AuditRow, auditHash } from '../../../model/audit.ts'
import type { Namespace } from '../../../model/registry.ts'
import type { UnitChange } from '../../../model/telemetry.ts'
import type { Plane } from '../../../model/unit.ts'
import { bigint, integer, text, word } from '../database/columns.ts'
import { asJson, type Db } from '../database/db.ts'
import { toTier } from '../database/words.ts'
import { Prisma } from '../generated/client.ts'
import { select } from './select.ts'

/** A namespace's head row, locked until the transaction ends. `flushHead` writes its numbers back once. */
export interface Head {
  namespace: Namespace
  seq: number
  /** What `seq` was when the row was locked. */
  lockedSeq: number
  documents: number
  auditSeq: number
  auditHash: string
  audit: AuditRow[]
  /** Units were hard-deleted. */
  purged: boolean
  /** Changed Units, for metrics. */
  written: WrittenUnits[]
  /** By how much the namespace grew. */
  growth: Stored
}

/** What a namespace holds: live Units by plane, and bytes of uploaded sources. */
export interface Stored {
  units: Record<Plane, number>
  bytes: number
}

export interface WrittenUnits {
  plane: Plane
  change: UnitChange
  units: number
}

const headColumns = {
  name: text,
  tier: word(toTier),
  seq: bigint,
  documents: integer,
  audit_seq: bigint,
  audit_hash: text,
}

/** Throws 404 for a deleted namespace, unless `orDeleted`. */
export async function lockHead(db: Db, namespaceId: string, orDeleted = false): Promise<Head> {
  const [row] = await select(db, headColumns)`
    SELECT n.name, n.tier, h.seq, h.documents, h.audit_seq, h.audit_hash
    FROM head h JOIN namespace n ON n.id = h.namespace_id
    WHERE h.namespace_id = ${namespaceId} AND (n.deleted_at IS NULL OR ${orDeleted}) FOR UPDATE OF h FOR SHARE OF n`
  if (!row) throw notFound('the namespace no longer exists: choose another one')
  return {
    namespace: { id: namespaceId, name: row.name, tier: row.tier },
    seq: row.seq,
    lockedSeq: row.seq,
    documents: row.documents,
    auditSeq: row.audit_seq,
    auditHash: row.audit_hash,
    audit: [],
    purged: false,
    written: [],
    growth: { units: { text: 0, visual: 0, audio: 0, doc_visual: 0 }, bytes: 0 },
  }
}

/** Links an entry to the chain; the row is inserted when the head is flushed. */
export function appendAudit(head: Head, entry: AuditEntry): void {
  const row = { ...entry, namespace: head.namespace.name, seq: head.auditSeq + 1, prevHash: head.auditHash }
  const hash = auditHash(row)
  head.audit.push({ ...row, hash })
  head.auditSeq = row.seq
  head.auditHash = hash
}

/** Notes changed Units, by their planes. */
export function noteWritten(head: Head, change: UnitChange, changed: readonly { plane: Plane }[]): void {
  const byPlane = Map.groupBy(changed, ({ plane }) => plane)
  for (const [plane, units] of byPlane) head.written.push({ plane, change, units: units.length })
}

export async function flushHead(db: Db, head: Head): Promise<void> {
  const namespaceId = head.namespace.id
  // Left out where no Unit changed: an update of the other columns leaves the catalog's memory as it is.
  const changed = hasChanged(head) ? Prisma.sql`seq = ${head.seq}, ` : Prisma.empty
  await db.$executeRaw`
    WITH audited AS (
      INSERT INTO audit_row (namespace_id, seq, time, principal_id, action, target, outcome, request_id, detail,
        prev_hash, hash)
      SELECT ${namespaceId}, r.seq, r.time, r."principalId", r.action, r.target, r.outcome, r."requestId",
        r.detail::json, r."prevHash", r.hash
      FROM json_to_recordset(${asJson(head.audit.map(toRecord))}::json) AS r(seq bigint, time bigint, "principalId" text,
        action text, target text, outcome text, "requestId" text, detail text, "prevHash" text, hash text))
    UPDATE head SET ${changed}documents = ${head.documents},
      audit_seq = ${head.auditSeq}, audit_hash = ${head.auditHash}
    WHERE namespace_id = ${namespaceId}`
  await countWritten(db, head)
}

/** Adds what changed to the counters of the hour, with the change or not at all. */
async function countWritten(db: Db, { namespace, written, growth: { units, bytes } }: Head): Promise<void> {
  const sum = (changes: readonly UnitChange[]) =>
    written.reduce((total, { change, units }) => total + (changes.includes(change) ? units : 0), 0)
  const [ingested, deleted] = [sum(['created', 'updated']), sum(['tombstoned', 'purged'])]
  if (ingested === 0 && deleted === 0 && bytes === 0) return
  await db.$executeRaw`
    INSERT INTO query_count AS c (namespace_id, hour, queries, ingested, deleted, text_change, visual_change,
      audio_change, doc_visual_change, bytes_change)
    VALUES (${namespace.id}, floor(extract(epoch FROM clock_timestamp()) / 3600)::int, 0, ${ingested}, ${deleted},
      ${units.text}, ${units.visual}, ${units.audio}, ${units.doc_visual}, ${bytes}::bigint)
    ON CONFLICT (namespace_id, hour) DO UPDATE SET ingested = c.ingested + excluded.ingested,
      deleted = c.deleted + excluded.deleted, text_change = c.text_change + excluded.text_change,
      visual_change = c.visual_change + excluded.visual_change, audio_change = c.audio_change + excluded.audio_change,
      doc_visual_change = c.doc_visual_change + excluded.doc_visual_change,
      bytes_change = c.bytes_change + excluded.bytes_change`
}

/** Units were written or deleted. */
export const hasChanged = ({ seq, lockedSeq }: Head): boolean => seq !== lockedSeq

/** The detail is stored as the text that was hashed, so that SQL can build a row's canonical bytes. */
const toRecord = (row: AuditRow) => ({ ...row, detail: canonicalize(row.detail) })

/** The heads that one transaction locks. A holder of several must hold the provisioning lock. */
export function createHeads(db: Db) {
  const heads = new Map<string, Head>()
  const lock = async (namespaceId: string): Promise<Head> => {
    const known = heads.get(namespaceId)
    if (known) return known
    const head = await lockHead(db, namespaceId)
    heads.set(namespaceId, head)
    return head
  }
  /** Returns the namespaces whose Units changed. */
  const flush = async (): Promise<string[]> => {
    for (const head of heads.values()) await flushHead(db, head)
    return [...heads].flatMap(([id, head]) => (hasChanged(head) ? [id] : []))
  }
  const written = () => [...heads.values()].flatMap((head) => head.written)
  return { lock, flush, written }
}

export type Heads = ReturnType<typeof createHeads>

/** Serialises all creation of namespaces and principals, across processes. The number is arbitrary but fixed. */
const provisionLock = 7_201_114

export async function lockProvisioning(db: Db): Promise<void> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(${provisionLock}::bigint)`
}

/** Makes this transaction read-only. */
export async function setReadOnly(db: Db): Promise<void> {
  await db.$executeRaw`SET TRANSACTION READ ONLY`
}
