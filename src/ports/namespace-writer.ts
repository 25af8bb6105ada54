import type { ReadClause } from '../model/acl.ts'
import type { AuditEntry } from '../model/audit.ts'
import type { Grant, Namespace, Scope } from '../model/registry.ts'
import type { MetadataCondition } from '../model/search.ts'
import type { Acl, Metadata, Modality, Plane, UnitContent } from '../model/unit.ts'
import type { EvaluationWriter } from './evaluation-store.ts'
import type { ExportLinkRow } from './export-links.ts'
import type { ModelChangeWriter } from './model-changes.ts'
import type { TokenWriter } from './tokens.ts'

/** A Unit as it is written. */
export interface UnitRow extends UnitContent {
  unitId: string
  isNew: boolean
  scopeId: string
  plane: Plane
  writer: string
  acl: Acl
  contentHash: string
  vector: { model: string; values: Float32Array } | null
  embedPending: boolean
}

/** What an ingest needs to know of the Unit that it replaces. */
export interface KnownUnit {
  unitId: string
  scopeId: string
  externalId: string | null
  plane: Plane
  acl: Acl
  contentHash: string
  embedPending: boolean
}

/** What a change in place needs to know of a Unit. */
export interface StoredUnit extends KnownUnit {
  state: 'live' | 'tombstoned'
  seq: number
  writer: string
  metadata: Metadata
}

/** Replaces what may change without a new embedding. */
export interface UnitUpdate {
  unitId: string
  acl: Acl
  metadata: Metadata
  contentHash: string
}

/** Where the caller may change Units: over scopes in which it may write, those that it may read. */
export interface UnitReach {
  clauses: readonly ReadClause[]
  planes: readonly Plane[]
}

export interface UnitSelection extends UnitReach {
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
  /**
   * Documents with a Unit, including the changes of this transaction. What a deleted scope still holds until it is swept
   * counts here, so there are never more live ones.
   */
  documents(): number
  /** Live documents: those of `documents` that have a Unit outside of deleted scopes. Reads what is still to be swept. */
  liveDocuments(): Promise<number>
  scopes: {
    list(): Promise<Scope[]>
    insert(scope: Omit<Scope, 'namespace'>): Promise<void>
    update(scope: Pick<Scope, 'id' | 'parent' | 'planes' | 'readOnlyAgents'>): Promise<void>
    /** True when a grant on a path below this one counts at `now`. */
    hasGrantBelow(path: string, now: number): Promise<boolean>
    /** Logical: the records and the grants on their subtree go at once, their Units by the sweeper. */
    remove(path: string, now: number): Promise<{ scopes: number; grants: number }>
    /** Up to `limit` live Units of deleted scopes; marks scopes that hold none any more as swept. */
    unsweptUnits(limit: number, now: number): Promise<string[]>
  }
  insertGrant(grant: GrantRow): Promise<void>
  /** Of principals homed in the namespace. */
  tokens: TokenWriter
  units: {
    /** Live Units that this writer ingested before under these external ids, in whatever scope. */
    findExternal(writer: string, externalIds: readonly string[]): Promise<KnownUnit[]>
    /** Stamps the next seqs, in order; returns how many live Units the documents that changed now hold. */
    put(rows: readonly UnitRow[], now: number): Promise<ReadonlyMap<string, number>>
    select(selection: UnitSelection, limit: number): Promise<string[]>
    /**
     * The Units that ids name among those that a selection reaches, one for each id: the one that has it, else the one
     * that this writer ingested under it as external id (a live one first, then the oldest).
     */
    resolve(selection: UnitSelection & { ids: readonly string[] }, writer: string): Promise<string[]>
    /** The same, with what changing them takes. */
    read(selection: UnitSelection, limit: number): Promise<StoredUnit[]>
    /** Changes a live Unit under the next seq; its text, vectors and place in the listing stay. */
    update(change: UnitUpdate, now: number): Promise<void>
    /** Brings tombstoned Units back under the next seqs; returns how many live Units their documents now hold. */
    restore(unitIds: readonly string[], now: number): Promise<ReadonlyMap<string, number>>
    /**
     * Those of these Units in whose place (scope, writer, external id) another one lives, and whether that one is
     * readable and in reach.
     */
    replaced(unitIds: readonly string[], reach: UnitReach): Promise<{ unitId: string; readable: boolean }[]>
    /** Live Units of these documents, by who wrote them. */
    writersOf(docIds: readonly string[]): Promise<{ docId: string; writer: string; units: number }[]>
    tombstone(unitIds: readonly string[], now: number): Promise<Removal>
    purge(unitIds: readonly string[], now: number): Promise<Removal>
    /** Stores a late embedding when the Unit has not changed since `seq`; says whether it did. */
    embed(unitId: string, seq: number, vector: { model: string; values: Float32Array } | null): Promise<boolean>
  }
  /** The dims of a plane's model, recorded when it is the first. */
  fixDims(plane: Plane, model: string, dims: number): Promise<number>
  modelChange: ModelChangeWriter
  insertSource(source: SourceRow): Promise<void>
  insertExportLink(link: ExportLinkRow): Promise<void>
  evaluation: EvaluationWriter
  audit(entry: AuditEntry): Promise<void>
}

export interface GrantRow extends Grant {
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
