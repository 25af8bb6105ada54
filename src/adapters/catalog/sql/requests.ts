import { integer } from '../database/columns.ts'
import { type Db, numbersOf } from '../database/db.ts'
import { select } from './select.ts'

/** What a write left under its Idempotency-Key. The catalog can read neither the key nor the content. */
export interface KeptAnswer {
  id: string
  /** A digest of the request. */
  request: string
  /** Encrypted. */
  content: Uint8Array
  /** Epoch milliseconds. */
  expiresAt: number
}

export function createKeptAnswers(db: Db) {
  const { keptAnswer } = db
  /** Null also for an expired one. */
  const find = async (id: string, now: number): Promise<KeptAnswer | null> => {
    const row = await keptAnswer.findUnique({ where: { id } })
    if (row && row.expiresAt > now) return numbersOf(row)
    if (!row) return null
    await keptAnswer.deleteMany({ where: { id, expiresAt: { lte: now } } })
    return null
  }
  return {
    find,
    /** Keeps it, unless one is kept under this id: then that one is returned. */
    keep: async (answer: KeptAnswer, now: number): Promise<KeptAnswer> => {
      const data = { ...answer, content: Uint8Array.from(answer.content) }
      const { count } = await keptAnswer.createMany({ data, skipDuplicates: true })
      return count > 0 ? answer : ((await find(answer.id, now)) ?? answer)
    },
    /** Returns how many there were. */
    removeExpired: async (now: number) => (await keptAnswer.deleteMany({ where: { expiresAt: { lte: now } } })).count,
  }
}

/** Counts requests for replicas that share nothing but the catalog: by the database's clock. */
export function createRequestCounts(db: Db) {
  return {
    increment: async (key: string, ttlMs: number) => {
      const [row] = await select(db, { count: integer })`
        INSERT INTO request_count AS kept (key, count, expires_at)
        VALUES (${key}, 1, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${ttlMs}::bigint)
        ON CONFLICT (key) DO UPDATE SET
          count = CASE WHEN kept.expires_at < excluded.expires_at - ${ttlMs}::bigint THEN 1 ELSE kept.count + 1 END,
          expires_at = CASE
            WHEN kept.expires_at < excluded.expires_at - ${ttlMs}::bigint THEN excluded.expires_at
            ELSE kept.expires_at
          END
        RETURNING count`
      return row?.count ?? 1
    },
    /** Removes counts whose time is over; returns how many. */
    removeExpired: (): Promise<number> => db.$executeRaw`
      DELETE FROM request_count WHERE expires_at < floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
  }
}

export type KeptAnswers = ReturnType<typeof createKeptAnswers>
export type RequestCounts = ReturnType<typeof createRequestCounts>
