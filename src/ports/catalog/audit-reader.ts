import type { AuditRow } from '../../model/audit.ts'
import type { ChainLink } from '../../model/audit-chain.ts'
import type { Listed, PageRange } from '../../model/page.ts'
import type { Namespace } from '../../model/registry.ts'
import type { ScopePattern } from '../../model/scope-path.ts'
import type { UnitReach } from './namespace-writer.ts'

/** Which rows of a namespace's log a caller may see. */
export type AuditVisibility =
  | 'all'
  | {
      /** Rows of this principal are visible for any target, and rows about it. Null for none. */
      ownOf: string | null
      /** Rows whose target is one of these Units are visible. */
      units: UnitReach
      /** Rows whose target is at or below one of these are visible. */
      scopes: readonly ScopePattern[]
    }

/** Rows that meet every condition. */
export interface AuditFilter {
  action?: string | undefined
  principalId?: string | undefined
  outcome?: string | undefined
  target?: string | undefined
  requestId?: string | undefined
  /** Epoch milliseconds, inclusive. */
  after?: number | undefined
  /** Epoch milliseconds, inclusive. */
  before?: number | undefined
}

/** Reads audit logs. Rows never change. Each read sees one snapshot. */
export interface AuditReader {
  /** A page of the visible rows that meet the filter, newest first. */
  page(
    namespace: Namespace,
    visibility: AuditVisibility,
    range: PageRange,
    filter: AuditFilter,
  ): Promise<Listed<AuditRow>>
  /** The row with that seq; null when it does not exist or is not visible. */
  row(namespace: Namespace, visibility: AuditVisibility, seq: number): Promise<AuditRow | null>
  /**
   * The visible rows of the first hard deletion of Units that reached the namespace's `unitSeq`: one row for each of
   * its batches, ascending.
   */
  deletion(namespace: Namespace, visibility: AuditVisibility, unitSeq: number): Promise<AuditRow[]>
  /** The end of the chain by the head row, and the first row outside of 1 to that end, if any. */
  end(namespaceId: string): Promise<{ head: ChainLink; strayAt: number | null }>
  /**
   * Rows above a seq and up to another, ascending, as text that can be hashed without changes. This is several times
   * faster to read than the rows. One line per row: `<hash> <prev_hash> <seq> <the row's canonical JSON>`, in texts of
   * a few hundred lines, without a last newline. Rows that were tampered with may break the format.
   */
  lines(namespace: Namespace, above: number, upTo: number): Promise<string[]>
  /** Rows above a seq and up to another, ascending, at most `limit`. */
  between(namespace: Namespace, above: number, upTo: number, limit: number): Promise<AuditRow[]>
}
