import type { ReadClause } from '../model/acl.ts'
import type { Plane, Unit } from '../model/unit.ts'
import type { AccessReader } from './access-reader.ts'
import type { AuditReader } from './audit-reader.ts'
import type { AuditTree } from './audit-tree.ts'
import type { BillingStore } from './billing-store.ts'
import type { EvaluationReader } from './evaluation-store.ts'
import type { ExportLinks } from './export-links.ts'
import type { IndexCursors } from './index-cursors.ts'
import type { IndexChange } from './index-filter.ts'
import type { ModelChangeReader } from './model-changes.ts'
import type { NamespaceWriter } from './namespace-writer.ts'
import type { Provisioner } from './provisioner.ts'
import type { RegistryReader } from './registry.ts'
import type { TokenStore } from './tokens.ts'
import type { TransferStore } from './transfer.ts'

/** What a read may see: the scopes and planes that the session opened, each through the eyes that count there. */
export interface Visibility {
  namespaceId: string
  clauses: readonly ReadClause[]
  planes: readonly Plane[]
}

/** The source of truth. Reads see committed state; every write goes through `transact`. Failures throw. */
export interface Catalog {
  readonly engine: 'pglite' | 'postgresql'
  /** Rejects while the catalog cannot be reached; from then on until it can, everything else fails at once. */
  ping(): Promise<void>
  /**
   * Where other processes may write to this catalog: calls with a namespace whose Units one of them has changed, soon
   * after it did. A hint that may be lost. One listener.
   */
  onChange?(listener: (namespaceId: string) => void): void
  /**
   * There too: runs `work` unless another process is at work under the same name, and answers null then. It spares
   * work that would be done twice; nothing may rely on it, as both may be at work when a connection breaks.
   */
  withClusterLock?<T>(name: string, work: () => Promise<T>): Promise<T | null>
  /**
   * Embedded only: removes the bytes of hard-deleted Units from the database's files, soon after they were deleted; says
   * whether it did. A server vacuums in its own time.
   */
  eraseDeleted?(): Promise<boolean>
  close(): Promise<void>
  access: AccessReader
  units: UnitReader
  changes: ChangeReader
  indexCursors: IndexCursors
  modelChanges: ModelChangeReader
  usage: UsageStore
  sources: SourceReader
  registry: RegistryReader
  tokens: TokenStore
  audit: AuditReader
  auditTree: AuditTree
  exports: ExportLinks
  billing: BillingStore
  evaluation: EvaluationReader
  transfer: TransferStore
  /**
   * Runs `work` in one transaction that holds the namespace's head row, so writes of a namespace happen one after
   * another. What `work` throws rolls everything back and is thrown. Nothing long may run inside. A deleted namespace
   * is 404, except to what clears it up (`orDeleted`).
   */
  transact<T>(
    namespaceId: string,
    work: (tx: NamespaceWriter) => Promise<T>,
    options?: { orDeleted?: boolean },
  ): Promise<T>
  /** Runs `work` under a lock that spans namespaces, for what creates them. */
  provision<T>(work: (tx: Provisioner) => Promise<T>): Promise<T>
}

export interface UnitReader {
  get(visibility: Visibility, unitId: string): Promise<Unit | null>
  /** The oldest visible one that this writer ingested under the external id. */
  getOwn(visibility: Visibility, writer: string, externalId: string): Promise<Unit | null>
  /** In ingest order, by offset among the visible ones. */
  list(visibility: Visibility, offset: number, limit: number): Promise<Unit[]>
  /** The visible ones among the given ids, in no order. */
  hydrate(visibility: Visibility, unitIds: readonly string[]): Promise<Unit[]>
  /** Live Units in the given scopes and planes that the reader may not read, from counters. */
  countHidden(visibility: Visibility): Promise<number>
  /** The same, of given Units. */
  countHiddenAmong(visibility: Visibility, unitIds: readonly string[]): Promise<number>
  searchFacts(visibility: Visibility): Promise<SearchFacts>
}

/** What a search goes by before it asks the indexes: of one moment, for the price of one statement. */
export interface SearchFacts {
  /** Of the namespace's latest change. */
  seq: number
  /** Live Units in the given scopes and planes that the reader may not read. */
  hidden: number
  /** The models whose vectors the namespace holds. */
  models: PlaneModel[]
}

/** What indexes feed on. */
export interface ChangeReader {
  headSeq(namespaceId: string): Promise<number>
  /** Changes above a seq, ascending: at most `limit`, and fewer where their texts are long. */
  after(namespaceId: string, seq: number, limit: number): Promise<{ seq: number; change: IndexChange }[]>
  /** The same, of given Units. */
  of(namespaceId: string, unitIds: readonly string[]): Promise<IndexChange[]>
  /** Live Units of a plane: unitId -> seq. */
  manifest(namespaceId: string, plane: Plane): Promise<ReadonlyMap<string, number>>
  /**
   * Per plane with any, the changes that an index lacks that has reached a seq: Units written or deleted above it, those
   * that wait for an embedding, and those of deleted scopes that are not swept yet.
   */
  pending(namespaceId: string, seq: number): Promise<Map<Plane, PendingChanges>>
  /** Units whose embedding failed at ingest, oldest change first. */
  unembedded(limit: number): Promise<{ namespaceId: string; unitId: string; seq: number; plane: Plane; text: string }[]>
  /**
   * What hard deletes left behind so far, given as batches of `units` changes up to `seq`, each at a time: Units with
   * content of any kind, and uploaded sources whose bytes are still there.
   */
  unerased(
    namespaceId: string,
    batches: readonly { time: number; units: number; seq: number }[],
  ): Promise<{ units: number; sources: number }>
  /** Namespaces with deleted scopes that still hold live Units. */
  unswept(): Promise<string[]>
}

export interface PendingChanges {
  changes: number
  /** Those of them that are of Units which searches shall find. */
  live: number
  /**
   * When the oldest happened, epoch ms. A deletion of a scope is one of all its Units; what changing the plane's model
   * touches changed when that began, at the earliest.
   */
  oldest: number
}

export interface PlaneUsage {
  units: number
  vectors: number
}

export interface UsageStore {
  /** Of live Units: what deleted scopes hold until they are swept is left out, here and in `rows` below. */
  planes(namespaceId: string): Promise<Map<Plane, PlaneUsage>>
  /** The models whose vectors a plane holds. */
  models(namespaceId: string): Promise<PlaneModel[]>
  storage(namespaceId: string): Promise<{ sourceBytes: number; rows: number }>
  addQueries(namespaceId: string, hour: number, queries: number): Promise<void>
  /** Queries counted at or after an epoch hour. */
  queriesSince(namespaceId: string, hour: number): Promise<number>
}

export interface PlaneModel {
  plane: Plane
  model: string
  dims: number
  /** False for one that searches do not use: not yet, or no longer. */
  serving: boolean
}

export interface SourceReader {
  /** Sources whose bytes are still to be removed. */
  awaitingPurge(limit: number): Promise<{ namespaceId: string; id: string }[]>
  markPurged(namespaceId: string, id: string, now: number): Promise<void>
}
