import type { ReadClause } from '../../model/acl.ts'
import type { AuditEntry } from '../../model/audit.ts'
import type { Grant, Namespace, Scope } from '../../model/registry.ts'
import type { MetadataCondition } from '../../model/search.ts'
import type { Acl, Metadata, Modality, Plane, UnitContent } from '../../model/unit.ts'
import type { AgentWriter } from './agents.ts'
import type { DocumentWriter } from './documents.ts'
import type { EvaluationWriter } from './evaluation-store.ts'
import type { ExportLinkRow } from './export-links.ts'
import type { KeptAnswers } from './kept-answers.ts'
import type { ModelChangeWriter } from './model-changes.ts'
import type { SourceWriter } from './source-links.ts'
import type { TokenWriter } from './tokens.ts'

/** A Unit to write. */
export interface UnitRow extends UnitContent {
  unitId: string
  isNew: boolean
  /** The document that it is made from; an existing Unit keeps its own. */
  documentId?: string
  scopeId: string
  plane: Plane
  writer: string
  /** Whether the writer itself named the source, and may open it. */
  sourceByWriter: boolean
  acl: Acl
  contentHash: string
  vector: { model: string; values: Float32Array } | null
  embedPending: boolean
}

/** What an ingest needs to know about the Unit that it replaces. */
export interface KnownUnit {
  unitId: string
  scopeId: string
  externalId: string | null
  plane: Plane
  sourceUri: string | null
  sourceByWriter: boolean
  acl: Acl
  contentHash: string
  embedPending: boolean
}

/** What a change in place needs to know about a Unit. */
export interface StoredUnit extends KnownUnit {
  state: 'live' | 'tombstoned'
  seq: number
  writer: string
  metadata: Metadata
  title: string | null
}

/** Replaces the fields that can change without a new embedding. */
export interface UnitUpdate {
  unitId: string
  acl: Acl
  metadata: Metadata
  title: string | null
  contentHash: string
}

/** Where the caller may change Units: those it may read, in scopes where it may write. */
export interface UnitReach {
  clauses: readonly ReadClause[]
  planes: readonly Plane[]
}

export interface UnitSelection extends UnitReach {
  states: readonly ('live' | 'tombstoned')[]
  ids?: readonly string[]
  docId?: string
  documentIds?: readonly string[]
  externalId?: string
  sourceUri?: string
  modality?: Modality
  plane?: Plane
  createdBefore?: number
  metadata?: Readonly<Record<string, MetadataCondition>>
}

export interface Removal {
  removed: number
  /** Uploaded sources that live Units no longer reference (hard removal only); their bytes must be purged. */
  sources: string[]
}

/**
 * Writes of one namespace, under its head row. Counters, seqs and the chain change together with them or not at all.
 */
export interface NamespaceWriter {
  namespace: Namespace
  /** The seq of the latest Unit change, including those of this transaction. */
  seq(): number
  /**
   * Documents with a Unit, including the changes of this transaction. Documents of deleted scopes that are not swept
   * yet count too, so the number of live documents is never higher.
   */
  documents(): number
  /**
   * Live documents: those of `documents` that have a Unit outside of deleted scopes. Reads the Units still to be swept.
   */
  liveDocuments(): Promise<number>
  scopes: {
    list(): Promise<Scope[]>
    insert(scope: Omit<Scope, 'namespace'>): Promise<void>
    update(scope: Pick<Scope, 'id' | 'parent' | 'planes' | 'readOnlyAgents'>): Promise<void>
    /** True when a grant on a path below this one is valid at `now`. */
    hasGrantBelow(path: string, now: number): Promise<boolean>
    /** Logical: removes the records and the grants on their subtree at once; the sweeper removes their Units. */
    remove(path: string, now: number): Promise<{ scopes: number; grants: number }>
    /** Up to `limit` live Units of deleted scopes; marks empty deleted scopes as swept. */
    unsweptUnits(limit: number, now: number): Promise<string[]>
    /**
     * Up to `limit` tombstoned Units of deleted scopes. Removes the documents of the scopes that have none, requests the
     * purge of their sources, and marks the scopes as erased.
     */
    unerasedUnits(limit: number, now: number): Promise<string[]>
  }
  insertGrant(grant: GrantRow): Promise<void>
  /** For principals homed in the namespace. */
  tokens: TokenWriter
  /** For principals homed in the namespace. */
  agents: AgentWriter
  units: {
    /** Live Units that this writer ingested earlier under these external ids, in any scope. */
    findExternal(writer: string, externalIds: readonly string[]): Promise<KnownUnit[]>
    /** Stamps the next seqs, in order; returns the number of live Units in the changed documents. */
    put(rows: readonly UnitRow[], now: number): Promise<ReadonlyMap<string, number>>
    select(selection: UnitSelection, limit: number): Promise<string[]>
    /**
     * The Units with these ids inside a selection, one per id: the Unit with that id, else the one that this writer
     * ingested under it as external id (a live one first, then the oldest).
     */
    resolve(selection: UnitSelection & { ids: readonly string[] }, writer: string): Promise<string[]>
    /** The same, with the data needed to change them. */
    read(selection: UnitSelection, limit: number): Promise<StoredUnit[]>
    /** Changes live Units under the next seqs; their texts, vectors and places in the listing do not change. */
    update(changes: readonly UnitUpdate[], now: number): Promise<void>
    /**
     * Restores tombstoned Units under the next seqs; own vectors whose length the plane no longer has are embedded again.
     * Returns the number of live Units in their documents.
     */
    restore(unitIds: readonly string[], now: number): Promise<ReadonlyMap<string, number>>
    /**
     * Those of these Units whose place (scope, writer, external id) is taken by a live Unit, and whether that Unit is
     * readable and inside the selection.
     */
    replaced(unitIds: readonly string[], reach: UnitReach): Promise<{ unitId: string; readable: boolean }[]>
    /** Live Units of these documents, by writer. */
    writersOf(docIds: readonly string[]): Promise<{ docId: string; writer: string; units: number }[]>
    tombstone(unitIds: readonly string[], now: number): Promise<Removal>
    purge(unitIds: readonly string[], now: number): Promise<Removal>
    /** Stores a late embedding if the Unit has not changed since `seq`; returns whether it did. */
    embed(unitId: string, seq: number, vector: { model: string; values: Float32Array } | null): Promise<boolean>
  }
  /** The dims of a plane's model; records them for the first vector. Without live ones, those of `own` are forgotten. */
  fixDims(plane: Plane, model: string, dims: number): Promise<number>
  /**
   * Takes callers' own vectors from all Units of a plane, under the next seqs; those with a text wait for an embedding.
   * The plane's dimensions are free again. Returns the number of live Units.
   */
  resetOwnVectors(plane: Plane): Promise<number>
  modelChange: ModelChangeWriter
  ingested: DocumentWriter
  sources: SourceWriter
  insertExportLink(link: ExportLinkRow): Promise<void>
  evaluation: EvaluationWriter
  kept: KeptAnswers
  audit(entry: AuditEntry): Promise<void>
}

export interface GrantRow extends Grant {
  principalId: string
  grantedBy: string
  createdAt: number
}
