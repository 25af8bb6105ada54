import { createHash } from 'node:crypto'
import type { AccessReader } from '../../ports/access-reader.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Identified, Identity } from '../../ports/identity.ts'
import type { KeyValue } from '../../ports/key-value.ts'
import { createUseCollector } from './use-collector.ts'

/** How long a look-up may be reused: a revoked token lives no longer in another process, and 5 s are promised. */
const cacheMs = 4000

/** Beyond this all are looked up anew. */
const maxCached = 50_000

type Stored = Omit<Identified, 'expiresAt'> & { expiresAt: number | null }

/**
 * API tokens, looked up by hash. What a principal holds is not cached: only whom a token stands for, and that in this
 * process. The key-value store is told which tokens were revoked, and nothing else: whoever writes there can have tokens
 * looked up anew, but can make nobody somebody.
 */
export function createBearerTokens(access: AccessReader, keyValue: KeyValue, clock: Clock): Identity {
  const keyOf = (hash: string) => `revoked/${hash}`
  const uses = createUseCollector(clock)
  const cache = new Map<string, { stored: Stored; readAt: number }>()
  let revocations = 0

  /** Without the store's word each look-up goes to the catalog. */
  const mayBeRevoked = (hash: string) =>
    keyValue.get(keyOf(hash)).then(
      (mark) => mark !== null,
      () => true,
    )

  const cached = async (hash: string): Promise<Stored | null> => {
    const found = cache.get(hash)
    if (!found) return null
    const age = clock.now() - found.readAt
    // A clock that was set back must not make it young again.
    return age >= 0 && age < cacheMs && !(await mayBeRevoked(hash)) ? found.stored : null
  }

  const lookUp = async (hash: string): Promise<Stored | null> => {
    const known = await cached(hash)
    if (known) return known
    const [before, readAt] = [revocations, clock.now()]
    const stored = await access.token(hash)
    cache.delete(hash)
    // What was read before a revocation may be what it took away. Unknown tokens are not cached either: guessing must
    // not fill the memory.
    if (!stored || revocations !== before) return stored
    if (cache.size >= maxCached) cache.clear()
    cache.set(hash, { stored, readAt })
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
      for (const hash of tokenHashes) cache.delete(hash)
      // The mark outlives whatever others read before. One that is lost delays them by no more than they cache.
      await Promise.allSettled(tokenHashes.map((hash) => keyValue.set(keyOf(hash), '1', 2 * cacheMs)))
    },

    takeUses: () => uses.take(),
  }
}
