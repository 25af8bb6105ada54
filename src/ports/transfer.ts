import type { AuditEntry } from '../model/audit.ts'
import type { Namespace } from '../model/registry.ts'
import type { AuditReader } from './audit-reader.ts'
import type { AuditTree } from './audit-tree.ts'

/** What belongs to namespaces, record by record, as it leaves one catalog and comes into another. */
export interface TransferStore {
  /** The kinds of records and their fields, in an order in which each record finds what it refers to. */
  readonly kinds: ReadonlyMap<string, readonly string[]>
  /** The live namespace of a name, or all of them, deleted ones too, by id. */
  namespaces(name: string | null): Promise<TransferNamespace[]>
  /** Runs `work` on the live namespace of a name, or on all of them, as of one moment. Nothing is written meanwhile. */
  read<T>(name: string | null, work: (snapshot: TransferSnapshot) => Promise<T>): Promise<T>
  /**
   * Runs `work` in one transaction; what it throws rolls everything back and is thrown. Others see nothing before the end.
   * Records that the catalog does not take throw `TransferRefusedError`.
   */
  write<T>(namespaceIds: readonly string[], work: (tx: TransferWriter) => Promise<T>): Promise<T>
}

export interface TransferNamespace extends Namespace {
  deleted: boolean
}

export interface TransferSnapshot {
  namespaces: readonly TransferNamespace[]
  /**
   * All that belongs to them: pages of records of one kind, each record a line of JSON with the kind's fields in order. The
   * next page is not read before `take` is done.
   */
  records(take: (kind: string, records: readonly string[]) => Promise<void>): Promise<void>
}

export interface TransferWriter {
  /**
   * Adds records of one kind; kinds come in order. Throws `TransferRefusedError` for what exists already or belongs to none of
   * the namespaces. Returns how many were left out: grants of principals that are not here, users whose e-mail address is
   * somebody's here, and what hangs on these.
   */
  insert(kind: string, records: readonly string[]): Promise<number>
  /** Of one of the namespaces. */
  source(namespaceId: string, id: string): Promise<{ sha256: string } | null>
  /** Once everything is in: counts what is counted, and refuses what would not go on from where it stands. */
  settle(): Promise<void>
  /** As they came in. */
  namespaces(): Promise<TransferNamespace[]>
  audit: AuditReader
  auditTree: AuditTree
  append(namespaceId: string, entry: AuditEntry): Promise<void>
}
