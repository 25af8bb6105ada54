import { auditEntry } from '../../model/audit-entry.ts'
import type { Session } from '../../model/session.ts'
import type { NamespaceWriter } from '../../ports/catalog/namespace-writer.ts'
import { admit } from '../access/gate.ts'
import { tokenHash } from '../access/tokens.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import type { ExportInput } from './audit-input.ts'
import { requireAuditTier } from './list-audit.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & Pick<DomainSettings, 'publicOrigin'>

export interface AuditExport {
  /** Absolute if the service knows its origin; otherwise a path on the origin of the request. */
  url: string
  /** Epoch milliseconds. */
  expiresAt: number
}

const linkMs = 10 * 60_000

/**
 * Creates a link that exports the whole log of the target namespace once, within ten minutes, without a credential. Its
 * token is shown only now: only its hash is stored. Errors: 403 except for admins; 402 on a tier without the log.
 */
export async function exportAudit(deps: Deps, session: Session, { format }: ExportInput): Promise<AuditExport> {
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
