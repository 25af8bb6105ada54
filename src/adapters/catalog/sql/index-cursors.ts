import type { IndexCursors } from '../../../ports/catalog/index-cursors.ts'
import { bigint, orNull, text } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { Prisma } from '../generated/client.ts'
import { select } from './select.ts'

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

/** Leases use the server's clock: the clocks of processes may differ. */
const now = Prisma.sql`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

const indexLeases = (db: Db): Pick<IndexCursors, 'claim' | 'reopen' | 'behind'> => ({
  claim: async (namespaceId, index, holder, { ttlMs, settleMs }) => {
    const [lease] = await select(db, { fence: bigint, cursor: bigint, unsettled: orNull(bigint) })`
      INSERT INTO index_cursor AS c (namespace_id, index, cursor, fence, holder, held_until)
      VALUES (${namespaceId}, ${index}, 0, 1, ${holder}, ${now} + ${ttlMs})
      ON CONFLICT (namespace_id, index) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until,
        fence = c.fence + CASE WHEN c.holder = excluded.holder AND c.held_until > ${now} THEN 0 ELSE 1 END,
        unsettled_until = CASE WHEN c.holder = excluded.holder OR c.held_until = 0 THEN c.unsettled_until
          ELSE greatest(c.unsettled_until, c.held_until + ${settleMs}) END
      WHERE c.holder = excluded.holder OR c.held_until <= ${now}
      RETURNING fence, cursor, CASE WHEN unsettled_until > 0 THEN greatest(0, unsettled_until - ${now}) END AS unsettled`
    if (!lease) return null
    const { fence, cursor, unsettled } = lease
    return {
      fence: toNumber(fence),
      cursor: toNumber(cursor),
      unsettledMs: unsettled === null ? null : toNumber(unsettled),
    }
  },

  reopen: async (namespaceId, index, from, settleMs) => {
    await db.$executeRaw`
      UPDATE index_cursor SET cursor = least(cursor, ${from}), fence = fence + 1,
        unsettled_until = greatest(unsettled_until, ${now} + ${settleMs})
      WHERE namespace_id = ${namespaceId} AND index = ${index}`
  },

  behind: async (index, limit) => {
    const rows = await select(db, { namespace_id: text })`
      SELECT h.namespace_id FROM head h
      LEFT JOIN index_cursor c ON c.namespace_id = h.namespace_id AND c.index = ${index}
      WHERE h.seq > coalesce(c.cursor, 0) AND coalesce(c.held_until, 0) <= ${now} LIMIT ${limit}`
    return rows.map((row) => row.namespace_id)
  },
})
