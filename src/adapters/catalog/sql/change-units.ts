import { runsOf } from '../../../async/json.ts'
import type { Acl, Metadata } from '../../../model/unit.ts'
import { integer, type Row, text, texts } from '../database/columns.ts'
import { asJson, type Db } from '../database/db.ts'
import { Prisma } from '../generated/client.ts'
import { type Head, noteWritten } from './head.ts'
import { fitOwnVectors } from './plane-models.ts'
import { aclSetOf, deleteVectors, internAclSets, statementSize } from './put-units.ts'
import { select } from './select.ts'
import { from, type UnitSelection } from './select-units.ts'
import { removeEmptied, requestSourcePurge } from './sources.ts'
import { plane, type UnitColumn } from './unit-columns.ts'
import { addToUnitCounts, counted, recount } from './unit-counters.ts'

/** Replaces the fields that can change without a new embedding. */
export interface UnitUpdate {
  unitId: string
  acl: Acl
  metadata: Metadata
  title: string | null
  contentHash: string
}

export interface Removal {
  removed: number
  /** Uploaded sources that live Units no longer reference (hard removal only); their bytes must be purged. */
  sources: string[]
}

export function createUnitChanges(db: Db, head: Head, table: readonly UnitColumn[]) {
  const namespaceId = head.namespace.id
  return {
    /** Changes live Units under the next seqs; their texts, vectors and places in the listing do not change. */
    update: async (changes: readonly UnitUpdate[], now: number) => {
      if (changes.length === 0) return
      const records = changes.map(({ unitId, acl, metadata, title, contentHash }, i) => ({
        unit_id: unitId,
        acl_set: aclSetOf(acl),
        metadata,
        title,
        content_hash: contentHash,
        seq: head.seq + 1 + i,
      }))
      const aclSets = new Map(records.map(({ acl_set }) => [acl_set.id, acl_set]))
      await internAclSets(db, namespaceId, [...aclSets.values()])
      head.seq += changes.length
      await moveCounters(
        db,
        head,
        changes.map(({ unitId }) => unitId),
        async () => {
          for (const run of runsOf(records, statementSize)) {
            const rows = run.map(({ acl_set, ...record }) => ({ ...record, acl_set_id: acl_set.id }))
            await db.$executeRaw`
              UPDATE unit SET seq = r.seq, acl_set_id = r.acl_set_id, metadata = r.metadata, title = r.title,
                content_hash = r.content_hash, updated_at = ${now}::bigint
              FROM json_to_recordset(${asJson(rows)}::json)
                AS r(unit_id text, seq bigint, acl_set_id text, metadata jsonb, title text, content_hash text)
              WHERE unit.namespace_id = ${namespaceId} AND unit.unit_id = r.unit_id AND unit.state = 'live'`
          }
        },
      )
    },

    /**
     * Restores tombstoned Units under the next seqs; own vectors whose length the plane no longer has are embedded again.
     * One that still waited for its vector waits again. Returns the number of live Units in their documents.
     */
    restore: async (unitIds: readonly string[], now: number): Promise<ReadonlyMap<string, number>> => {
      await fitOwnVectors(db, namespaceId, unitIds)
      return moveCounters(db, head, unitIds, async () => {
        const records = unitIds.map((unit_id, i) => ({ unit_id, seq: head.seq + 1 + i }))
        head.seq += unitIds.length
        await db.$executeRaw`
          UPDATE unit SET state = 'live', seq = r.seq, updated_at = ${now}::bigint
          FROM json_to_recordset(${asJson(records)}::json) AS r(unit_id text, seq bigint)
          WHERE unit.namespace_id = ${namespaceId} AND unit.unit_id = r.unit_id AND unit.state = 'tombstoned'`
      })
    },

    /** Hides Units but keeps them with all that a restore needs. */
    tombstone: async (unitIds: readonly string[], now: number): Promise<Removal> => {
      const removed = await retire(
        db,
        head,
        unitIds,
        (records) => select(db, { plane })`
          UPDATE unit SET state = 'tombstoned', seq = r.seq, updated_at = ${now}::bigint
          FROM json_to_recordset(${records}::json) AS r(unit_id text, seq bigint)
          WHERE unit.namespace_id = ${namespaceId} AND unit.unit_id = r.unit_id RETURNING unit.plane`,
      )
      noteWritten(head, 'tombstoned', removed)
      return { removed: removed.length, sources: [] }
    },

    /** Leaves a stub without content, which tells every index to forget the Unit. */
    purge: async (unitIds: readonly string[], now: number): Promise<Removal> => {
      const opened = await openedSources(db, namespaceId, unitIds)
      const documents = await documentsOf(db, namespaceId, unitIds)
      head.purged = true
      const removed = await retire(db, head, unitIds, async (records) => {
        await deleteVectors(db, namespaceId, unitIds)
        return select(db, { plane })`
          UPDATE unit SET state = 'purged', seq = r.seq, updated_at = ${now}::bigint, ${emptiedColumns(table)}
          FROM json_to_recordset(${records}::json) AS r(unit_id text, seq bigint)
          WHERE unit.namespace_id = ${namespaceId} AND unit.unit_id = r.unit_id RETURNING unit.plane`
      })
      noteWritten(head, 'purged', removed)
      const emptied = await removeEmptied(db, head, documents, now)
      return {
        removed: removed.length,
        sources: [...emptied, ...(await requestSourcePurge(db, head, opened, now))],
      }
    },
  }
}

