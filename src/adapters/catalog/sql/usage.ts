import type { Plane } from '../../../model/unit.ts'

import { bigint } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { toPlane } from '../database/words.ts'
import type { PlaneModel } from './read-units.ts'
import { select } from './select.ts'

export interface PlaneUsage {
  units: number
  vectors: number
}

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

    addQueries: async (namespaceId: string, hour: number, queries: number) => {
      await db.queryCount.upsert({
        where: { namespaceId_hour: { namespaceId, hour } },
        create: { namespaceId, hour, queries },
        update: { queries: { increment: queries } },
      })
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
