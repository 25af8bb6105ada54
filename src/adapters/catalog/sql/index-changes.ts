import type { Plane } from '../../../model/unit.ts'

import type { Embedding, IndexChange, ReadersChange } from '../../../ports/indexes/index-filter.ts'
import { bigint, bytes, integer, orNull, type Row, text, texts } from '../database/columns.ts'
import { asJson, type Db, toFloats, toNumber } from '../database/db.ts'
import { Prisma } from '../generated/client.ts'
import { select } from './select.ts'
import { contentOf, plane, readContent, selectedWith, type UnitColumn, unitTable } from './unit-columns.ts'

export interface PendingChanges {
  changes: number
  /** Those of them whose Units searches must find. */
  live: number
  /**
   * When the oldest change was made, epoch ms. The deletion of a scope counts as a deletion of all its Units. For a
   * change of the plane's model, the time is not before that change began.
   */
  oldest: number
}

/** Maximum text and vectors in a batch, without its last Unit: a result is decoded at once. Bytes. */
const batchBytes = 2 ** 19

/**
 * What is selected in addition to the Unit's content: a row for each vector, with the columns of the ACL set unless the
 * Unit is purged.
 */
const managed = {
  unit_id: text,
  seq: bigint,
  state: text,
  scope_id: text,
  plane,
  owner: orNull(text),
  groups: orNull(texts),
  created_at: bigint,
  updated_at: bigint,
  model: orNull(text),
  vector: orNull(bytes),
  /** Of the model: the bytes may be those of several vectors. */
  dims: orNull(integer),
}

type ChangeRecord = Row<typeof managed>

const readersColumns = {
  unitId: text,
  seq: bigint,
  contentSeq: bigint,
  plane,
  owner: text,
  groups: texts,
  updatedAt: bigint,
}

/** A change of readers, for an index that has the Unit as it was at `contentSeq` or later. */
export interface ReadersOnly {
  contentSeq: number
  change: ReadersChange
}

