import type { KeptAnswerStore } from '../../../ports/catalog/kept-answers.ts'
import type { RequestCounts } from '../../../ports/catalog/request-counts.ts'
import { integer } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { select } from './select.ts'

export function createKeptAnswers(db: Db): KeptAnswerStore {
  const { keptAnswer } = db
  const find: KeptAnswerStore['find'] = async (id, now) => {
    const row = await keptAnswer.findUnique({ where: { id } })
    if (!row) return null
    const expiresAt = toNumber(row.expiresAt)
    if (expiresAt > now) return { ...row, expiresAt }
    await keptAnswer.deleteMany({ where: { id, expiresAt: { lte: now } } })
    return null
  }
  return {
    find,
    keep: async (answer, now) => {
      const data = { ...answer, content: Uint8Array.from(answer.content) }
      const { count } = await keptAnswer.createMany({ data, skipDuplicates: true })
      return count > 0 ? answer : ((await find(answer.id, now)) ?? answer)
    },
    removeExpired: async (now) => (await keptAnswer.deleteMany({ where: { expiresAt: { lte: now } } })).count,
  }
}

/** Counts by the database's clock, which all replicas share. */
export function createRequestCounts(db: Db): RequestCounts {
  return {
    increment: async (key, ttlMs) => {
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
    removeExpired: () => db.$executeRaw`
      DELETE FROM request_count WHERE expires_at < floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
  }
}
