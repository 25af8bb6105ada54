import { upgradeRequired } from '../../errors.ts'
import { lookActions } from '../../model/audit.ts'
import { overlap, type ScopePattern } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import type { AuditReader, AuditVisibility } from '../../ports/catalog.ts'
import { admit, readsWhole } from '../access/gate.ts'
import { visibilityOf } from '../access/visibility.ts'
import { nextCursor } from '../input/page.ts'
import type { ListInput } from './audit-input.ts'

/**
 * A page of the target namespace's log. `cursor` is an offset from the newest row that meets the filter and that the
 * caller may see. Errors: 403 for a caller who may neither read nor administer anything there; 402 on a tier without the
 * log.
 */
export async function listAudit(
  audit: AuditReader,
  session: Session,
  { filter: { ownReads, ...filter }, ...range }: ListInput,
) {
  admit(session, 'audit')
  requireAuditTier(session)
  const { namespace } = session
  const visibility = auditVisibilityOf(session)
  const without = ownReads === false ? { principalId: session.principalId, actions: lookActions } : undefined
  const { items: rows, count } = await audit.page(namespace, visibility, range, { ...filter, without })
  return { namespace: namespace.name, rows, count, whole: visibility === 'all', nextCursor: nextCursor(range, count) }
}

export function requireAuditTier({ namespace }: Session): void {
  const tier = tiers[namespace.tier]
  if (tier.audit) return
  throw upgradeRequired('the audit log requires', namespace, tier.requiredTier)
}

/**
 * An admin principal whose key is not restricted to some of the Units sees everything. Others see their own rows, those
 * of Units and scopes that they may read, and who looked on as them.
 */
export function auditVisibilityOf(session: Session): AuditVisibility {
  if (session.isAdmin && readsWhole(session)) return 'all'
  const { scopePrefix, planes, groups } = session.facts.restrictions
  // A key that limits visible Units also limits its principal's own rows: they may name what is outside.
  const isNarrowed = [scopePrefix, planes, groups].some((restriction) => restriction !== undefined)
  return {
    ownOf: isNarrowed ? null : session.principalId,
    units: visibilityOf(session, 'read'),
    scopes: readablePatterns(session),
  }
}

/** The readable part of the requested scope; nothing if the scope itself is not readable. */
function readablePatterns(session: Session): ScopePattern[] {
  const { requestedScope } = session
  if (!session.mayUnder('read', requestedScope)) return []
  const { roots } = session.scopesWith('read')
  return roots.map((root) => overlap(root, requestedScope)).filter((pattern) => pattern !== null)
}