/** Counts Units before and after they change, and moves every counter by the difference. */
async function moveCounters(
  db: Db,
  head: Head,
  unitIds: readonly string[],
  change: () => Promise<void>,
): Promise<ReadonlyMap<string, number>> {
  const before = await counted(db, head.namespace.id, unitIds)
  await change()
  const after = await counted(db, head.namespace.id, unitIds)
  noteWritten(head, 'updated', after)
  return recount(db, head, before, after)
}

const emptiedColumns = (table: readonly UnitColumn[]) =>
  Prisma.raw(table.flatMap(({ name, purged }) => (purged === null ? [] : [`"${name}" = ${purged}`])).join(', '))

/** Removes Units under the next seqs, and takes them out of every counter. */
async function retire<T>(
  db: Db,
  head: Head,
  unitIds: readonly string[],
  remove: (records: string) => Promise<T>,
): Promise<T> {
  const before = await counted(db, head.namespace.id, unitIds)
  const records = unitIds.map((unit_id, i) => ({ unit_id, seq: head.seq + 1 + i }))
  head.seq += unitIds.length
  const removed = await remove(asJson(records))
  await recount(db, head, before, [])
  return removed
}

/**
 * The uploaded sources that these Units refer to, if the Unit's writer uploaded them. For other writers the URI is only
 * an opaque pointer.
 */
async function openedSources(db: Db, namespaceId: string, unitIds: readonly string[]): Promise<string[]> {
  const rows = await select(db, { id: text })`
    SELECT DISTINCT s.id FROM unit u
    JOIN source s ON s.namespace_id = u.namespace_id AND s.uri = u.source_uri AND s.created_by = u.writer
      AND u.source_by_writer IS NOT FALSE
    WHERE u.namespace_id = ${namespaceId} AND u.unit_id = ANY(${[...unitIds]}::text[])`
  return rows.map(({ id }) => id)
}

/** The documents that these Units belong to. */
async function documentsOf(db: Db, namespaceId: string, unitIds: readonly string[]): Promise<string[]> {
  const rows = await db.unit.findMany({
    where: { namespaceId, unitId: { in: [...unitIds] }, documentId: { not: null } },
    distinct: ['documentId'],
    select: { documentId: true },
  })
  return rows.flatMap(({ documentId }) => documentId ?? [])
}

const alikeColumns = {
  scopeId: text,
  plane,
  aclSetId: text,
  owner: text,
  groups: texts,
  units: integer,
  vectors: integer,
}

/** Units of one scope, plane and ACL: how many, and how many of them have a vector. */
type AlikeUnits = Omit<Row<typeof alikeColumns>, 'owner' | 'groups'> & { acl: Acl }

