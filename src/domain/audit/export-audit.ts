import { type AuditAction, type AuditRow, auditEntry, type ExportFormat } from '../../model/audit.ts'
import { auditLine } from '../../model/audit-wire.ts'
import type { Namespace } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import type { AuditReader, NamespaceWriter } from '../../ports/catalog.ts'
import { admit, sessionOf } from '../access/gate.ts'
import { tokenHash } from '../access/tokens.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import type { ExportInput } from './audit-input.ts'
import { requireAuditTier } from './list-audit.ts'

/**
 * Audit rows as events of the Open Cybersecurity Schema Framework, https://schema.ocsf.io/1.9.0/: changes of the
 * registries are Entity Management (3004), everything else is API Activity (6003).
 */
const schemaVersion = '1.9.0'

const activities = {
  create: [1, 'Create'],
  read: [2, 'Read'],
  update: [3, 'Update'],
  delete: [4, 'Delete'],
  other: [99, 'Other'],
} as const

type Activity = keyof typeof activities
type Mapping = readonly [activity: Activity, entity?: string]

/** What an action does, and the kind of managed entity if there is one. */
const actions: Record<AuditAction, Mapping> = {
  'namespace.claim': ['create', 'namespace'],
  'namespace.transfer': ['update', 'namespace'],
  'namespace.update': ['update', 'namespace'],
  'namespace.tier': ['update', 'namespace'],
  'synonyms.set': ['update', 'namespace'],
  'namespace.delete': ['delete', 'namespace'],
  'namespace.export': ['read', 'namespace'],
  'namespace.import': ['create', 'namespace'],
  'principal.create': ['create', 'principal'],
  'principal.update': ['update', 'principal'],
  'principal.delete': ['delete', 'principal'],
  'principal.provision': ['create', 'principal'],
  'group.change': ['update', 'group'],
  'group.rename': ['update', 'group'],
  'grant.create': ['create', 'grant'],
  'grant.delete': ['delete', 'grant'],
  'invitation.create': ['create', 'invitation'],
  'invitation.accept': ['update', 'invitation'],
  'invitation.revoke': ['delete', 'invitation'],
  'key.create': ['create', 'key'],
  'key.revoke': ['delete', 'key'],
  'agent.connect': ['create', 'agent'],
  'agent.revoke': ['delete', 'agent'],
  'scope.create': ['create', 'scope'],
  'scope.update': ['update', 'scope'],
  'scope.delete': ['delete', 'scope'],
  'scope.sweep': ['delete'],
  'access.explain': ['read'],
  'access.view_as': ['read'],
  'audit.export': ['read'],
  'units.ingest': ['create'],
  'units.embed': ['update'],
  'units.reembed': ['update'],
  'units.update': ['update'],
  'units.readers': ['update'],
  'units.restore': ['update'],
  'units.delete': ['delete'],
  'units.get': ['read'],
  'units.list': ['read'],
  'source.create': ['create'],
  'source.delete': ['delete'],
  'document.ingest': ['create'],
  'document.write': ['update'],
  'document.change': ['update'],
  'document.retry': ['update'],
  'document.delete': ['delete'],
  'documents.get': ['read'],
  'docs.get': ['read'],
  'docs.list': ['read'],
  'docs.facets': ['read'],
  'documents.list': ['read'],
  'source.link': ['create'],
  'source.read': ['read'],
  'compaction.run': ['update'],
  'plane.switch': ['update'],
  'vectors.remove': ['delete'],
  'vectors.reset': ['delete'],
  'seed.run': ['create'],
  'seed.rotate': ['update'],
  'search.run': ['read'],
  'answer.run': ['read'],
  'billing.checkout': ['create'],
  'billing.portal': ['create'],
  'billing.event': ['update'],
  'billing.tier': ['update', 'namespace'],
  'golden.create': ['create'],
  'golden.delete': ['delete'],
  'evaluation.run': ['other'],
  'report.publish': ['create'],
  // The refused operation is in its detail.
  'request.refused': ['other'],
}
const mappings = new Map<string, Mapping>(Object.entries(actions))

const apiActivity = { class_uid: 6003, category_uid: 6 }
const entityManagement = { class_uid: 3004, category_uid: 3 }

