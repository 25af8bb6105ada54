import type { AuditEntry } from '../../model/audit.ts'
import type { Namespace } from '../../model/registry.ts'
import type { AuditReader } from './audit-reader.ts'
import type { AuditTree } from './audit-tree.ts'

/** Exports and imports the data of namespaces, record by record. */
export interface TransferStore {
  /** The kinds of records and their fields. Each record comes after the records that it refers to. */
  readonly kinds: ReadonlyMap<string, readonly string[]>
  /** The live namespace with this name, or all namespaces, including deleted ones, by id. */
  namespaces(name: string | null): Promise<TransferNamespace[]>
  /** Runs `work` on the live namespace with this name, or on all, in one snapshot. Nothing is written meanwhile. */
  read<T>(name: string | null, work: (snapshot: TransferSnapshot) => Promise<T>): Promise<T>
  /**
   * Runs `work` in one transaction. An error in it rolls everything back and is rethrown. Others see nothing before the
   * end. Throws `TransferRefusedError` for records that the catalog does not accept.
   */
  write<T>(namespaceIds: readonly string[], work: (tx: TransferWriter) => Promise<T>): Promise<T>
}

export interface TransferNamespace extends Namespace {
  deleted: boolean
}

export interface TransferSnapshot {
  namespaces: readonly TransferNamespace[]
  /**
   * All their data: pages of records of one kind, each record one line of JSON with the kind's fields in order. The
   * next page is read only after `take` is done.
   */
  records(take: (kind: string, records: readonly string[]) => Promise<void>): Promise<void>
}

export interface TransferWriter {
  /**
   * Adds records of one kind; kinds come in order. Throws `TransferRefusedError` for what already exists, or is not in
   * one of the namespaces. Returns the number of skipped records: grants of principals that do not exist here, users
   * whose e-mail address is in use here, and records that depend on these.
   */
  insert(kind: string, records: readonly string[]): Promise<number>
  /** A source of one of the namespaces. */
  source(namespaceId: string, id: string): Promise<{ sha256: string; bytes: number } | null>
  /** After the last record: computes the counters, and rejects data that could not continue from its state. */
  settle(): Promise<void>
  /** As imported. */
  namespaces(): Promise<TransferNamespace[]>
  audit: AuditReader
  auditTree: AuditTree
  append(namespaceId: string, entry: AuditEntry): Promise<void>
}
