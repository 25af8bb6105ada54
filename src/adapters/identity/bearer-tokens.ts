import { createHash } from 'node:crypto'
import type { AccessReader } from '../../ports/catalog.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Identified, Identity } from '../../ports/identity.ts'
import type { KeyValue } from '../../ports/key-value.ts'

/** How long a look-up may be reused: the bound on how long a revoked token lives in another process. */
const cacheMs = 5000

type Stored = Identified & { expiresAt: number | null }

/** API tokens, looked up by hash. What a principal holds is not cached: only whom a token stands for. */
export function createBearerTokens(access: AccessReader, keyValue: KeyValue, clock: Clock): Identity {
  const keyOf = (hash: string) => `token/${hash}`

  const lookUp = async (hash: string): Promise<Stored | null> => {
    const cached = await keyValue.get(keyOf(hash))
    if (cached !== null) return JSON.parse(cached)
    const stored = await access.token(hash)
    // Unknown tokens are not cached: guessing must not fill the store.
    if (stored) await keyValue.set(keyOf(hash), JSON.stringify(stored), cacheMs)
    return stored
  }

  return {
    verifyToken: async (token) => {
      const stored = await lookUp(createHash('sha256').update(token).digest('hex'))
      if (!stored || (stored.expiresAt !== null && stored.expiresAt <= clock.now())) return null
      return { principalId: stored.principalId, restrictions: stored.restrictions }
    },
    forget: async (tokenHashes) => {
      await Promise.all(tokenHashes.map((hash) => keyValue.delete(keyOf(hash))))
    },
  }
}
