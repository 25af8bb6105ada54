/** What a snapshot counts, to compare a restored copy with. */
export interface BackupCounts {
  namespaces: number
  principals: number
  /** Live ones. */
  units: number
  sources: number
  audit_rows: number
}

/** The end of the audit log of a namespace. */
export interface BackupHead {
  namespace: string
  seq: number
  hash: string
}

/** The moment that a snapshot shows. */
export interface BackupMoment {
  /** Epoch milliseconds. */
  asOf: number
  counts: BackupCounts
  heads: readonly BackupHead[]
  /** Sizes of the audit logs by the ids of their namespaces: what anchors may know. */
  logs: Readonly<Record<string, number>>
  /** The files of the database's log from the checkpoint on, and how much of the last one belongs to the moment. */
  log: { first: string; last: string; lastBytes: number }
}

/**
 * A database whose files can be copied: until `release`, it makes no checkpoint. `mark` ends the snapshot: everything
 * committed before belongs to it. From then until `release` no bytes of sources are removed, so it must be short.
 */
export interface BackupHold {
  mark(): Promise<BackupMoment>
  release(): Promise<void>
}

/** The backup, or its place, is not as it must be: damaged, foreign, newer. Nothing was changed. */
export class BackupRefusedError extends Error {
  override readonly name = 'BackupRefusedError'
}
