import type { ExportFormat } from '../model/audit-export.ts'
import type { Namespace } from '../model/registry.ts'

/** A link that exports a log once, as it is kept: without its token. */
export interface ExportLinkRow {
  /** SHA-256 of the token, hex. */
  hash: string
  /** Who asked for it. */
  principalId: string
  format: ExportFormat
  /** Epoch milliseconds. */
  expiresAt: number
}

export interface ExportLink extends Omit<ExportLinkRow, 'hash'> {
  namespace: Namespace
}

export interface ExportLinks {
  /** The link as it stands; null for one that is not there. */
  find(hash: string): Promise<ExportLink | null>
  /** Removes the link and returns it, to one of however many ask at once; null for one that is not there. */
  take(hash: string): Promise<ExportLink | null>
  /** Removes links that ran out by `now`; returns how many. */
  removeExpired(now: number): Promise<number>
}