/** The changes that indexes apply. */
export function createChangeReader(db: Db, table: readonly UnitColumn[] = unitTable) {
  const content = contentOf(table)
  const withContent = selectedWith(managed, content)
  const fields = Prisma.raw(content.map(({ name, field }) => `u."${name}" AS "${field}"`).join(', '))

  /** A row for each vector of a Unit; one row for a Unit without vectors. */
  const read = (units: Prisma.Sql) => select(db, withContent)`
    SELECT u.unit_id, u.seq, u.state, u.scope_id, u.plane, a.owner, a.groups, u.created_at, u.updated_at, v.model, v.vector, m.dims, ${fields}
    FROM (SELECT * FROM unit WHERE ${units}) u
    LEFT JOIN acl_set a ON a.namespace_id = u.namespace_id AND a.id = u.acl_set_id
    LEFT JOIN unit_vector v ON v.namespace_id = u.namespace_id AND v.unit_id = u.unit_id
    LEFT JOIN plane_model m ON m.namespace_id = u.namespace_id AND m.plane = u.plane AND m.model = v.model
    ORDER BY u.seq, v.model`

  const toChanges = (rows: readonly ChangeRecord[]): { seq: number; change: IndexChange }[] =>
    [...Map.groupBy(rows, ({ seq }) => seq)].flatMap(([seq, [row, other]]) =>
      row ? [{ seq, change: toChange(content, row, other ? toEmbedding(other) : null) }] : [],
    )

  return {
    headSeq: async (namespaceId: string) => {
      const head = await db.head.findUnique({ where: { namespaceId }, select: { seq: true } })
      return Number(head?.seq ?? 0)
    },

    /** Changes above a seq, ascending: at most `limit`, and fewer when their texts are long. */
    after: async (namespaceId: string, seq: number, limit: number): Promise<{ seq: number; change: IndexChange }[]> => {
      // At least one: the sum at the first row is 0.
      const last = Prisma.sql`SELECT max(seq) FROM (
        SELECT seq, sum(bytes) OVER (ORDER BY seq) - bytes AS before FROM (
          SELECT seq, octet_length(coalesce(text, '')) + octet_length(coalesce(title, '')) + coalesce((SELECT sum(octet_length(v.vector)) FROM unit_vector v
            WHERE v.namespace_id = unit.namespace_id AND v.unit_id = unit.unit_id), 0) AS bytes FROM unit
          WHERE namespace_id = ${namespaceId} AND seq > ${seq} ORDER BY seq LIMIT ${limit}) n) b WHERE before < ${batchBytes}`
      return toChanges(await read(Prisma.sql`namespace_id = ${namespaceId} AND seq > ${seq} AND seq <= (${last})`))
    },

    /**
     * The next changes above a seq, ascending, as far as only readers of Units changed: then indexes that hold their content need
     * nothing else of them.
     */
    readersAfter: async (namespaceId: string, seq: number, limit: number): Promise<ReadersOnly[]> => {
      const rows = await select(db, readersColumns)`
        SELECT unit_id AS "unitId", seq, content_seq AS "contentSeq", plane, owner, groups, updated_at AS "updatedAt" FROM (
          SELECT u.*, a.owner, a.groups, bool_and(coalesce(u.state = 'live' AND u.readers_seq = u.seq, false)) OVER (ORDER BY u.seq) AS alone
          FROM (SELECT unit_id, seq, state, plane, acl_set_id, updated_at, readers_seq, content_seq FROM unit
            WHERE namespace_id = ${namespaceId} AND seq > ${seq} ORDER BY seq LIMIT ${limit}) u
          LEFT JOIN acl_set a ON a.namespace_id = ${namespaceId} AND a.id = u.acl_set_id
          WHERE (SELECT readers_seq = seq FROM unit WHERE namespace_id = ${namespaceId} AND seq > ${seq} ORDER BY seq LIMIT 1)) r
        WHERE alone ORDER BY seq`
      return rows.map(({ owner, groups, contentSeq, ...rest }) => ({
        contentSeq,
        change: { kind: 'readers', acl: { owner, groups }, ...rest },
      }))
    },

    /** What `after` tells, of given Units. */
    of: async (namespaceId: string, unitIds: readonly string[]): Promise<IndexChange[]> => {
      const rows = await read(Prisma.sql`namespace_id = ${namespaceId} AND unit_id = ANY(${[...unitIds]}::text[])`)
      return toChanges(rows).map(({ change }) => change)
    },

    /** Live Units of a plane: unitId -> seq. */
    manifest: async (namespaceId: string, plane: Plane): Promise<ReadonlyMap<string, number>> => {
      const rows = await select(db, { unit_id: text, seq: bigint })`
        SELECT unit_id, seq FROM unit WHERE namespace_id = ${namespaceId} AND plane = ${plane} AND state = 'live'
          AND scope_id <> ALL(${unsweptScopes(namespaceId)})`
      return new Map(rows.map((row) => [row.unit_id, Number(row.seq)]))
    },

    /**
     * For each plane that has any: the changes that are missing in an index with this cursor. These are Units written or
     * deleted above the cursor, Units that wait for an embedding, and Units of deleted scopes that are not swept yet.
     */
    pending: async (namespaceId: string, seq: number): Promise<Map<Plane, PendingChanges>> => {
      const rows = await select(db, { plane: plane, changes: integer, live: integer, oldest: bigint })`
        SELECT u.plane, count(*)::int AS changes,
          (count(*) FILTER (WHERE u.state = 'live' AND s.deleted_at IS NULL))::int AS live,
          min(CASE WHEN u.seq > ${seq} OR s.deleted_at IS NULL
            THEN least(greatest(u.updated_at, m.change_since), s.deleted_at) ELSE s.deleted_at END) AS oldest
        FROM unit u JOIN scope s ON s.namespace_id = u.namespace_id AND s.id = u.scope_id
        LEFT JOIN (SELECT plane, max(change_since) AS change_since FROM plane_model
          WHERE namespace_id = ${namespaceId} GROUP BY plane) m ON m.plane = u.plane
        WHERE u.namespace_id = ${namespaceId} AND (u.seq > ${seq} OR (u.state = 'live'
          AND (u.embed_pending OR u.scope_id = ANY(${unsweptScopes(namespaceId)}))))
        GROUP BY u.plane`
      return new Map(
        rows.map(({ plane, changes, live, oldest }) => [plane, { changes, live, oldest: toNumber(oldest) }]),
      )
    },

    /** Units that were not embedded at ingest, with a text or a source, oldest change first. */
    unembedded: async (
      limit: number,
    ): Promise<{ namespaceId: string; unitId: string; seq: number; plane: Plane; text: string }[]> => {
      const rows = await select(db, { namespace_id: text, unit_id: text, seq: bigint, plane: plane, text: text })`
        SELECT u.namespace_id, u.unit_id, u.seq, u.plane, coalesce(u.text, '') AS text FROM (
          SELECT namespace_id, unit_id, sum(octet_length(coalesce(text, ''))) OVER (ORDER BY updated_at, unit_id)
            - octet_length(coalesce(text, '')) AS before
          FROM (SELECT * FROM unit WHERE embed_pending AND state = 'live' AND (text IS NOT NULL OR source_uri IS NOT NULL)
            ORDER BY updated_at, unit_id LIMIT ${limit}) n) b
        JOIN unit u ON u.namespace_id = b.namespace_id AND u.unit_id = b.unit_id
        WHERE b.before < ${batchBytes} ORDER BY b.before`
      return rows.map((row) => ({
        namespaceId: row.namespace_id,
        unitId: row.unit_id,
        seq: Number(row.seq),
        plane: row.plane,
        text: row.text,
      }))
    },

    /**
     * What hard deletes have left so far. Each batch deleted `units` Units up to `seq`, at `time`. Counts Units that
     * still have content of any kind, and uploaded sources that still have bytes.
     */
    unerased: async (
      namespaceId: string,
      batches: readonly { time: number; units: number; seq: number }[],
    ): Promise<{ units: number; sources: number }> => {
      const [left] = await select(db, { units: integer, sources: integer })`
        WITH batch AS (SELECT * FROM json_to_recordset(${asJson(batches)}::json) AS b(time bigint, units int, seq bigint))
        SELECT
          (SELECT count(*)::int FROM batch b JOIN unit u ON u.namespace_id = ${namespaceId}
            AND u.seq > b.seq - b.units AND u.seq <= b.seq
            WHERE u.state <> 'purged' OR u.text IS NOT NULL OR u.title IS NOT NULL OR u.source_uri IS NOT NULL OR u.metadata <> '{}'
              OR EXISTS (SELECT FROM unit_vector v WHERE v.namespace_id = u.namespace_id AND v.unit_id = u.unit_id)
          ) AS units,
          (SELECT count(*)::int FROM source s WHERE s.namespace_id = ${namespaceId} AND s.purged_at IS NULL
            AND s.purge_requested_at IN (SELECT time FROM batch)) AS sources`
      return left ?? { units: 0, sources: 0 }
    },

    /** Namespaces with deleted scopes that still hold live Units. */
    unswept: async (): Promise<string[]> => {
      const rows = await db.scope.findMany({
        // Nothing is erased before it is swept: it is in the index of what is not erased.
        where: { deletedAt: { not: null }, sweptAt: null, erasedAt: null },
        distinct: ['namespaceId'],
        select: { namespaceId: true },
      })
      return rows.map((row) => row.namespaceId)
    },

    /** Namespaces with deleted scopes whose Units have content. */
    unerasedScopes: async (): Promise<string[]> => {
      const rows = await db.scope.findMany({
        where: { deletedAt: { not: null }, sweptAt: { not: null }, erasedAt: null },
        distinct: ['namespaceId'],
        select: { namespaceId: true },
      })
      return rows.map((row) => row.namespaceId)
    },
  }
}

