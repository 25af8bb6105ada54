import type { AccessReader } from '../adapters/catalog/sql/access.ts'
import type { AgentStore } from '../adapters/catalog/sql/agents.ts'
import type { AuditReader, ExportLinks } from '../adapters/catalog/sql/audit.ts'
import type { AuditTree } from '../adapters/catalog/sql/audit-tree.ts'
import type { BillingStore } from '../adapters/catalog/sql/billing.ts'
import type { SignInRecords, TokenStore } from '../adapters/catalog/sql/credentials.ts'
import type { DocReader } from '../adapters/catalog/sql/docs.ts'
import type { DocumentReader } from '../adapters/catalog/sql/documents.ts'
import type { EvaluationReader } from '../adapters/catalog/sql/evaluation.ts'
import type { GroupReader } from '../adapters/catalog/sql/groups.ts'
import type { ChangeReader } from '../adapters/catalog/sql/index-changes.ts'
import type { IndexCursors } from '../adapters/catalog/sql/index-cursors.ts'
import type { InvitationReader } from '../adapters/catalog/sql/invitations.ts'
import type { ModelChangeReader } from '../adapters/catalog/sql/plane-models.ts'
import type { Provisioner } from '../adapters/catalog/sql/provisioner.ts'
import type { UnitReader } from '../adapters/catalog/sql/read-units.ts'
import type { RegistryReader } from '../adapters/catalog/sql/registry.ts'
import type { KeptAnswers, RequestCounts } from '../adapters/catalog/sql/requests.ts'
import type { SourceLinks, SourceReader } from '../adapters/catalog/sql/sources.ts'
import type { TransferStore } from '../adapters/catalog/sql/transfer.ts'
import type { UsageStore } from '../adapters/catalog/sql/usage.ts'
import type { NamespaceWriter } from '../adapters/catalog/sql/writer.ts'

export type { AccessReader, Membership } from '../adapters/catalog/sql/access.ts'
export type { AgentConnection, FoundToken, OauthClient } from '../adapters/catalog/sql/agents.ts'
export type { AuditReader, AuditVisibility } from '../adapters/catalog/sql/audit.ts'
export type { AuditTree, TreeNode } from '../adapters/catalog/sql/audit-tree.ts'
export type { BillingWriter, RaisedNamespace } from '../adapters/catalog/sql/billing.ts'
export type { ApiKey, TokenUse } from '../adapters/catalog/sql/credentials.ts'
export type { ClaimedDocument, HeldRun, RunEnd } from '../adapters/catalog/sql/document-records.ts'
export type {
  DocumentFilter,
  DocumentReader,
  DocumentUnit,
  SeenDocument,
  UploadedSource,
} from '../adapters/catalog/sql/documents.ts'
export type { SequencedQuery } from '../adapters/catalog/sql/evaluation.ts'
export type { GroupReader, GroupRecord, Membership as GroupMembership } from '../adapters/catalog/sql/groups.ts'
export type { Stored } from '../adapters/catalog/sql/head.ts'
export type { IndexCursors, IndexLease } from '../adapters/catalog/sql/index-cursors.ts'
export type { InvitationReader, InvitationRecord } from '../adapters/catalog/sql/invitations.ts'
export type { ChangeProgress, ChangingPlane, ModelChange } from '../adapters/catalog/sql/plane-models.ts'
export type { Provisioner, Revoked } from '../adapters/catalog/sql/provisioner.ts'
export type { UnitRow } from '../adapters/catalog/sql/put-units.ts'
export type { AskedValues, PlaneModel, UnitReader, UnitValues } from '../adapters/catalog/sql/read-units.ts'
export type { RegistryReader } from '../adapters/catalog/sql/registry.ts'
export type { KeptAnswer, KeptAnswers } from '../adapters/catalog/sql/requests.ts'
export type {
  KnownUnit,
  StoredUnit,
  UnitReach,
  UnitSelection,
  Visibility,
} from '../adapters/catalog/sql/select-units.ts'
export type { ContentType, Rendition, SourceRow, StoredSource, UploadRow } from '../adapters/catalog/sql/sources.ts'
export type { TransferNamespace, TransferWriter } from '../adapters/catalog/sql/transfer.ts'
export type { HourCounts, HourUsage, UsageStore } from '../adapters/catalog/sql/usage.ts'
export type { NamespaceWriter } from '../adapters/catalog/sql/writer.ts'

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
  /** The same as in a transaction, for what is decided before it. */
  knownUnits(namespaceId: string): Pick<NamespaceWriter['units'], 'read' | 'findExternal'>
  changes: ChangeReader
  indexCursors: IndexCursors
  modelChanges: ModelChangeReader
  usage: UsageStore
  sources: SourceReader
  documents: DocumentReader
  docs: DocReader
  sourceLinks: SourceLinks
  registry: RegistryReader
  groups: GroupReader
  /** What signing in keeps in the catalog's tables. */
  signIn: SignInRecords
  invitations: InvitationReader
  tokens: TokenStore
  agents: AgentStore
  audit: AuditReader
  auditTree: AuditTree
  exports: ExportLinks
  kept: KeptAnswers
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
