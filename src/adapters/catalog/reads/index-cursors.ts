import type { IndexCursors } from '../../../ports/catalog/index-cursors.ts'
import { type Db, toNumber } from '../database/db.ts'
import { indexLeases } from '../sql/index-leases.ts'

export function createIndexCursors(db: Db): IndexCursors {
  return {
    ...indexLeases(db),

    read: async (namespaceId, index) => {
      const row = await db.indexCursor.findUnique({ where: { namespaceId_index: { namespaceId, index } } })
      return toNumber(row?.cursor ?? 0)
    },

    advance: async (namespaceId, index, fence, cursor) => {
      const data = { cursor, unsettledUntil: 0 }
      const moved = await db.indexCursor.updateMany({ where: { namespaceId, index, fence }, data })
      return moved.count > 0
    },

    release: async (namespaceId, index, fence) => {
      await db.indexCursor.updateMany({ where: { namespaceId, index, fence }, data: { heldUntil: 0 } })
    },
  }
}
