import type { KeyRestrictions } from '../../model/registry.ts'
import type { TokenUse } from '../catalog.ts'

/** The owner of a credential. The principal's grants are read per request, never here. */
export interface Identified {
  principalId: string
  restrictions: KeyRestrictions
  /** The stored hash of the key. Absent for a credential that is not a key. */
  keyHash?: string
  /** When the credential expires, epoch milliseconds. Absent when it is not a key or does not expire. */
  expiresAt?: number
  /** The OAuth client that a person lets act, and the only namespace that it may enter, if there is one. */
  agent?: { clientId: string; namespace: string | null }
}

export interface Identity {
  /** Null for a token that is unknown, expired or revoked. */
  verifyToken(token: string): Promise<Identified | null>
  /** Clears cached tokens with these hashes: revocation is immediate in this process. */
  forget(tokenHashes: readonly string[]): Promise<void>
  /** The tokens used since the last call, and when. A token in constant use is returned once a minute. */
  takeUses(): TokenUse[]
}
