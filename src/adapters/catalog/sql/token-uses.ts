import type { TokenStore } from '../../../ports/catalog/tokens.ts'
import type { Db } from '../database/db.ts'

type Uses = Parameters<TokenStore['recordUses']>[0]

/** Locked in a fixed order, so that two processes that record the same tokens wait for each other instead of failing. */
export async function recordUses(db: Db, uses: Uses): Promise<void> {
  await db.$executeRaw`
    WITH used AS (
      SELECT t.hash, u.at
      FROM unnest(${uses.map((u) => u.hash)}::text[], ${uses.map((u) => u.at)}::bigint[]) AS u(hash, at)
      JOIN token t ON t.hash = u.hash
      ORDER BY t.hash FOR UPDATE OF t)
    UPDATE token SET last_used_at = greatest(last_used_at, used.at) FROM used WHERE token.hash = used.hash`
}
