import { createHash } from 'node:crypto'
import type { Acl } from '../../../model/unit.ts'
import type { UnitRow } from '../../../ports/namespace-writer.ts'
import { runsOf } from '../../../slices/stringify-json.ts'
import { asJson, type Db } from '../database/db.ts'
import { toBytes } from '../database/vectors.ts'
import { Prisma } from '../generated/client.ts'
import { type Counted, recount } from './counters.ts'
import type { Head } from './head.ts'

/** A statement's parameters are encoded in one go, which must not hold up the event loop. Bytes, about. */
const statementSize = 2 ** 19

/** Inserts or replaces Units under the next seqs; see `NamespaceWriter.units.put`. */
export async function putUnits(
  db: Db,
  head: Head,
  rows: readonly UnitRow[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  if (rows.length === 0) return new Map()
  const namespaceId = head.namespace.id
  const replaced = rows.filter((row) => !row.isNew).map((row) => row.unitId)
  const before = replaced.length === 0 ? [] : await counted(db, namespaceId, replaced)
  const aclSets = aclSetsOf(rows)
  const records = rows.map((row, i) => toRecord(row, head.seq + 1 + i, aclSets.get(keyOf(row.acl))?.id ?? ''))
  head.seq += rows.length
  await internAclSets(db, namespaceId, [...aclSets.values()])
  for (const run of runsOf(records, statementSize)) await upsert(db, namespaceId, run, now)
  await replaceVectors(db, namespaceId, replaced, rows)
  return recount(db, head, before, records)
}

/** What the live ones among these Units count towards. */
export function counted(db: Db, namespaceId: string, unitIds: readonly string[]): Promise<Counted[]> {
  return db.$queryRaw<Counted[]>`
    SELECT scope_id, acl_set_id, plane, doc_id, has_vector FROM unit
    WHERE namespace_id = ${namespaceId} AND unit_id = ANY(${[...unitIds]}::text[]) AND state = 'live'`
}

type AclSet = Acl & { id: string }

const keyOf = ({ owner, groups }: Acl) => JSON.stringify([owner, groups])

/** The distinct ACL sets of a batch: mostly a few. */
function aclSetsOf(rows: readonly UnitRow[]): Map<string, AclSet> {
  const acls = new Map(rows.map(({ acl }) => [keyOf(acl), acl]))
  return new Map([...acls].map(([key, acl]) => [key, aclSetOf(acl)]))
}

export function aclSetOf({ owner, groups }: Acl): AclSet {
  const id = createHash('sha256').update(keyOf({ owner, groups })).digest('hex').slice(0, 32)
  return { id, owner, groups }
}

const toRecord = (row: UnitRow, seq: number, aclSetId: string) => ({
  unit_id: row.unitId,
  seq,
  scope_id: row.scopeId,
  plane: row.plane,
  modality: row.modality,
  text: row.text,
  source_uri: row.sourceUri,
  mime: row.mime,
  locator: row.locator,
  doc_id: row.docId,
  external_id: row.externalId,
  writer: row.writer,
  acl_set_id: aclSetId,
  metadata: row.metadata,
  content_hash: row.contentHash,
  has_vector: row.vector !== null,
  embed_pending: row.embedPending,
})

export async function internAclSets(db: Db, namespaceId: string, sets: readonly AclSet[]): Promise<void> {
  await db.$executeRaw`
    INSERT INTO acl_set (namespace_id, id, owner, groups)
    SELECT ${namespaceId}, r.id, r.owner, r.groups
    FROM json_to_recordset(${asJson(sets)}::json) AS r(id text, owner text, groups text[])
    ON CONFLICT DO NOTHING`
}

async function upsert(db: Db, namespaceId: string, records: ReturnType<typeof toRecord>[], now: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO unit (namespace_id, unit_id, seq, ordinal, state, scope_id, plane, modality, text, source_uri, mime,
      locator, doc_id, external_id, writer, acl_set_id, metadata, content_hash, has_vector, embed_pending,
      created_at, updated_at)
    SELECT ${namespaceId}, r.unit_id, r.seq, r.seq, 'live', r.scope_id, r.plane, r.modality, r.text, r.source_uri,
      r.mime, r.locator, r.doc_id, r.external_id, r.writer, r.acl_set_id, r.metadata, r.content_hash, r.has_vector,
      r.embed_pending, ${now}::bigint, ${now}::bigint
    FROM json_to_recordset(${asJson(records)}::json) AS r(unit_id text, seq bigint, scope_id text, plane text,
      modality text, text text, source_uri text, mime text, locator jsonb, doc_id text, external_id text, writer text,
      acl_set_id text, metadata jsonb, content_hash text, has_vector boolean, embed_pending boolean)
    ON CONFLICT (namespace_id, unit_id) DO UPDATE SET
      seq = excluded.seq, scope_id = excluded.scope_id, plane = excluded.plane, modality = excluded.modality,
      text = excluded.text, source_uri = excluded.source_uri, mime = excluded.mime, locator = excluded.locator,
      doc_id = excluded.doc_id, acl_set_id = excluded.acl_set_id, metadata = excluded.metadata,
      content_hash = excluded.content_hash, has_vector = excluded.has_vector,
      embed_pending = excluded.embed_pending, updated_at = excluded.updated_at`
}

async function replaceVectors(
  db: Db,
  namespaceId: string,
  replaced: readonly string[],
  rows: readonly UnitRow[],
): Promise<void> {
  if (replaced.length > 0) await deleteVectors(db, namespaceId, replaced)
  const embedded = rows.flatMap(({ unitId, vector }) => (vector ? [{ unitId, vector }] : []))
  for (const run of runsOf(embedded, statementSize)) await insertVectors(db, namespaceId, run)
}

export async function deleteVectors(db: Db, namespaceId: string, unitIds: readonly string[]): Promise<void> {
  await db.$executeRaw`
    DELETE FROM unit_vector WHERE namespace_id = ${namespaceId} AND unit_id = ANY(${[...unitIds]}::text[])`
}

/** All vectors travel as one parameter, which the statement cuts up: an array of them would be escaped one by one. */
export async function insertVectors(
  db: Db,
  namespaceId: string,
  embedded: readonly { unitId: string; vector: { model: string; values: Float32Array } }[],
): Promise<void> {
  let offset = 1
  const records = embedded.map(({ unitId, vector }) => {
    const record = { unit_id: unitId, model: vector.model, start: offset, length: vector.values.byteLength }
    offset += record.length
    return record
  })
  const bytes = Buffer.concat(embedded.map(({ vector }) => toBytes(vector.values)))
  await db.$executeRaw(Prisma.sql`
    INSERT INTO unit_vector (namespace_id, unit_id, model, vector)
    SELECT ${namespaceId}, r.unit_id, r.model, substring(b.bytes FROM r.start FOR r.length)
    FROM json_to_recordset(${asJson(records)}::json) AS r(unit_id text, model text, start int, length int),
      (SELECT ${bytes}::bytea AS bytes) AS b`)
}
