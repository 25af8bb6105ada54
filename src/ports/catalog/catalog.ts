import type { SearchFilters } from '../../model/search.ts'
import type { Plane, Unit } from '../../model/unit.ts'
import type { IndexChange } from '../indexes/index-filter.ts'
import type { AccessReader } from './access-reader.ts'
import type { AgentStore } from './agents.ts'
import type { AuditReader } from './audit-reader.ts'
import type { AuditTree } from './audit-tree.ts'
import type { BillingStore } from './billing-store.ts'
import type { DocReader } from './doc-reader.ts'
import type { DocumentReader } from './documents.ts'
import type { EvaluationReader } from './evaluation-store.ts'
import type { ExportLinks } from './export-links.ts'
import type { IndexCursors } from './index-cursors.ts'
import type { InvitationReader } from './invitations.ts'
import type { KeptAnswerStore } from './kept-answers.ts'
import type { ModelChangeReader } from './model-changes.ts'
import type { NamespaceWriter } from './namespace-writer.ts'
import type { Provisioner } from './provisioner.ts'
import type { RegistryReader } from './registry.ts'
import type { RequestCounts } from './request-counts.ts'
import type { SignInRecords } from './sign-in-records.ts'
import type { SourceLinks, SourceReader } from './source-links.ts'
import type { TokenStore } from './tokens.ts'
import type { TransferStore } from './transfer.ts'
import type { Visibility } from './visibility.ts'

/** The source of truth. Reads see committed state; every write goes through `transact`. Failures throw. */
export interface Catalog {
  readonly engine: 'pglite' | 'postgresql'
  /** Rejects while the catalog is unreachable. Until it is reachable again, all other calls fail at once. */
  ping(): Promise<void>
  /**
   * Only where other processes may write to this catalog: calls the listener with a namespace soon after another
   * process changed its Units. A hint, which may be lost. One listener.
   */
  onChange?(listener: (namespaceId: string) => void): void
  /**
   * Only there too: runs `work`, or returns null if another process is running it under the same name. It only avoids
   * duplicate work. Do not rely on it: when a connection breaks, both may run.
   */
  withClusterLock?<T>(name: string, work: () => Promise<T>): Promise<T | null>
  /**
   * Embedded only: removes the bytes of hard-deleted Units from the database's files soon after the deletion, and
   * returns whether it did. A database server vacuums on its own schedule.
   */
  eraseDeleted?(): Promise<boolean>
  /** Connections of this process; `waiting` is work without one. */
  connections?(): { busy: number; idle: number; waiting: number }
  close(): Promise<void>
  access: AccessReader
  units: UnitReader
  changes: ChangeReader
  indexCursors: IndexCursors
  modelChanges: ModelChangeReader
  usage: UsageStore
  sources: SourceReader
  documents: DocumentReader
  docs: DocReader
  sourceLinks: SourceLinks
  registry: RegistryReader
  /** What signing in keeps in the catalog's tables. */
  signIn: SignInRecords
  invitations: InvitationReader
  tokens: TokenStore
  agents: AgentStore
  audit: AuditReader
  auditTree: AuditTree
  exports: ExportLinks
  kept: KeptAnswerStore
  requests: RequestCounts
  billing: BillingStore
  evaluation: EvaluationReader
  transfer: TransferStore
  /**
   * Runs `work` in one transaction that holds the namespace's head row, so writes of a namespace are serial. An error
   * in `work` rolls everything back and is rethrown. Nothing slow may run inside. A deleted namespace is 404, except
   * for its cleanup (`orDeleted`).
   */
  transact<T>(
    namespaceId: string,
    work: (tx: NamespaceWriter) => Promise<T>,
    options?: KeepOptions<T> & { orDeleted?: boolean },
  ): Promise<T>
  /** Runs `work` under a lock that spans namespaces, to create them. */
  provision<T>(work: (tx: Provisioner) => Promise<T>, options?: KeepOptions<T>): Promise<T>
}

