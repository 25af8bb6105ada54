import type { RequestCounts } from '../../../ports/catalog/request-counts.ts'
import { integer } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { select } from './select.ts'

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
