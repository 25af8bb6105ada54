import type { Reader } from '../model/acl.ts'
import type { AuditEntry } from '../model/audit.ts'
import type { Grant, KeyRestrictions, Namespace, Principal, Scope } from '../model/registry.ts'
import type { MetadataCondition } from '../model/search.ts'
import type { Acl, Locator, Metadata, Modality, Plane, Unit } from '../model/unit.ts'
import type { IndexChange } from './index-filter.ts'
import type { Provisioner } from './provisioner.ts'

/** What a read may see: the scopes that the session opened, through the reader's eyes. */
export interface Visibility {
  namespaceId: string
  scopeIds: readonly string[]
  reader: Reader
}

/** The source of truth. Reads see committed state; every write goes through `transact`. Failures throw. */
export interface Catalog {
  readonly engine: 'pglite' | 'postgresql'
  ping(): Promise<void>
  close(): Promise<void>
  access: AccessReader
  units: UnitReader
  changes: ChangeReader
  usage: UsageStore
  sources: SourceReader
  /**
   * Runs `work` in one transaction that holds the namespace's head row, so writes of a namespace happen one after
   * another. What `work` throws rolls everything back and is thrown. Nothing long may run inside.
   */
  transact<T>(namespaceId: string, work: (tx: NamespaceWriter) => Promise<T>): Promise<T>
  /** Runs `work` under a lock that spans namespaces, for what creates them. */
  provision<T>(work: (tx: Provisioner) => Promise<T>): Promise<T>
}

export interface AccessReader {
  /** Null when no such token is stored; `expiresAt` is for the caller to judge. */
  token(hash: string): Promise<{ principalId: string; expiresAt: number | null; restrictions: KeyRestrictions } | null>
  /** Null when the principal is unknown or deleted. `target` is null for a namespace that does not exist. */
  membership(principalId: string, targetName: string | undefined): Promise<Membership | null>
  /** The same for a caller who needs no grants. Null for a namespace that does not exist. */
  namespace(name: string): Promise<{ namespace: Namespace; scopes: Scope[] } | null>
  hasPrincipals(): Promise<boolean>
}

export interface Membership {
  principal: Principal
  target: { namespace: Namespace; grants: Grant[]; scopes: Scope[] } | null
}

export interface UnitReader {
  get(visibility: Visibility, unitId: string): Promise<Unit | null>
  /** In ingest order, by offset among the visible ones. */
  list(visibility: Visibility, offset: number, limit: number): Promise<Unit[]>
  /** The visible ones among the given ids, in no order. */
  hydrate(visibility: Visibility, unitIds: readonly string[]): Promise<Unit[]>
  /** Live Units in the given scopes that the reader may not read, from counters. */
  countHidden(visibility: Visibility): Promise<number>
  /** The same, of given Units. */
  countHiddenAmong(visibility: Visibility, unitIds: readonly string[]): Promise<number>
  searchFacts(visibility: Visibility, planes: readonly Plane[]): Promise<SearchFacts>
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
  /** Changes above a seq, ascending. */
  after(namespaceId: string, seq: number, limit: number): Promise<{ seq: number; change: IndexChange }[]>
  /** The same, of given Units. */
  of(namespaceId: string, unitIds: readonly string[]): Promise<IndexChange[]>
  /** Live Units of a plane: unitId -> seq. */
  manifest(namespaceId: string, plane: Plane): Promise<ReadonlyMap<string, number>>
  /** Per plane, how many live Units changed above a seq, and when the oldest of those did (epoch ms, null for none). */
  pending(namespaceId: string, seq: number): Promise<Map<Plane, { units: number; oldest: number | null }>>
  /** Units whose embedding failed at ingest, oldest change first. */
  unembedded(limit: number): Promise<{ namespaceId: string; unitId: string; seq: number; plane: Plane; text: string }[]>
  /** Namespaces with deleted scopes that still hold live Units. */
  unswept(): Promise<string[]>
}

