import type { ReadClause } from '../model/acl.ts'
import type { SearchFilters } from '../model/search.ts'
import type { Acl, Plane, UnitContent } from '../model/unit.ts'

/** What a search may see. Both indexes apply all of it before they score: hidden rows shape nothing. */
export interface IndexFilter {
  namespaceId: string
  /** By the planes that are searched: where a plane is in no clause, it is not searched. */
  clauses: readonly IndexClause[]
  filters: SearchFilters
}

/** With the scopes that are open in each plane. */
export type IndexClause = ReadClause<ReadonlyMap<Plane, readonly string[]>>

/** Vectors of different models are never compared. */
export interface Embedding {
  model: string
  values: Float32Array
}

/** The columns that both indexes keep of a Unit. */
export interface IndexedUnit extends UnitContent {
  unitId: string
  seq: number
  plane: Plane
  scopeId: string
  acl: Acl
  vector: Embedding | null
  /** One of another model, which the Unit has besides while its plane changes models. */
  otherVector?: Embedding
  createdAt: number
}

/** One change, in seq order: the Unit as it now is, or its removal. */
export type IndexChange =
  | { kind: 'put'; unit: IndexedUnit }
  | { kind: 'remove'; unitId: string; seq: number; plane: Plane }

/** `score` is the engine's own, higher is better; ties are in ascending `unitId`. */
export interface Candidate {
  unitId: string
  score: number
}

/**
 * How an index is fed. It is derived data with a cursor per namespace, which `apply` moves.
 *
 * - `apply` is idempotent and at-least-once: a change at or below the cursor, or older than what is held, does nothing.
 * - Changes arrive in ascending seq. After it resolves to true, searches see them; false when another process feeds the
 *   namespace now, and nothing was done.
 * - Errors are thrown, never swallowed: an outage must not look like an empty result.
 */
export interface IndexFeed {
  /** The index is this process's own: what it lacks after a start, this process must bring. */
  readonly local: boolean
  /** The seq up to which the namespace is applied; 0 when nothing is held. */
  cursor(namespaceId: string): Promise<number>
  apply(namespaceId: string, changes: readonly IndexChange[], upTo: number): Promise<boolean>
  /** This process has nothing more to apply for now: another one may. */
  release(namespaceId: string): Promise<void>
  /** What is held of a plane, for reconciling: unitId -> seq. */
  manifest(namespaceId: string, plane: Plane): Promise<ReadonlyMap<string, number>>
  /** Puts and removes rows regardless of the cursor, which stays. */
  repair(namespaceId: string, changes: readonly IndexChange[]): Promise<void>
  /** Forgets all that is held of the namespace. */
  reset(namespaceId: string): Promise<void>
  /** Namespaces whose changes another process left behind, some of them at a time. */
  behind(): Promise<string[]>
}

/** What both index ports share. An engine that serves both may feed them by one and the same feed. */
export interface UnitIndex {
  /** The engine's name as health shows it. */
  readonly engine: string
  readonly feed: IndexFeed
  ping(): Promise<void>
}
