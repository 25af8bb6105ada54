import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** What the log says of an action besides its name. */
interface ActionFacts {
  does: 'create' | 'read' | 'update' | 'delete' | 'other'
  /** The kind of entity that it manages: what a SIEM counts as Entity Management. */
  entity?: 'namespace' | 'principal' | 'group' | 'grant' | 'invitation' | 'key' | 'agent' | 'scope'
  /** Its target is one of these: who may read the Unit or in the scope, or is the principal, may see the row. */
  seenBy?: readonly ('unit' | 'scope' | 'principal')[]
  /** What a page does when it is opened: it lists, counts or looks. */
  isLook?: true
}

const actions = {
  'namespace.claim': { does: 'create', entity: 'namespace' },
  'namespace.transfer': { does: 'update', entity: 'namespace' },
  'namespace.update': { does: 'update', entity: 'namespace' },
  'namespace.tier': { does: 'update', entity: 'namespace' },
  'synonyms.set': { does: 'update', entity: 'namespace' },
  'namespace.delete': { does: 'delete', entity: 'namespace' },
  'namespace.export': { does: 'read', entity: 'namespace' },
  'namespace.import': { does: 'create', entity: 'namespace' },
  'principal.create': { does: 'create', entity: 'principal' },
  'principal.update': { does: 'update', entity: 'principal' },
  'principal.delete': { does: 'delete', entity: 'principal' },
  'principal.provision': { does: 'create', entity: 'principal' },
  'group.change': { does: 'update', entity: 'group' },
  'group.rename': { does: 'update', entity: 'group' },
  'grant.create': { does: 'create', entity: 'grant' },
  'grant.delete': { does: 'delete', entity: 'grant' },
  'invitation.create': { does: 'create', entity: 'invitation' },
  'invitation.accept': { does: 'update', entity: 'invitation' },
  'invitation.revoke': { does: 'delete', entity: 'invitation' },
  'key.create': { does: 'create', entity: 'key' },
  'key.revoke': { does: 'delete', entity: 'key' },
  'agent.connect': { does: 'create', entity: 'agent' },
  'agent.revoke': { does: 'delete', entity: 'agent' },
  'scope.create': { does: 'create', entity: 'scope', seenBy: ['scope'] },
  'scope.update': { does: 'update', entity: 'scope', seenBy: ['scope'] },
  'scope.delete': { does: 'delete', entity: 'scope', seenBy: ['scope'] },
  'scope.sweep': { does: 'delete' },
  'access.explain': { does: 'read', seenBy: ['unit', 'scope'] },
  'access.view_as': { does: 'read', seenBy: ['principal'] },
  'audit.export': { does: 'read' },
  'units.ingest': { does: 'create', seenBy: ['scope'] },
  'units.embed': { does: 'update', seenBy: ['unit'] },
  'units.reembed': { does: 'update' },
  'units.update': { does: 'update', seenBy: ['unit'] },
  'units.readers': { does: 'update', seenBy: ['scope'] },
  'units.restore': { does: 'update', seenBy: ['scope'] },
  'units.delete': { does: 'delete', seenBy: ['scope'] },
  'units.get': { does: 'read', seenBy: ['unit'], isLook: true },
  'units.list': { does: 'read', isLook: true },
  'source.create': { does: 'create' },
  'source.delete': { does: 'delete' },
  'document.ingest': { does: 'create' },
  'document.write': { does: 'update' },
  'document.change': { does: 'update' },
  'document.retry': { does: 'update' },
  'document.delete': { does: 'delete' },
  'documents.get': { does: 'read', isLook: true },
  'docs.get': { does: 'read', isLook: true },
  'docs.list': { does: 'read', isLook: true },
  'docs.facets': { does: 'read', isLook: true },
  'documents.list': { does: 'read', isLook: true },
  'source.link': { does: 'create', seenBy: ['unit'], isLook: true },
  'source.read': { does: 'read', seenBy: ['unit'], isLook: true },
  'compaction.run': { does: 'update' },
  'plane.switch': { does: 'update' },
  'vectors.remove': { does: 'delete' },
  'vectors.reset': { does: 'delete' },
  'seed.run': { does: 'create' },
  'seed.rotate': { does: 'update' },
  'search.run': { does: 'read' },
  'answer.run': { does: 'read' },
  'billing.checkout': { does: 'create' },
  'billing.portal': { does: 'create' },
  'billing.event': { does: 'update' },
  'billing.tier': { does: 'update', entity: 'namespace' },
  'golden.create': { does: 'create' },
  'golden.delete': { does: 'delete' },
  'evaluation.run': { does: 'other' },
  'report.publish': { does: 'create' },
  // The refused operation is in its detail.
  'request.refused': { does: 'other' },
} as const satisfies Record<string, ActionFacts>

export type AuditAction = keyof typeof actions

/** By names of actions. Rows of a later version may have others. */
export const auditActions: ReadonlyMap<string, ActionFacts> = new Map(Object.entries(actions))

const actionsThat = (meet: (facts: ActionFacts) => boolean | undefined): readonly AuditAction[] =>
  (Object.keys(actions) as AuditAction[]).filter((name) => meet(actions[name]))

export const unitActions = actionsThat(({ seenBy }) => seenBy?.includes('unit'))
export const scopeActions = actionsThat(({ seenBy }) => seenBy?.includes('scope'))
export const principalActions = actionsThat(({ seenBy }) => seenBy?.includes('principal'))
export const lookActions = actionsThat(({ isLook }) => isLook)

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