export interface PlaneUsage {
  units: number
  vectors: number
}

export interface UsageStore {
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
}

export interface SourceReader {
  /** Sources whose bytes are still to be removed. */
  awaitingPurge(limit: number): Promise<{ namespaceId: string; id: string }[]>
  markPurged(namespaceId: string, id: string, now: number): Promise<void>
}

/** A Unit as it is written; `null` where the caller sent nothing. */
export interface UnitRow {
  unitId: string
  isNew: boolean
  scopeId: string
  plane: Plane
  modality: Modality
  text: string | null
  sourceUri: string | null
  mime: string | null
  locator: Locator | null
  docId: string | null
  externalId: string | null
  writer: string
  acl: Acl
  metadata: Metadata
  contentHash: string
  vector: { model: string; values: Float32Array } | null
  embedPending: boolean
}

/** What a writer ingested before under an external id. */
export interface KnownUnit {
  unitId: string
  scopeId: string
  externalId: string
  contentHash: string
  embedPending: boolean
}

export interface UnitSelection {
  /** Scopes in which the caller may write. */
  scopeIds: readonly string[]
  reader: Reader
  states: readonly ('live' | 'tombstoned')[]
  ids?: readonly string[]
  docId?: string
  externalId?: string
  sourceUri?: string
  modality?: Modality
  plane?: Plane
  createdBefore?: number
  metadata?: Readonly<Record<string, MetadataCondition>>
}

export interface Removal {
  removed: number
  /** Uploaded sources that no live Unit points at any more (hard removal only); their bytes await purging. */
  sources: string[]
}

/** Writes of one namespace, under its head row. All counters, seqs and the chain move with them or not at all. */
export interface NamespaceWriter {
  namespace: Namespace
  /** The seq of the latest Unit change, including those of this transaction. */
  seq(): number
  /** Live documents, including the changes of this transaction. */
  documents(): number
  scopes: {
    list(): Promise<Scope[]>
    insert(scope: Omit<Scope, 'namespace'>): Promise<void>
    /** True when a grant on a path below this one exists. */
    hasGrantBelow(path: string): Promise<boolean>
    /** Logical: the records and the grants on their subtree go at once, their Units by the sweeper. */
    remove(path: string, now: number): Promise<{ scopes: number; grants: number }>
    /** Up to `limit` live Units of deleted scopes; marks scopes that hold none any more as swept. */
    unsweptUnits(limit: number, now: number): Promise<string[]>
  }
  insertGrant(grant: GrantRow): Promise<void>
  units: {
    /** Live Units that this writer ingested before under these external ids, in whatever scope. */
    findExternal(writer: string, externalIds: readonly string[]): Promise<KnownUnit[]>
    /** Stamps the next seqs, in order; returns how many live Units the documents that changed now hold. */
    put(rows: readonly UnitRow[], now: number): Promise<ReadonlyMap<string, number>>
    select(selection: UnitSelection, limit: number): Promise<string[]>
    tombstone(unitIds: readonly string[], now: number): Promise<Removal>
    purge(unitIds: readonly string[], now: number): Promise<Removal>
    /** Stores a late embedding when the Unit has not changed since `seq`; says whether it did. */
    embed(unitId: string, seq: number, vector: { model: string; values: Float32Array } | null): Promise<boolean>
  }
  /** The dims of a plane's model, recorded when it is the first. */
  fixDims(plane: Plane, model: string, dims: number): Promise<number>
  insertSource(source: SourceRow): Promise<void>
  audit(entry: AuditEntry): Promise<void>
}

export interface GrantRow extends Grant {
  id: string
  principalId: string
  grantedBy: string
  createdAt: number
}

export interface SourceRow {
  id: string
  /** What Units point at it by. */
  uri: string
  mime: string
  bytes: number
  sha256: string
  createdBy: string
  createdAt: number
}