/** The event of a row, as JSON without a newline. Fields unknown to OCSF go to `unmapped`. */
export function ocsfLine(row: AuditRow, productVersion: string): string {
  // A row may come from a later version than this table.
  const [activity, entity] = mappings.get(row.action) ?? ['other']
  const [activityId, activityName] = activities[activity]
  const { class_uid, category_uid } = entity === undefined ? apiActivity : entityManagement
  const api = { operation: row.action, request: { uid: row.requestId } }
  return JSON.stringify({
    activity_id: activityId,
    activity_name: activityName,
    category_uid,
    class_uid,
    type_uid: class_uid * 100 + activityId,
    severity_id: 1,
    status_id: row.outcome === 'ok' ? 1 : 2,
    status_code: row.outcome,
    time: row.time,
    metadata: {
      version: schemaVersion,
      product: { name: 'multimodal-retrieval', vendor_name: 'multimodal-retrieval', version: productVersion },
      uid: `${row.namespace}/${row.seq}`,
      sequence: row.seq,
      tenant_uid: row.namespace,
      correlation_uid: row.requestId,
      event_code: row.action,
      log_name: 'audit',
    },
    actor: { user: { uid: row.principalId } },
    ...(entity === undefined
      ? { api, ...unknownSource, ...resourcesOf(row) }
      : { entity: { type: entity, uid: row.target ?? row.namespace } }),
    unmapped: { detail: row.detail, prev_hash: row.prevHash, hash: row.hash },
  })
}

/** A required field, but rows do not store the source of a request. */
const unknownSource = { src_endpoint: { name: 'unknown' } }

const resourcesOf = ({ target, namespace }: AuditRow) =>
  target === null ? {} : { resources: [{ uid: target, namespace }] }

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'> &
  Pick<DomainSettings, 'publicOrigin' | 'superAdminToken' | 'version'>

const linkMs = 10 * 60_000

/**
 * Creates a link that exports the whole log of the target namespace once, within ten minutes, without a credential. Its
 * token is shown only now: only its hash is stored. Errors: 403 except for admins; 402 on a tier without the log.
 */
export async function exportAudit(deps: Deps, session: Session, { format }: ExportInput) {
  admit(session, 'exportAudit')
  requireAuditTier(session)
  const { principalId, facts, namespace } = session
  const now = deps.clock.now()
  // A link that outlives the key of its creator would bypass the key's expiry.
  const expiresAt = Math.min(now + linkMs, facts.keyExpiresAt ?? Number.POSITIVE_INFINITY)
  const token = deps.random.base62(32)
  const write = async (tx: NamespaceWriter) => {
    await tx.insertExportLink({ hash: tokenHash(token), principalId, format, expiresAt })
    await tx.audit(auditEntry(session, now, 'audit.export', null, { format, expires_at: expiresAt }))
    return { url: `${deps.publicOrigin ?? ''}/exports/${token}`, expiresAt }
  }
  // The log of a deleted namespace is still open to the super-admin.
  return deps.catalog.transact(namespace.id, write, { orDeleted: session.facts.isDeleted === true })
}

interface OpenedExport {
  namespace: string
  format: ExportFormat
  /** Lines by seq, ascending, up to the head at opening; each chunk has several lines, each with its newline. */
  text: AsyncIterable<string>
}

/** Rows in memory at a time. */
const pageRows = 1000

/**
 * Uses a link, or only checks it. Null for an unknown, used or expired link. Null too if its owner could not request it
 * any more: the principal, its grants, the namespace or its tier may have changed.
 */
export async function openExport(
  deps: Deps,
  token: string,
  requestId: string,
  { peek }: { peek: boolean },
): Promise<OpenedExport | null> {
  const { exports } = deps.catalog
  const link = await (peek ? exports.find(tokenHash(token)) : exports.take(tokenHash(token)))
  if (!link || link.expiresAt <= deps.clock.now()) return null
  const { principalId, format } = link
  const session = await sessionOf(deps, principalId, link.namespace.name, requestId)
  if (!session?.isAdmin || !tiers[session.namespace.tier].audit) return null
  const { namespace } = session
  const { audit } = deps.catalog
  const { head } = await audit.end(namespace.id)
  const line = format === 'ocsf' ? (row: AuditRow) => ocsfLine(row, deps.version) : auditLine
  return { namespace: namespace.name, format, text: linesUpTo(audit, namespace, head.seq, line) }
}

async function* linesUpTo(
  audit: AuditReader,
  namespace: Namespace,
  head: number,
  line: (row: AuditRow) => string,
): AsyncGenerator<string> {
  for (let last = 0; ; ) {
    const rows = await audit.between(namespace, last, head, pageRows)
    if (rows.length > 0) yield rows.map((row) => `${line(row)}\n`).join('')
    if (rows.length < pageRows) return
    last = rows.at(-1)?.seq ?? head
  }
}
