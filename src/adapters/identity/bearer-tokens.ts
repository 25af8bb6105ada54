import { createHash } from 'node:crypto'
import type { AccessReader } from '../../ports/access-reader.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Identified, Identity } from '../../ports/identity.ts'
import type { KeyValue } from '../../ports/key-value.ts'
import { createUseCollector } from './use-collector.ts'

/** How long a look-up may be reused: the bound on how long a revoked token lives in another process. */
const cacheMs = 5000

type Stored = Omit<Identified, 'expiresAt'> & { expiresAt: number | null }

/** API tokens, looked up by hash. What a principal holds is not cached: only whom a token stands for. */
export function createBearerTokens(access: AccessReader, keyValue: KeyValue, clock: Clock): Identity {
  const keyOf = (hash: string) => `token/${hash}`
  const uses = createUseCollector(clock)
  const beingCached = new Set<Promise<void>>()
  let revocations = 0

  const cache = async (hash: string, stored: Stored) => {
    const caching = keyValue.set(keyOf(hash), JSON.stringify(stored), cacheMs)
    beingCached.add(caching)
    await caching.finally(() => beingCached.delete(caching))
  }

  const lookUp = async (hash: string): Promise<Stored | null> => {
    const cached = await keyValue.get(keyOf(hash))
    if (cached !== null) return JSON.parse(cached)
    const before = revocations
    const stored = await access.token(hash)
    // What was read before a revocation may be what it took away. Unknown tokens are not cached either: guessing must
    // not fill the store.
    if (stored && revocations === before) await cache(hash, stored)
    return stored
  }

  return {
    verifyToken: async (token) => {
      const hash = createHash('sha256').update(token).digest('hex')
      const stored = await lookUp(hash)
      if (!stored || (stored.expiresAt !== null && stored.expiresAt <= clock.now())) return null
      uses.add(hash)
      const { principalId, restrictions, expiresAt } = stored
      return { principalId, restrictions, ...(expiresAt === null ? {} : { expiresAt }) }
    },

    forget: async (tokenHashes) => {
      revocations += 1
      // A write to the cache that is under way would land after the removal.
      await Promise.allSettled(beingCached)
      await Promise.all(tokenHashes.map((hash) => keyValue.delete(keyOf(hash))))
    },

    takeUses: () => uses.take(),
  }
}