export interface KeepOptions<T> {
  /**
   * For a write with an Idempotency-Key: what is kept of the result, all of it by default. False for a transaction that
   * may run again.
   */
  kept?: ((result: T) => T) | false
}

export interface UnitReader {
  get(visibility: Visibility, unitId: string): Promise<Unit | null>
  /** The oldest visible Unit that this writer ingested under the external id. */
  getOwn(visibility: Visibility, writer: string, externalId: string): Promise<Unit | null>
  /** In ingest order, by offset among the visible Units that meet the filters. */
  list(visibility: Visibility, filters: SearchFilters, offset: number, limit: number): Promise<Unit[]>
  /** The visible Units among the given ids, in any order. */
  hydrate(visibility: Visibility, unitIds: readonly string[]): Promise<Unit[]>
  /** The number of live Units in the given scopes and planes that the reader may not read, from counters. */
  countHidden(visibility: Visibility): Promise<number>
  /** The same for given Units. */
  countHiddenAmong(visibility: Visibility, unitIds: readonly string[]): Promise<number>
  searchFacts(visibility: Visibility): Promise<SearchFacts>
}

/** What a search needs before it queries the indexes: one snapshot, read in one statement. */
export interface SearchFacts {
  /** The seq of the namespace's latest change. */
  seq: number
  /** The number of live Units in the given scopes and planes that the reader may not read. */
  hidden: number
  /** The models whose vectors the namespace contains. */
  models: PlaneModel[]
}

/** The changes that indexes apply. */
export interface ChangeReader {
  headSeq(namespaceId: string): Promise<number>
  /** Changes above a seq, ascending: at most `limit`, and fewer when their texts are long. */
  after(namespaceId: string, seq: number, limit: number): Promise<{ seq: number; change: IndexChange }[]>
  /** The same for given Units. */
  of(namespaceId: string, unitIds: readonly string[]): Promise<IndexChange[]>
  /** Live Units of a plane: unitId -> seq. */
  manifest(namespaceId: string, plane: Plane): Promise<ReadonlyMap<string, number>>
  /**
   * For each plane that has any: the changes that are missing in an index with this cursor. These are Units written or
   * deleted above the cursor, Units that wait for an embedding, and Units of deleted scopes that are not swept yet.
   */
  pending(namespaceId: string, seq: number): Promise<Map<Plane, PendingChanges>>
  /** Units whose embedding failed at ingest, oldest change first. */
  unembedded(limit: number): Promise<{ namespaceId: string; unitId: string; seq: number; plane: Plane; text: string }[]>
  /**
   * What hard deletes have left so far. Each batch deleted `units` Units up to `seq`, at `time`. Counts Units that
   * still have content of any kind, and uploaded sources that still have bytes.
   */
  unerased(
    namespaceId: string,
    batches: readonly { time: number; units: number; seq: number }[],
  ): Promise<{ units: number; sources: number }>
  /** Namespaces with deleted scopes that still hold live Units. */
  unswept(): Promise<string[]>
  /** Namespaces with deleted scopes whose Units have content. */
  unerasedScopes(): Promise<string[]>
}

export interface PendingChanges {
  changes: number
  /** Those of them whose Units searches must find. */
  live: number
  /**
   * When the oldest change was made, epoch ms. The deletion of a scope counts as a deletion of all its Units. For a
   * change of the plane's model, the time is not before that change began.
   */
  oldest: number
}

export interface PlaneUsage {
  units: number
  vectors: number
}

export interface UsageStore {
  /** Live Units only. Here and in `rows` below, Units of deleted scopes that are not swept yet are left out. */
  planes(namespaceId: string): Promise<Map<Plane, PlaneUsage>>
  /** The models whose vectors a plane contains. */
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
  /** False for a model that searches do not use: not yet, or not any more. */
  serving: boolean
}
