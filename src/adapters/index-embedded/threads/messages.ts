import type { Plane } from '../../../model/unit.ts'
import type { IndexChange, IndexFilter } from '../../../ports/index-filter.ts'
import type { TextQuery } from '../../../ports/text-index.ts'
import type { VectorQuery } from '../../../ports/vector-index.ts'
import type { Found } from '../search/search.ts'
import type { ShardState } from '../shard/shard.ts'

/** A namespace as the writing thread publishes it. */
export interface Published {
  cursor: number
  bytes: number
  state: ShardState
}

/** What a thread can be asked, and what it answers. Searches any thread takes; the rest the writing one alone. */
export interface Calls {
  searchText: {
    ask: { namespaceId: string; query: TextQuery; filter: IndexFilter; limit: number }
    answer: Found
  }
  searchVectors: {
    ask: { namespaceId: string; query: VectorQuery; filter: IndexFilter; limit: number }
    answer: Found
  }
  /** Takes a published namespace for searches from now on. */
  attach: { ask: { namespaceId: string; state: ShardState }; answer: undefined }
  /** Drops what the thread holds of a namespace. */
  forget: { ask: { namespaceId: string }; answer: undefined }
  /** From its snapshot, else empty; `damage` says why a snapshot that is there can't be used. */
  load: { ask: { namespaceId: string }; answer: Published & { damage: string | null } }
  /** Takes changes in; without `upTo` whatever the cursor says, which stays. */
  apply: { ask: { namespaceId: string; changes: readonly IndexChange[]; upTo: number | null }; answer: Published }
  manifest: { ask: { namespaceId: string; plane: Plane }; answer: ReadonlyMap<string, number> }
  /** Rids the shard of dead rows and writes its snapshot. */
  save: { ask: { namespaceId: string }; answer: Published }
  /** Forgets the namespace, and its snapshot too. */
  reset: { ask: { namespaceId: string }; answer: Published }
}

export type CallName = keyof Calls

export type Request = { [N in CallName]: { id: number; name: N; ask: Calls[N]['ask'] } }[CallName]
export type Reply = { id: number; answer: Calls[CallName]['answer'] } | { id: number; error: unknown }

/** What a thread is started with. */
export interface ThreadOptions {
  /** 0 writes; all search. */
  thread: number
  /** Where snapshots are kept. */
  directory: string
}
