import type { AuditRow } from '../model/audit.ts'
import type { ChainLink } from '../model/audit-chain.ts'
import type { Namespace } from '../model/registry.ts'
import type { ScopePattern } from '../model/scope-path.ts'
import type { UnitReach } from './namespace-writer.ts'

/** Which rows of a namespace's log a caller may see. */
export type AuditSight =
  | 'all'
  | {
      /** Whose rows are shown whatever their target; null for nobody's. */
      ownOf: string | null
      /** Shows rows whose target is one of these Units. */
      units: UnitReach
      /** Shows rows whose target is at or below one of these. */
      scopes: readonly ScopePattern[]
    }

/** Audit logs as they are read. Rows never change, and each read sees one moment. */
export interface AuditReader {
  /** The visible rows after the `offset` newest ones, newest first, and how many are visible in all. */
  page(
    namespace: Namespace,
    sight: AuditSight,
    offset: number,
    limit: number,
  ): Promise<{ rows: AuditRow[]; count: number }>
  /** The row with that seq; null when there is none, or none that is visible. */
  row(namespace: Namespace, sight: AuditSight, seq: number): Promise<AuditRow | null>
  /**
   * The visible rows of the first deletion of Units for good that came to the namespace's `unitSeq`, one for each of its
   * batches, ascending.
   */
  deletion(namespace: Namespace, sight: AuditSight, unitSeq: number): Promise<AuditRow[]>
  /** Where the head row says that the chain ends, and the first row outside of 1 to there, if any. */
  end(namespaceId: string): Promise<{ head: ChainLink; strayAt: number | null }>
  /**
   * Rows above a seq and up to another, ascending, as text that can be hashed as it is, several times faster to read than
   * the rows themselves. A line for each: `<hash> <prev_hash> <seq> <the row's canonical JSON>`, in texts of some hundred
   * lines, without a last newline. What was tampered with may spoil the form.
   */
  lines(namespace: Namespace, above: number, upTo: number): Promise<string[]>
  /** Rows above a seq and up to another, ascending, at most `limit`. */
  between(namespace: Namespace, above: number, upTo: number, limit: number): Promise<AuditRow[]>
}
