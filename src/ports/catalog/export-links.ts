import type { ExportFormat } from '../../model/audit.ts'
import type { Namespace } from '../../model/registry.ts'

/** A link that exports a log once, as it is stored: without its token. */
export interface ExportLinkRow {
  /** SHA-256 of the token, hex. */
  hash: string
  /** Who requested it. */
  principalId: string
  format: ExportFormat
  /** Epoch milliseconds. */
  expiresAt: number
}

export interface ExportLink extends Omit<ExportLinkRow, 'hash'> {
  namespace: Namespace
}

export interface ExportLinks {
  /** The stored link; null if it does not exist. */
  find(hash: string): Promise<ExportLink | null>
  /** Removes the link and returns it. Only one of several concurrent callers gets it. Null if it does not exist. */
  take(hash: string): Promise<ExportLink | null>
  /** Removes links that expired by `now`; returns their number. */
  removeExpired(now: number): Promise<number>
}
