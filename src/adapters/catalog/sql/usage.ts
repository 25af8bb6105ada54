import type { Plane } from '../../../model/unit.ts'

import { allOrNull, bigint, integer, integers, type Row } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { toPlane } from '../database/words.ts'
import type { Stored } from './head.ts'
import type { PlaneModel } from './read-units.ts'
import { select } from './select.ts'

/** How long the counters of an hour are kept: 400 days. */
const keptHours = 400 * 24

/** What is counted outside of transactions. */
export interface HourCounts {
  /** Searches and answers. */
  queries: number
  answers: number
  refused: number
  /** Queries by how long they took: see `latencyBounds`. */
  latency: readonly number[]
}

export interface HourUsage extends HourCounts {
  hour: number
  ingested: number
  deleted: number
  /** By how much the namespace grew; null if that was not noted. */
  growth: Stored | null
}

const storedColumns = { text: bigint, visual: bigint, audio: bigint, doc_visual: bigint, bytes: bigint }

const hourColumns = {
  hour: integer,
  queries: integer,
  answers: integer,
  ingested: integer,
  deleted: integer,
  refused: integer,
  latency: integers,
  text_change: integer,
  visual_change: integer,
  audio_change: integer,
  doc_visual_change: integer,
  bytes_change: bigint,
}

export interface PlaneUsage {
  units: number
  vectors: number
}

const sinceColumns = { ...storedColumns, ...allOrNull(hourColumns) }

const toHour = (row: Row<typeof sinceColumns>): HourUsage[] =>
  row.hour === null
    ? []
    : [
        {
          hour: row.hour,
          queries: row.queries ?? 0,
          answers: row.answers ?? 0,
          ingested: row.ingested ?? 0,
          deleted: row.deleted ?? 0,
          refused: row.refused ?? 0,
          latency: row.latency ?? [],
          growth:
            row.bytes_change === null
              ? null
              : {
                  units: {
                    text: row.text_change ?? 0,
                    visual: row.visual_change ?? 0,
                    audio: row.audio_change ?? 0,
                    doc_visual: row.doc_visual_change ?? 0,
                  },
                  bytes: row.bytes_change,
                },
        },
      ]

export function createUsageStore(db: Db) {
  return {
    /** Live Units only. Here and in `rows` below, Units of deleted scopes that are not swept yet are left out. */
    planes: async (namespaceId: string): Promise<Map<Plane, PlaneUsage>> => {
      const rows = await db.unitCount.groupBy({
        by: ['plane'],
        where: { namespaceId, scope: { deletedAt: null } },
        _sum: { units: true, vectors: true },
      })
      return new Map(rows.map((r) => [toPlane(r.plane), { units: r._sum.units ?? 0, vectors: r._sum.vectors ?? 0 }]))
    },

    /** The models whose vectors a plane contains. */
    models: async (namespaceId: string): Promise<PlaneModel[]> => {
      const rows = await db.planeModel.findMany({ where: { namespaceId } })
      return rows.map((row) => ({ plane: toPlane(row.plane), model: row.model, dims: row.dims, serving: row.serving }))
    },

    /** Sums of bytes exceed the integers that Prisma sums. */
    storage: async (namespaceId: string): Promise<{ sourceBytes: number; rows: number }> => {
      const [row] = await select(db, { bytes: bigint, rows: bigint })`
        SELECT
          (SELECT coalesce(sum(bytes), 0)::bigint FROM source
             WHERE namespace_id = ${namespaceId} AND purge_requested_at IS NULL) AS bytes,
          (SELECT coalesce(sum(c.units), 0)::bigint
             FROM unit_count c JOIN scope s ON s.namespace_id = c.namespace_id AND s.id = c.scope_id
             WHERE c.namespace_id = ${namespaceId} AND s.deleted_at IS NULL) AS rows`
      return { sourceBytes: Number(row?.bytes ?? 0), rows: Number(row?.rows ?? 0) }
    },

    /** Adds to the counters of an hour, and removes those that are too old to be shown. */
    addCounts: async (namespaceId: string, hour: number, counts: HourCounts) => {
      const { queries, answers, refused, latency } = counts
      await db.$executeRaw`
        INSERT INTO query_count AS c (namespace_id, hour, queries, answers, refused, latency)
        VALUES (${namespaceId}, ${hour}, ${queries}, ${answers}, ${refused}, ${[...latency]}::int[])
        ON CONFLICT (namespace_id, hour) DO UPDATE SET queries = c.queries + excluded.queries,
          answers = c.answers + excluded.answers, refused = c.refused + excluded.refused,
          latency = ARRAY(SELECT coalesce(was, 0) + coalesce(more, 0)
            FROM unnest(c.latency, excluded.latency) WITH ORDINALITY AS t(was, more, at) ORDER BY at)`
      await db.queryCount.deleteMany({ where: { namespaceId, hour: { lt: hour - keptHours } } })
    },

    /**
     * Epoch hours with counters from this one on, in order, and what the namespace holds after them: both of one moment.
     * Units of deleted scopes count until they are swept, as their going is noted then.
     */
    since: async (namespaceId: string, hour: number): Promise<{ hours: HourUsage[]; stored: Stored }> => {
      const rows = await select(db, sinceColumns)`
        SELECT u.*, s.bytes, c.hour, c.queries, c.answers, c.ingested, c.deleted, c.refused, c.latency, c.text_change,
          c.visual_change, c.audio_change, c.doc_visual_change, c.bytes_change
        FROM (SELECT
            coalesce(sum(units) FILTER (WHERE plane = 'text'), 0)::bigint AS text,
            coalesce(sum(units) FILTER (WHERE plane = 'visual'), 0)::bigint AS visual,
            coalesce(sum(units) FILTER (WHERE plane = 'audio'), 0)::bigint AS audio,
            coalesce(sum(units) FILTER (WHERE plane = 'doc_visual'), 0)::bigint AS doc_visual
          FROM unit_count WHERE namespace_id = ${namespaceId}) u
        CROSS JOIN (SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM source
          WHERE namespace_id = ${namespaceId} AND purge_requested_at IS NULL) s
        LEFT JOIN query_count c ON c.namespace_id = ${namespaceId} AND c.hour >= ${hour}
        ORDER BY c.hour`
      const { text = 0, visual = 0, audio = 0, doc_visual = 0, bytes = 0 } = rows[0] ?? {}
      return { hours: rows.flatMap(toHour), stored: { units: { text, visual, audio, doc_visual }, bytes } }
    },

    /** Queries counted at or after an epoch hour. */
    queriesSince: async (namespaceId: string, hour: number) => {
      const total = await db.queryCount.aggregate({
        where: { namespaceId, hour: { gte: hour } },
        _sum: { queries: true },
      })
      return total._sum.queries ?? 0
    },
  }
}

export type UsageStore = ReturnType<typeof createUsageStore>
