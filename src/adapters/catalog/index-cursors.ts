import type { IndexCursors } from '../../ports/index-cursors.ts'
import { type Db, toNumber } from './db.ts'
import { Prisma } from './generated/client.ts'

/** The server's clock decides about leases: those of the processes may differ. */
const now = Prisma.sql`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

export function createIndexCursors(db: Db): IndexCursors {
  return {
    read: async (namespaceId, index) => {
      const row = await db.indexCursor.findUnique({ where: { namespaceId_index: { namespaceId, index } } })
      return toNumber(row?.cursor ?? 0)
    },

    claim: async (namespaceId, index, holder, ttlMs) => {
      const [lease] = await db.$queryRaw<{ fence: bigint; cursor: bigint }[]>`
        INSERT INTO index_cursor AS c (namespace_id, index, cursor, fence, holder, held_until)
        VALUES (${namespaceId}, ${index}, 0, 1, ${holder}, ${now} + ${ttlMs})
        ON CONFLICT (namespace_id, index) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until,
          fence = c.fence + CASE WHEN c.holder = excluded.holder AND c.held_until > ${now} THEN 0 ELSE 1 END
        WHERE c.holder = excluded.holder OR c.held_until <= ${now}
        RETURNING fence, cursor`
      return lease ? { fence: toNumber(lease.fence), cursor: toNumber(lease.cursor) } : null
    },

    advance: async (namespaceId, index, fence, cursor) => {
      const moved = await db.indexCursor.updateMany({ where: { namespaceId, index, fence }, data: { cursor } })
      return moved.count > 0
    },

    release: async (namespaceId, index, fence) => {
      await db.indexCursor.updateMany({ where: { namespaceId, index, fence }, data: { heldUntil: 0 } })
    },

    behind: async (index, limit) => {
      const rows = await db.$queryRaw<{ namespace_id: string }[]>`
        SELECT h.namespace_id FROM head h
        LEFT JOIN index_cursor c ON c.namespace_id = h.namespace_id AND c.index = ${index}
        WHERE h.seq > coalesce(c.cursor, 0) AND coalesce(c.held_until, 0) <= ${now} LIMIT ${limit}`
      return rows.map((row) => row.namespace_id)
    },
  }
}
