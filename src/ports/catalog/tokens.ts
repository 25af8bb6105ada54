import type { KeyRestrictions } from '../../model/registry.ts'

export interface TokenRow {
  hash: string
  /** Names the token in lists and for revocation. */
  id: string
  name: string
  createdAt: number
  expiresAt: number | null
  restrictions: KeyRestrictions
}

/** An API token of a principal, as its owner sees it: never the token or its hash. Times are epoch milliseconds. */
export interface ApiKey extends Omit<TokenRow, 'hash'> {
  /** Not exact: it may lag by about a minute. Null if never used. */
  lastUsedAt: number | null
}

export interface TokenUse {
  hash: string
  /** Epoch milliseconds. */
  at: number
}

export interface TokenStore {
  /** Oldest first, including expired ones. */
  list(principalId: string): Promise<ApiKey[]>
  /** In one statement. Removed tokens are ignored, and time never moves back. */
  recordUses(uses: readonly TokenUse[]): Promise<void>
}

/** Writes of tokens, in a transaction of the principal's home namespace. */
export interface TokenWriter {
  /** Like the store's, including the changes of this transaction. */
  list(principalId: string): Promise<ApiKey[]>
  /** False, and nothing is written, when the principal has been deleted in the meantime. */
  insert(principalId: string, token: TokenRow): Promise<boolean>
  /** Returns the hashes of revoked tokens. */
  remove(principalId: string, ids: readonly string[]): Promise<string[]>
}
