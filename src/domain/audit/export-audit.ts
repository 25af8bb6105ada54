import { type AuditRow, auditActions, auditEntry, type ExportFormat } from '../../model/audit.ts'
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

const apiActivity = { class_uid: 6003, category_uid: 6 }
const entityManagement = { class_uid: 3004, category_uid: 3 }

/** The event of a row, as JSON without a newline. Fields unknown to OCSF go to `unmapped`. */
export function ocsfLine(row: AuditRow, productVersion: string): string {
  // A row may come from a later version than this table.
  const { does, entity } = auditActions.get(row.action) ?? { does: 'other' }
  const [activityId, activityName] = activities[does]
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
