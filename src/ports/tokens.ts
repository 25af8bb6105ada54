import type { KeyRestrictions } from '../model/registry.ts'

export interface TokenRow {
  hash: string
  /** Names the token where it is listed and revoked. */
  id: string
  name: string
  createdAt: number
  expiresAt: number | null
  restrictions: KeyRestrictions
}

/** An API token of a principal, as its owner sees it: never the token or its hash. Times are epoch milliseconds. */
export interface ApiKey extends Omit<TokenRow, 'hash'> {
  /** Recorded coarsely: it may lag by a minute or so. Null for one that was never used. */
  lastUsedAt: number | null
}

export interface TokenUse {
  hash: string
  /** Epoch milliseconds. */
  at: number
}

export interface TokenStore {
  /** Oldest first, those that ran out included. */
  list(principalId: string): Promise<ApiKey[]>
  /** In one statement; tokens that are gone count nowhere, and time never moves back. */
  recordUses(uses: readonly TokenUse[]): Promise<void>
}

/** Writes of tokens, in a transaction of their principal's home. */
export interface TokenWriter {
  /** Like the store's, with the changes of this transaction. */
  list(principalId: string): Promise<ApiKey[]>
  /** False, and nothing is written, when the principal was deleted meanwhile. */
  insert(principalId: string, token: TokenRow): Promise<boolean>
  /** Returns the hashes that no longer work. */
  remove(principalId: string, ids: readonly string[]): Promise<string[]>
}
