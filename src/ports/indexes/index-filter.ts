import type { Filter } from '../../model/filter.ts'
import type { Acl, Plane, ReadClause, UnitContent } from '../../model/unit.ts'

/** What a search may see. Both indexes apply all of it before they score: hidden rows have no influence on results. */
export interface IndexFilter {
  namespaceId: string
  /** By the planes to search. A plane without a clause is not searched. */
  clauses: readonly IndexClause[]
  filters: Filter
  /** What texts must have and must not have. An index leaves it out where it cannot tell: the catalog decides. */
  phrases?: TextPhrases
}

export interface TextPhrases {
  required: readonly string[]
  excluded: readonly string[]
}

/** With the scopes that are open in each plane. */
export type IndexClause = ReadClause<ReadonlyMap<Plane, readonly string[]>>

/** Vectors of different models are never compared. A Unit with several is as near as the nearest of them. */
export interface Embedding {
  model: string
  /** One vector, or several of the same length one after another. */
  values: Float32Array
  /** How many. Default: 1. */
  count?: number
}

/** The columns of a Unit that both indexes store. */
export interface IndexedUnit extends UnitContent {
  unitId: string
  seq: number
  plane: Plane
  scopeId: string
  acl: Acl
  vector: Embedding | null
  /** A second vector, of another model, while the Unit's plane changes models. */
  otherVector?: Embedding
  createdAt: number
  updatedAt: number
}

/** One change, in seq order: the current state of the Unit, its removal, or other readers for what the index holds. */
export type IndexChange =
  | { kind: 'put'; unit: IndexedUnit }
  | { kind: 'remove'; unitId: string; seq: number; plane: Plane }
  | ReadersChange

export interface ReadersChange {
  kind: 'readers'
  unitId: string
  seq: number
  plane: Plane
  acl: Acl
  updatedAt: number
}

/** A Unit, and where the engine that found it has it, if it says so: it is then found again faster. */
export interface Located {
  unitId: string
  at?: number
}

/** `score` is the engine's own; higher is better. Ties are in ascending `unitId`. */
export interface Candidate extends Located {
  score: number
  /** Where the query asks for it, and the engine can tell. */
  isClosed?: boolean
  /** Of those before a candidate, an engine left some out: its place in all, from 1. */
  rank?: number
}

/**
 * What a search with several queries needs of their candidates: those that can be among its first `count`, whatever weight each
 * query gets, as far as higher scores never count less; and those at some ranks, and the last.
 */
export interface Contest {
  /** How many queries share this object. Where an engine does not get them together, or they are many, it returns all candidates. */
  queries: number
  count: number
  ranks: readonly number[]
}

/** What a search needs of what it finds. */
export interface Counted {
  contest?: Contest
  /** Over many Units, an approximate ranking is enough. */
  rough?: boolean
  /** Asks whether each candidate is closed: these clauses open its scope, but do not let it be read. */
  closedTo?: readonly IndexClause[]
}

/**
 * Applies changes to an index. An index is derived data with a cursor per namespace, which `apply` moves.
 *
 * - `apply` is idempotent and at-least-once: a change at or below the cursor, or older than the stored row, has no
 *   effect.
 * - Changes arrive in ascending seq. When it resolves to true, searches see them. False means that nothing was done:
 *   another process feeds the namespace now, or the cursor is below `after`, because the index has lost data since.
 * - Errors are thrown, never swallowed: an outage must not look like an empty result.
 */
export interface IndexFeed {
  /** The index belongs to this process: after a start, this process must apply what it lacks. */
  readonly local: boolean
  /** The seq up to which changes of the namespace are applied; 0 when the index has none. */
  cursor(namespaceId: string): Promise<number>
  /** Takes all changes after one seq, up to another. */
  apply(namespaceId: string, changes: readonly IndexChange[], upTo: number, after?: number): Promise<boolean>
  /**
   * The seqs of these Units that the index has: unitId -> seq. Absent where `apply` does not take changes of readers; they are only
   * of Units that the index has.
   */
  held?(namespaceId: string, units: readonly { unitId: string; plane: Plane }[]): Promise<ReadonlyMap<string, number>>
  /** This process has nothing more to apply for now; another process may apply changes. */
  release(namespaceId: string): Promise<void>
  /** What the index has of a plane, for reconciliation: unitId -> seq. */
  manifest(namespaceId: string, plane: Plane): Promise<ReadonlyMap<string, number>>
  /** Puts and removes rows without regard to the cursor, which does not move. */
  repair(namespaceId: string, changes: readonly IndexChange[]): Promise<void>
  /** Removes everything the index has of the namespace. */
  reset(namespaceId: string): Promise<void>
  /** Namespaces whose changes another process left unapplied, a few at a time. */
  behind(): Promise<string[]>
}

/** What both index ports share. An engine that serves both may use one feed for both. */
export interface UnitIndex {
  /** The engine's name as health shows it. */
  readonly engine: string
  readonly feed: IndexFeed
  ping(): Promise<void>
  /** Whether it finds exactly the Units that meet a filter; otherwise others too. Without it, always. */
  isExact?(filter: Filter): boolean
  /** What this process has of it in memory; absent for an engine elsewhere. */
  content?(): Promise<ReadonlyMap<Plane, PlaneContent>>
}

export interface PlaneContent {
  units: number
  bytes: number
}
