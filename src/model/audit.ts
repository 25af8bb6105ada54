import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

export type AuditAction =
  | 'namespace.claim'
  | 'namespace.delete'
  | 'principal.create'
  | 'principal.delete'
  | 'principal.provision'
  | 'grant.create'
  | 'grant.delete'
  | 'key.create'
  | 'key.revoke'
  | 'access.explain'
  | 'scope.create'
  | 'scope.update'
  | 'scope.delete'
  | 'scope.sweep'
  | 'units.ingest'
  | 'units.embed'
  | 'units.update'
  | 'units.restore'
  | 'units.delete'
  | 'source.create'
  | 'compaction.run'
  | 'seed.run'

/** What a mutation records. `detail` holds ids and counts, never texts, queries or secrets. */
export interface AuditEntry {
  time: number
  principalId: string
  action: AuditAction
  target: string | null
  outcome: 'ok'
  requestId: string
  detail: Readonly<Record<string, string | number | boolean | null>>
}

/** One link of a namespace's chain: its own gapless `seq`, starting at 1. */
export interface AuditRow extends AuditEntry {
  namespace: string
  seq: number
  prevHash: string
  hash: string
}

/** The `prev_hash` of a chain's first row. */
export const genesisHash = '0'.repeat(64)

/** SHA-256, hex, over the 32 raw bytes of `prevHash` and the row's RFC 8785 canonical JSON in its wire names. */
export function auditHash(row: Omit<AuditRow, 'hash'>): string {
  const body = canonicalize({
    namespace: row.namespace,
    seq: row.seq,
    time: row.time,
    principal_id: row.principalId,
    action: row.action,
    target: row.target,
    outcome: row.outcome,
    request_id: row.requestId,
    detail: row.detail,
  })
  return createHash('sha256').update(Buffer.from(row.prevHash, 'hex')).update(`${body}`).digest('hex')
}
