import type { Identified } from '../../ports/access/identity.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { tokenHash } from './tokens.ts'

/** The use of a connection is written down about once a minute. */
const useMs = 60_000

/**
 * Whose access token it is, and what the person's consent leaves of that person's rights. It is read each time, so that
 * a connection ends at once. Null for a token that is unknown, expired or revoked.
 */
export async function identifyAgent(
  { catalog: { agents }, clock }: Pick<Bindings, 'catalog' | 'clock'>,
  token: string,
): Promise<Identified | null> {
  const now = clock.now()
  const found = await agents.token(tokenHash(token))
  if (found?.kind !== 'access' || found.expiresAt <= now) return null
  const { id, principalId, perms, scopePrefix, clientId, namespace, lastUsedAt } = found.connection
  // A disk without space keeps nobody from reading.
  if ((lastUsedAt ?? 0) < now - useMs) await agents.recordUse(id, now, now - useMs).catch(() => {})
  return {
    principalId,
    restrictions: { perms, ...(scopePrefix !== null && { scopePrefix }) },
    keyHash: found.hash,
    expiresAt: found.expiresAt,
    agent: { clientId, namespace },
  }
}
