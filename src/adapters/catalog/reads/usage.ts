import type { UsageStore } from '../../../ports/catalog/catalog.ts'
import type { Db } from '../database/db.ts'
import { toPlane } from '../database/words.ts'
import { storageOf } from '../sql/namespace-counts.ts'

export function createUsageStore(db: Db): UsageStore {
  return {
    planes: async (namespaceId) => {
      const rows = await db.unitCount.groupBy({
        by: ['plane'],
        where: { namespaceId, scope: { deletedAt: null } },
        _sum: { units: true, vectors: true },
      })
      return new Map(rows.map((r) => [toPlane(r.plane), { units: r._sum.units ?? 0, vectors: r._sum.vectors ?? 0 }]))
    },

    models: async (namespaceId) => {
      const rows = await db.planeModel.findMany({ where: { namespaceId } })
      return rows.map((row) => ({ plane: toPlane(row.plane), model: row.model, dims: row.dims, serving: row.serving }))
    },

    storage: (namespaceId) => storageOf(db, namespaceId),

    addQueries: async (namespaceId, hour, queries) => {
      await db.queryCount.upsert({
        where: { namespaceId_hour: { namespaceId, hour } },
        create: { namespaceId, hour, queries },
        update: { queries: { increment: queries } },
      })
    },

    queriesSince: async (namespaceId, hour) => {
      const total = await db.queryCount.aggregate({
        where: { namespaceId, hour: { gte: hour } },
        _sum: { queries: true },
      })
      return total._sum.queries ?? 0
    },
  }
}
