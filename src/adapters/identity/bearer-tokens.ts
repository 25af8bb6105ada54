import { hash } from 'node:crypto'
import type { Identified, Identity } from '../../ports/access/identity.ts'
import type { AccessReader, TokenUse } from '../../ports/catalog.ts'
import type { Clock } from '../../ports/clock.ts'
import type { KeyValue } from '../../ports/stores/key-value.ts'

/** How long a look-up may be reused. A revoked token works no longer than this in another process; 5 s are promised. */
const cacheMs = 4000

/** The same where every request reads again whether its token exists. */
const provenMs = 3_600_000

/** Beyond this the cache is emptied. */
const maxCached = 50_000

type Stored = Omit<Identified, 'expiresAt'> & { expiresAt: number | null }

/**
 * API tokens, looked up by hash. The cache holds only whose a token is, per process, not what a principal may do. The
 * key-value store only learns which tokens were revoked. So someone who can write there can force new look-ups, but
 * cannot gain access.
 */
export function createBearerTokens(access: AccessReader, keyValue: KeyValue, clock: Clock): Identity {
  const keyOf = (hash: string) => `revoked/${hash}`
  const uses = createUseCollector(clock)
  const cache = new Map<string, { stored: Stored; readAt: number }>()
  let revocations = 0
  const reuseMs = access.provesTokens ? provenMs : cacheMs

  /** If the store does not answer, each look-up goes to the catalog. */
  const mayBeRevoked = (hash: string) =>
    keyValue.get(keyOf(hash)).then(
      (mark) => mark !== null,
      () => true,
    )

  const cached = async (hash: string): Promise<Stored | null> => {
    const found = cache.get(hash)
    if (!found) return null
    const age = clock.now() - found.readAt
    // If the clock was set back, the entry must not count as new again.
    return age >= 0 && age < reuseMs && !(await mayBeRevoked(hash)) ? found.stored : null
  }

  const lookUp = async (hash: string): Promise<Stored | null> => {
    const known = await cached(hash)
    if (known) return known
    const [before, readAt] = [revocations, clock.now()]
    const stored = await access.token(hash)
    cache.delete(hash)
    // A value read before a revocation may be the revoked one. Unknown tokens are not cached either: guessing must not
    // fill the memory.
    if (!stored || revocations !== before) return stored
    if (cache.size >= maxCached) cache.clear()
    cache.set(hash, { stored, readAt })
    return stored
  }

  return {
    verifyToken: async (token) => {
      const keyHash = hash('sha256', token)
      const stored = await lookUp(keyHash)
      if (!stored || (stored.expiresAt !== null && stored.expiresAt <= clock.now())) return null
      uses.add(keyHash)
      const { principalId, restrictions, expiresAt } = stored
      return { principalId, restrictions, keyHash, ...(expiresAt === null ? {} : { expiresAt }) }
    },

    forget: async (tokenHashes) => {
      revocations += 1
      for (const hash of tokenHashes) cache.delete(hash)
      // The mark outlives all cached reads of other processes. If it is lost, they lag by their cache time at most.
      await Promise.allSettled(tokenHashes.map((hash) => keyValue.set(keyOf(hash), '1', 2 * cacheMs)))
    },

    takeUses: () => uses.take(),
  }
}

/** A token in constant use is reported at this interval. */
const everyMs = 60_000

/** Collects in memory which tokens are used, which costs a request almost nothing. */
function createUseCollector(clock: Clock) {
  let waiting: TokenUse[] = []
  const reported = new Map<string, number>()
  return {
    add: (hash: string): void => {
      const at = clock.now()
      if (at - (reported.get(hash) ?? -everyMs) < everyMs) return
      // Inserted again, so that the map stays in order of time.
      reported.delete(hash)
      reported.set(hash, at)
      waiting.push({ hash, at })
    },

    take: (): TokenUse[] => {
      const taken = waiting
      waiting = []
      for (const [hash, at] of reported) {
        if (clock.now() - at < everyMs) break
        reported.delete(hash)
      }
      return taken
    },
  }
}
