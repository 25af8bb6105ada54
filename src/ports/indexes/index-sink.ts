import type { Plane } from '../../model/unit.ts'
import type { IndexedUnit, ReadersChange, UnitIndex } from './index-filter.ts'

/** Where a Unit is stored. */
export interface HeldUnit {
  unitId: string
  plane: Plane
}

/** The conditions of a write. */
export interface WriteAttempt {
  /** After it is aborted, nothing more may be sent. */
  signal: AbortSignal
  /** The stored rows may have changed since an equal write: it must be sent again. */
  again: boolean
  /** Call it when a request ends with an unknown result: the request may be executed later than all that follow it. */
  unsettled(): void
}

/**
 * An external engine, as its feed sees it: the engine stores rows, the catalog stores the cursor. Failures throw. Ids
 * of namespaces come from the catalog.
 */
export interface IndexSink {
  /**
   * Identifies this store of rows. A store that was deleted and created again has a new identity. A cursor is valid for
   * one identity only. Creates what is missing.
   */
  identity(): Promise<string>
  /**
   * Puts Units, each in place of its old rows in any plane, and removes others. Each Unit occurs once. Resolves when
   * searches see all of it; then the cursor moves. Idempotent. When it settles, in success or failure, none of its
   * requests is still running.
   */
  write(
    namespaceId: string,
    batch: { puts: readonly IndexedUnit[]; removals: readonly HeldUnit[] },
    attempt: WriteAttempt,
  ): Promise<void>
  /**
   * Gives stored Units other readers, and the seq of that; each Unit occurs once. Otherwise as `write`. Absent where an engine
   * takes only whole Units.
   */
  changeReaders?(namespaceId: string, changes: readonly ReadersChange[], attempt: WriteAttempt): Promise<void>
  /** The seqs of the given Units that are stored. */
  held(namespaceId: string, units: readonly HeldUnit[]): Promise<ReadonlyMap<string, number>>
  /** All stored Units of a plane: unitId -> seq. */
  manifest(namespaceId: string, plane: Plane): Promise<ReadonlyMap<string, number>>
  /** Removes everything of the namespace. */
  drop(namespaceId: string, attempt: Pick<WriteAttempt, 'unsettled'>): Promise<void>
}

/** An index of such an engine, before it is fed. */
export type Unfed<I extends UnitIndex> = Omit<I, 'feed'> & { sink: IndexSink }
