import type { KeyRestrictions } from '../model/registry.ts'

/** What a credential stands for. Which grants the principal holds is read per request, never here. */
export interface Identified {
  principalId: string
  restrictions: KeyRestrictions
}

export interface Identity {
  /** Null for a token that is unknown, expired or revoked. */
  verifyToken(token: string): Promise<Identified | null>
  /** Forgets what may be cached of tokens with these hashes: revocation is immediate in this process. */
  forget(tokenHashes: readonly string[]): Promise<void>
}
