import type { KeyRestrictions } from '../model/registry.ts'
import type { TokenUse } from './tokens.ts'

/** What a credential stands for. Which grants the principal holds is read per request, never here. */
export interface Identified {
  principalId: string
  restrictions: KeyRestrictions
  /** When the credential stops working, epoch milliseconds; absent where it is no key or does not end. */
  expiresAt?: number
}

export interface Identity {
  /** Null for a token that is unknown, expired or revoked. */
  verifyToken(token: string): Promise<Identified | null>
  /** Forgets what may be cached of tokens with these hashes: revocation is immediate in this process. */
  forget(tokenHashes: readonly string[]): Promise<void>
  /** The tokens seen since this was asked last, and when; one that is in steady use comes once a minute. */
  takeUses(): TokenUse[]
}
