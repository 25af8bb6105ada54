import type { Plane } from '../../model/unit.ts'
import type { ChangeReader } from '../../ports/catalog.ts'
import type { Embedding, IndexChange } from '../../ports/index-filter.ts'
import { asJson, type Db, toNumber } from './db.ts'
import { Prisma } from './generated/client.ts'
import type { UnitRecord } from './rows.ts'
import { toFloats } from './vectors.ts'

/** How much text a batch of changes may hold, but for its last Unit. */
const batchBytes = 8 * 2 ** 20

type ChangeRecord = Omit<UnitRecord, 'path' | 'owner' | 'groups'> & {
  state: string
  owner: string | null
  groups: string[] | null
  model: string | null
  vector: Uint8Array | null
}

export function createChangeReader(db: Db): ChangeReader {
  /** A row for each vector of a Unit, one for a Unit without. */
  const select = (units: Prisma.Sql) => db.$queryRaw<ChangeRecord[]>`
    SELECT u.unit_id, u.seq, u.state, u.scope_id, u.plane, u.modality, u.text, u.source_uri, u.mime, u.locator,
      u.doc_id, u.external_id, a.owner, a.groups, u.metadata, u.created_at, v.model, v.vector
    FROM (SELECT * FROM unit WHERE ${units}) u
    LEFT JOIN acl_set a ON a.namespace_id = u.namespace_id AND a.id = u.acl_set_id
    LEFT JOIN unit_vector v ON v.namespace_id = u.namespace_id AND v.unit_id = u.unit_id
    ORDER BY u.seq, v.model`

  return {
    headSeq: async (namespaceId) => {
      const head = await db.head.findUnique({ where: { namespaceId }, select: { seq: true } })
      return Number(head?.seq ?? 0)
    },

    after: async (namespaceId, seq, limit) => {
      // At least one: that of the first row is 0.
      const last = Prisma.sql`SELECT max(seq) FROM (
        SELECT seq, sum(bytes) OVER (ORDER BY seq) - bytes AS before FROM (
          SELECT seq, octet_length(coalesce(text, '')) AS bytes FROM unit
          WHERE namespace_id = ${namespaceId} AND seq > ${seq} ORDER BY seq LIMIT ${limit}) n) b WHERE before < ${batchBytes}`
      return toChanges(await select(Prisma.sql`namespace_id = ${namespaceId} AND seq > ${seq} AND seq <= (${last})`))
    },

    of: async (namespaceId, unitIds) => {
      const rows = await select(Prisma.sql`namespace_id = ${namespaceId} AND unit_id = ANY(${[...unitIds]}::text[])`)
      return toChanges(rows).map(({ change }) => change)
    },

    manifest: async (namespaceId, plane) => {
      const rows = await db.$queryRaw<{ unit_id: string; seq: bigint }[]>`
        SELECT unit_id, seq FROM unit WHERE namespace_id = ${namespaceId} AND plane = ${plane} AND state = 'live'`
      return new Map(rows.map((row) => [row.unit_id, Number(row.seq)]))
    },

    pending: async (namespaceId, seq) => {
      const rows = await db.$queryRaw<{ plane: Plane; units: number; oldest: bigint | null }[]>`
        SELECT plane, count(*) FILTER (WHERE state = 'live')::int AS units, min(greatest(updated_at,
            (SELECT max(m.change_since) FROM plane_model m WHERE m.namespace_id = unit.namespace_id
              AND m.plane = unit.plane))) AS oldest
        FROM unit WHERE namespace_id = ${namespaceId} AND (seq > ${seq} OR (embed_pending AND state = 'live')) GROUP BY plane`
      return new Map(
        rows.map((r) => [r.plane, { units: r.units, oldest: r.oldest === null ? null : toNumber(r.oldest) }]),
      )
    },

    unembedded: async (limit) => {
      const rows = await db.$queryRaw<
        { namespace_id: string; unit_id: string; seq: bigint; plane: Plane; text: string }[]
      >`
        SELECT namespace_id, unit_id, seq, plane, text FROM unit
        WHERE embed_pending AND state = 'live' AND text IS NOT NULL ORDER BY updated_at LIMIT ${limit}`
      return rows.map((row) => ({
        namespaceId: row.namespace_id,
        unitId: row.unit_id,
        seq: Number(row.seq),
        plane: row.plane,
        text: row.text,
      }))
    },

    unerased: async (namespaceId, batches) => {
      const [left] = await db.$queryRaw<{ units: number; sources: number }[]>`
        WITH batch AS (SELECT * FROM json_to_recordset(${asJson(batches)}::json) AS b(time bigint, units int, seq bigint))
        SELECT
          (SELECT count(*)::int FROM batch b JOIN unit u ON u.namespace_id = ${namespaceId}
            AND u.seq > b.seq - b.units AND u.seq <= b.seq
            WHERE u.state <> 'purged' OR u.text IS NOT NULL OR u.source_uri IS NOT NULL OR u.metadata <> '{}'
              OR EXISTS (SELECT FROM unit_vector v WHERE v.namespace_id = u.namespace_id AND v.unit_id = u.unit_id)
          ) AS units,
          (SELECT count(*)::int FROM source s WHERE s.namespace_id = ${namespaceId} AND s.purged_at IS NULL
            AND s.purge_requested_at IN (SELECT time FROM batch)) AS sources`
      return left ?? { units: 0, sources: 0 }
    },

    unswept: async () => {
      const rows = await db.scope.findMany({
        where: { deletedAt: { not: null }, sweptAt: null },
        distinct: ['namespaceId'],
        select: { namespaceId: true },
      })
      return rows.map((row) => row.namespaceId)
    },
  }
}

function toChanges(rows: readonly ChangeRecord[]): { seq: number; change: IndexChange }[] {
  return [...Map.groupBy(rows, (row) => Number(row.seq))].flatMap(([seq, [row, other]]) =>
    row ? [{ seq, change: toChange(row, other ? toEmbedding(other) : null) }] : [],
  )
}

const toEmbedding = ({ model, vector }: ChangeRecord): Embedding | null =>
  model && vector ? { model, values: toFloats(vector) } : null

function toChange(row: ChangeRecord, otherVector: Embedding | null): IndexChange {
  const { unit_id: unitId, plane } = row
  const seq = Number(row.seq)
  if (row.state !== 'live' || row.owner === null || row.groups === null) return { kind: 'remove', unitId, seq, plane }
  return {
    kind: 'put',
    unit: {
      unitId,
      seq,
      plane,
      scopeId: row.scope_id,
      acl: { owner: row.owner, groups: row.groups },
      modality: row.modality,
      text: row.text,
      vector: toEmbedding(row),
      ...(otherVector && { otherVector }),
      docId: row.doc_id,
      externalId: row.external_id,
      sourceUri: row.source_uri,
      mime: row.mime,
      locator: row.locator,
      metadata: row.metadata,
      createdAt: Number(row.created_at),
    },
  }
}