/** Deleted scopes whose Units are not tombstoned yet. An array, read once, so that indexes can be used with it. */
const unsweptScopes = (namespaceId: string): Prisma.Sql => Prisma.sql`
  ARRAY(SELECT id FROM scope WHERE namespace_id = ${namespaceId} AND deleted_at IS NOT NULL AND swept_at IS NULL)`

function toEmbedding({ model, vector, dims }: ChangeRecord): Embedding | null {
  if (!model || !vector) return null
  const values = toFloats(vector)
  const count = values.length / (dims ?? values.length)
  return { model, values, ...(count > 1 && Number.isInteger(count) && { count }) }
}

function toChange(
  content: ReturnType<typeof contentOf>,
  row: ChangeRecord,
  otherVector: Embedding | null,
): IndexChange {
  const { unit_id: unitId, seq, plane } = row
  if (row.state !== 'live' || row.owner === null || row.groups === null) return { kind: 'remove', unitId, seq, plane }
  return {
    kind: 'put',
    unit: {
      unitId,
      seq,
      plane,
      scopeId: row.scope_id,
      acl: { owner: row.owner, groups: row.groups },
      vector: toEmbedding(row),
      ...(otherVector && { otherVector }),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      ...readContent(content, { ...row }),
    },
  }
}

export type ChangeReader = ReturnType<typeof createChangeReader>
