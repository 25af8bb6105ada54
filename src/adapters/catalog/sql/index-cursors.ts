import { bigint, orNull, text } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { serverTime } from './document-records.ts'
import { select } from './select.ts'

/** The right to apply changes of a namespace to an index. */
export interface IndexLease {
  /** Grows with each new holder. Later attempts of an earlier holder are rejected. */
  fence: number
  /** The seq up to which changes of the namespace are applied. */
  cursor: number
  /**
   * How long an abandoned write above the cursor may still be executed, in ms. Until then the cursor must not move. 0
   * when that time is over: then everything above the cursor must be written again. Null when nothing is unsettled.
   */
  unsettledMs: number | null
}

/** The cursors of external indexes, and which process applies changes to them. `index` identifies the index. */
export function createIndexCursors(db: Db) {
  return {
    /** The seq up to which changes of the namespace are applied; 0 when there are none. */
    read: async (namespaceId: string, index: string) => {
      const row = await db.indexCursor.findUnique({ where: { namespaceId_index: { namespaceId, index } } })
      return toNumber(row?.cursor ?? 0)
    },

    /** Moves the cursor and marks everything below it as settled. False when another holder has the lease by now. */
    advance: async (namespaceId: string, index: string, fence: number, cursor: number) => {
      const data = { cursor, unsettledUntil: 0 }
      const moved = await db.indexCursor.updateMany({ where: { namespaceId, index, fence }, data })
      return moved.count > 0
    },

    /** Releases the lease, unless another holder has it by now. */
    release: async (namespaceId: string, index: string, fence: number) => {
      await db.indexCursor.updateMany({ where: { namespaceId, index, fence }, data: { heldUntil: 0 } })
    },

    /**
     * Takes or renews the lease for `ttlMs` from now; null while another holder has it. A holder whose lease expired may
     * have crashed during a write: its writes stay unsettled for `settleMs` from the end of its lease.
     */
    claim: async (
      namespaceId: string,
      index: string,
      holder: string,
      { ttlMs, settleMs }: { ttlMs: number; settleMs: number },
    ): Promise<IndexLease | null> => {
      const [lease] = await select(db, { fence: bigint, cursor: bigint, unsettled: orNull(bigint) })`
        INSERT INTO index_cursor AS c (namespace_id, index, cursor, fence, holder, held_until)
        VALUES (${namespaceId}, ${index}, 0, 1, ${holder}, ${serverTime} + ${ttlMs})
        ON CONFLICT (namespace_id, index) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until,
          fence = c.fence + CASE WHEN c.holder = excluded.holder AND c.held_until > ${serverTime} THEN 0 ELSE 1 END,
          unsettled_until = CASE WHEN c.holder = excluded.holder OR c.held_until = 0 THEN c.unsettled_until
            ELSE greatest(c.unsettled_until, c.held_until + ${settleMs}) END
        WHERE c.holder = excluded.holder OR c.held_until <= ${serverTime}
        RETURNING fence, cursor, CASE WHEN unsettled_until > 0 THEN greatest(0, unsettled_until - ${serverTime}) END AS unsettled`
      if (!lease) return null
      const { unsettled: unsettledMs, ...held } = lease
      return { ...held, unsettledMs }
    },

    /**
     * Anything above `from` may be overwritten for `settleMs` from now: moves the cursor back to `from`. The caller does
     * not need the lease. Its holder must claim it again before it can move the cursor.
     */
    reopen: async (namespaceId: string, index: string, from: number, settleMs: number) => {
      await db.$executeRaw`
        UPDATE index_cursor SET cursor = least(cursor, ${from}), fence = fence + 1,
          unsettled_until = greatest(unsettled_until, ${serverTime} + ${settleMs})
        WHERE namespace_id = ${namespaceId} AND index = ${index}`
    },

    /** Namespaces with changes that the index lacks and that no process is applying. */
    behind: async (index: string, limit: number): Promise<string[]> => {
      const rows = await select(db, { namespace_id: text })`
        SELECT h.namespace_id FROM head h
        LEFT JOIN index_cursor c ON c.namespace_id = h.namespace_id AND c.index = ${index}
        WHERE h.seq > coalesce(c.cursor, 0) AND coalesce(c.held_until, 0) <= ${serverTime} LIMIT ${limit}`
      return rows.map((row) => row.namespace_id)
    },
  }
}

export type IndexCursors = ReturnType<typeof createIndexCursors>
