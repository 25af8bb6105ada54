import type { Plane } from '../model/unit.ts'
import type { IndexedUnit, UnitIndex } from './index-filter.ts'

/** Where a Unit is held. */
export interface HeldUnit {
  unitId: string
  plane: Plane
}

/** What a write is bound to. */
export interface WriteAttempt {
  /** Once it is given, nothing more may be sent. */
  signal: AbortSignal
  /** Something unknown may have happened since the same was sent before: it must be sent again. */
  again: boolean
  /** To be called when a request ends with no word on whether it was done: it may be done later than all that follows. */
  unsettled(): void
}

/**
 * An engine outside of this process, as what feeds it sees it: it keeps rows, the catalog keeps how far it is. Failures
 * throw; ids of namespaces come from the catalog.
 */
export interface IndexSink {
  /**
   * Tells what holds the rows apart from others, and from what held them before it was made anew: a cursor counts for
   * one identity only. Makes what is not there yet.
   */
  identity(): Promise<string>
  /**
   * Puts Units, each in place of what is held of it in any plane, and removes others. Each Unit comes once. Resolves when
   * searches see all of it, which is what moves the cursor. The same again changes nothing. When it ends, whether it
   * succeeded or not, no request of it is under way.
   */
  write(
    namespaceId: string,
    batch: { puts: readonly IndexedUnit[]; removals: readonly HeldUnit[] },
    attempt: WriteAttempt,
  ): Promise<void>
  /** The seqs of those of the given Units that are held. */
  held(namespaceId: string, units: readonly HeldUnit[]): Promise<ReadonlyMap<string, number>>
  /** All that is held of a plane: unitId -> seq. */
  manifest(namespaceId: string, plane: Plane): Promise<ReadonlyMap<string, number>>
  /** Removes all that is held of the namespace. */
  drop(namespaceId: string, attempt: Pick<WriteAttempt, 'unsettled'>): Promise<void>
}

/** An index of such an engine, before it is fed. */
export type Unfed<I extends UnitIndex> = Omit<I, 'feed'> & { sink: IndexSink }
