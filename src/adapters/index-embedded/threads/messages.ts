import type { Facet } from '../../../model/doc.ts'
import type { Plane } from '../../../model/unit.ts'
import type { IndexChange, IndexFilter, PlaneContent } from '../../../ports/indexes/index-filter.ts'
import type { FacetsOf, FieldValues, TextQuery, ValuesOf } from '../../../ports/indexes/text-index.ts'
import type { VectorQuery } from '../../../ports/indexes/vector-index.ts'
import type { Found } from '../search/search.ts'
import type { Sent } from '../shard/fields-of-units.ts'
import type { LeftOut } from '../shard/put-unit.ts'
import type { ShardState } from '../shard/shard.ts'

/** A namespace as the writing thread publishes it. */
export interface Published {
  cursor: number
  bytes: number
  state: ShardState
}

/** A namespace after changes, and the Units that are indexed only in part. */
export interface Applied extends Published {
  partial: { unitId: string; without: LeftOut[] }[]
}

export const seqOf = (change: IndexChange): number => (change.kind === 'put' ? change.unit.seq : change.seq)

/** All changes above one seq, up to another. */
export interface Place {
  after: number
  upTo: number
}

type Asked<Query> = { namespaceId: string; query: Query; filter: IndexFilter; limit: number }

/** Requests to a thread and their answers. Any thread searches; only the writing one handles the rest. */
export interface Calls {
  searchText: { ask: Asked<TextQuery>; answer: Found }
  searchVectors: { ask: Asked<VectorQuery>; answer: Found }
  countFacets: { ask: { namespaceId: string; among: Sent; question: Omit<FacetsOf, 'among'> }; answer: Facet[] }
  readValues: { ask: { namespaceId: string; among: Sent; question: Omit<ValuesOf, 'among'> }; answer: FieldValues[] }
  /** Uses a published namespace for searches from now on. */
  attach: { ask: { namespaceId: string; state: ShardState }; answer: undefined }
  /** Drops the thread's data of a namespace. */
  forget: { ask: { namespaceId: string }; answer: undefined }
  /** From its snapshot, or empty; `damage` says why an existing snapshot can't be used. */
  load: { ask: { namespaceId: string }; answer: Published & { damage: string | null } }
  /**
   * Applies changes; null where the cursor is below `after`, and nothing was done. Without a place the cursor is ignored and does
   * not change.
   */
  apply: {
    ask: { namespaceId: string; changes: readonly IndexChange[]; place: Place | null }
    answer: Applied | null
  }
  manifest: { ask: { namespaceId: string; plane: Plane }; answer: ReadonlyMap<string, number> }
  /** By place, the seqs of Units that have a row, otherwise 0; ids are joined by NUL. */
  held: { ask: { namespaceId: string; unitIds: string }; answer: Float64Array }
  /** Removes dead rows from the shard and writes its snapshot. */
  save: { ask: { namespaceId: string }; answer: Published }
  /** What all namespaces in memory have, by plane. */
  content: { ask: null; answer: ReadonlyMap<Plane, PlaneContent> }
  /** Drops the namespace and its snapshot. */
  reset: { ask: { namespaceId: string }; answer: Published }
}

/** The start options of a thread. */
export interface ThreadOptions {
  /** 0 writes; all search. */
  thread: number
  /** Where snapshots are kept. */
  directory: string
}