/** Owner and readers of any number of Units. Statements work on all of them: none is read here. */
export function createReaderChanges(db: Db, head: Head) {
  const namespaceId = head.namespace.id
  return {
    /** The Units of a selection, counted by what a change of their readers depends on. */
    alike: async (selection: UnitSelection): Promise<AlikeUnits[]> => {
      const rows = await select(db, alikeColumns)`
        SELECT u.scope_id AS "scopeId", u.plane, a.id AS "aclSetId", a.owner, a.groups, count(*)::int AS units,
          (count(*) FILTER (WHERE u.has_vector))::int AS vectors
        ${from(namespaceId, selection)} GROUP BY u.scope_id, u.plane, a.id, a.owner, a.groups`
      return rows.map(({ owner, groups, ...row }) => ({ ...row, acl: { owner, groups } }))
    },

    /** Gives those of a selection that have these ACLs others, under the next seqs. */
    setAcls: async (
      selection: UnitSelection,
      changes: readonly (AlikeUnits & { to: Acl })[],
      now: number,
    ): Promise<void> => {
      const moved = changes.map(({ to, ...rest }) => ({ ...rest, to: aclSetOf(to) }))
      await internAclSets(db, namespaceId, [...new Map(moved.map(({ to }) => [to.id, to])).values()])
      const map = JSON.stringify(Object.fromEntries(moved.map(({ aclSetId, to }) => [aclSetId, to.id])))
      // A Unit that is sent again afterwards counts as changed, whatever it says: its hash tells nothing of the ACL any more.
      await db.$executeRaw`
        UPDATE unit SET seq = ${head.seq}::bigint + r.number, acl_set_id = r.to_id, updated_at = ${now}::bigint,
          content_hash = split_part(unit.content_hash, '.', 1) || '.', readers_seq = ${head.seq}::bigint + r.number,
          content_seq = CASE WHEN unit.readers_seq = unit.seq THEN unit.content_seq ELSE unit.seq END
        FROM (
          SELECT unit_id, to_id, row_number() OVER (ORDER BY picked.seq) AS number
          FROM (SELECT u.unit_id, u.seq, ${map}::jsonb ->> u.acl_set_id AS to_id ${from(namespaceId, selection)}) picked
          WHERE to_id IS NOT NULL) r
        WHERE unit.namespace_id = ${namespaceId} AND unit.unit_id = r.unit_id`
      await followUnits(db, namespaceId, head.seq)
      const delta = ({ scopeId, plane, units, vectors }: (typeof moved)[number], acl_set_id: string, sign: 1 | -1) => ({
        ...{ scope_id: scopeId, plane, acl_set_id, units: sign * units, vectors: sign * vectors },
      })
      await addToUnitCounts(
        db,
        namespaceId,
        moved.flatMap((one) => [delta(one, one.aclSetId, -1), delta(one, one.to.id, 1)]),
      )
      for (const { plane, units } of moved) {
        head.seq += units
        head.written.push({ plane, change: 'updated', units })
      }
    },
  }
}

/** A document has the groups that all its Units have, after some of them changed above a seq. One that is still coming keeps its own. */
const followUnits = (db: Db, namespaceId: string, seq: number) => db.$executeRaw`
  WITH touched AS MATERIALIZED (
    SELECT DISTINCT document_id FROM unit
    WHERE namespace_id = ${namespaceId} AND seq > ${seq}::bigint AND document_id IS NOT NULL),
  alike AS MATERIALIZED (
    SELECT t.document_id, min(a.groups) AS groups
    FROM touched t JOIN unit u ON u.namespace_id = ${namespaceId} AND u.document_id = t.document_id AND u.state = 'live'
    JOIN acl_set a ON a.namespace_id = u.namespace_id AND a.id = u.acl_set_id
    GROUP BY t.document_id HAVING min(a.groups) = max(a.groups))
  UPDATE ingested_document d SET found = jsonb_set(d.found, '{aclGroups}', to_jsonb(g.groups)),
    acl_groups = CASE WHEN d.status = 'ready' THEN g.groups ELSE d.acl_groups END
  FROM alike g
  WHERE d.namespace_id = ${namespaceId} AND d.document_id = g.document_id AND d.found IS NOT NULL`
