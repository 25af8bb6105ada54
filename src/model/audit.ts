import { createHash } from 'node:crypto'

import canonicalize from 'canonicalize'

export type AuditAction =
  | 'namespace.claim'
  | 'namespace.transfer'
  | 'namespace.update'
  | 'namespace.tier'
  | 'synonyms.set'
  | 'namespace.delete'
  | 'namespace.export'
  | 'namespace.import'
  | 'principal.create'
  | 'principal.update'
  | 'principal.delete'
  | 'principal.provision'
  | 'group.change'
  | 'group.rename'
  | 'grant.create'
  | 'grant.delete'
  | 'invitation.create'
  | 'invitation.accept'
  | 'invitation.revoke'
  | 'key.create'
  | 'key.revoke'
  | 'agent.connect'
  | 'agent.revoke'
  | 'access.explain'
  | 'access.view_as'
  | 'audit.export'
  | 'scope.create'
  | 'scope.update'
  | 'scope.delete'
  | 'scope.sweep'
  | 'units.ingest'
  | 'units.embed'
  | 'units.reembed'
  | 'units.update'
  | 'units.readers'
  | 'units.restore'
  | 'units.delete'
  | 'source.create'
  | 'source.delete'
  | 'document.ingest'
  | 'document.write'
  | 'document.change'
  | 'document.retry'
  | 'document.delete'
  | 'docs.get'
  | 'docs.list'
  | 'docs.facets'
  | 'documents.get'
  | 'documents.list'
  | 'source.link'
  | 'source.read'
  | 'compaction.run'
  | 'plane.switch'
  | 'vectors.remove'
  | 'vectors.reset'
  | 'seed.run'
  | 'seed.rotate'
  | 'billing.checkout'
  | 'billing.portal'
  | 'billing.event'
  | 'billing.tier'
  | 'search.run'
  | 'answer.run'
  | 'units.get'
  | 'units.list'
  | 'golden.create'
  | 'golden.delete'
  | 'evaluation.run'
  | 'report.publish'
  | 'request.refused'

/** The outcome. A refused operation has the error's code. */
export type AuditOutcome = 'ok' | 'upgrade_required' | 'quota_exceeded' | 'forbidden'

/** A record of the log. `detail` has ids and counts, never secrets or Unit texts, and queries only where configured. */
export interface AuditEntry {
  time: number
  principalId: string
  action: AuditAction
  target: string | null
  outcome: AuditOutcome
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

/** The hashed text of a row: its RFC 8785 canonical JSON in wire names, without the two hashes. */
export function auditBody(row: Omit<AuditRow, 'prevHash' | 'hash'>): string {
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
  if (body === undefined) throw new Error('an audit row has no canonical form')
  return body
}

/** SHA-256, hex, over the 32 raw bytes of `prevHash` and the row's canonical JSON. */
export const auditHash = (row: Omit<AuditRow, 'hash'>): string =>
  createHash('sha256').update(Buffer.from(row.prevHash, 'hex')).update(auditBody(row)).digest('hex')

/** Actions whose target is a Unit: callers that may read it may see the row. */
export const unitActions: readonly AuditAction[] = [
  'access.explain',
  'source.link',
  'source.read',
  'units.embed',
  'units.get',
  'units.update',
]

/** What a page does when it is opened: lists, counts and looks. */
export const readActions: readonly AuditAction[] = [
  'docs.facets',
  'docs.get',
  'docs.list',
  'documents.get',
  'documents.list',
  'source.link',
  'source.read',
  'units.get',
  'units.list',
]

/** Actions whose target is a principal, which may see the row. */
export const principalActions: readonly AuditAction[] = ['access.view_as']

/** Actions whose target is a scope path or `*`: callers that may read there may see the row. */
export const scopeActions: readonly AuditAction[] = [
  'access.explain',
  'scope.create',
  'scope.update',
  'scope.delete',
  'units.ingest',
  'units.readers',
  'units.restore',
  'units.delete',
]

/** The format of an exported log: its rows, which can be verified, or OCSF events for a SIEM. */
export const exportFormats = ['ndjson', 'ocsf'] as const

export type ExportFormat = (typeof exportFormats)[number]

/** Who did it, and in which request. A Session is an actor. */
export interface Actor {
  principalId: string
  requestId: string
  /** The protocol of the request, if it is neither REST nor GraphQL; it is added to the detail. */
  via?: string | undefined
  /** The OAuth client that a person lets act, if it was one; it is added to the detail. */
  client?: string | undefined
}

/** Builds an entry. For a mutation, record it in the mutation's transaction. */
export const auditEntry = (
  { principalId, requestId, via, client }: Actor,
  time: number,
  action: AuditAction,
  target: string | null,
  detail: AuditEntry['detail'],
  outcome: AuditOutcome = 'ok',
): AuditEntry => ({
  time,
  principalId,
  action,
  target,
  outcome,
  requestId,
  detail: { ...detail, ...(via !== undefined && { via }), ...(client !== undefined && { client }) },
})
