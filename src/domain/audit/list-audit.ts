import { forbidden, upgradeRequired } from '../../errors.ts'
import type { AuditRow } from '../../model/audit.ts'
import { overlap } from '../../model/scope-path.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import type { AuditReader, AuditSight } from '../../ports/audit-reader.ts'
import { visibilityOf } from '../access/visibility-of.ts'
import { pageInput } from '../input/page.ts'
import { parse } from '../input/parse.ts'

export interface AuditPage {
  namespace: string
  /** Newest first. */
  rows: AuditRow[]
  /** Of all pages: the rows that the caller may see. */
  count: number
  nextCursor: number | null
}

/**
 * A page of the target namespace's log; `cursor` is an offset from the newest among the rows that the caller may see.
 * Errors: 400; 403 for a caller who may neither read nor administer anything there; 402 on a tier without the log.
 */
export async function listAudit(audit: AuditReader, session: Session, input: unknown): Promise<AuditPage> {
  const { limit, cursor } = parse(pageInput, input)
  if (!session.mayUnder('read', '*') && !session.mayUnder('admin', '*')) {
    throw forbidden('read or admin permission is required')
  }
  requireAuditTier(session)
  const { rows, count } = await audit.page(session.namespace, sightOf(session), cursor, limit)
  const nextCursor = cursor + limit < count ? cursor + limit : null
  return { namespace: session.namespace.name, rows, count, nextCursor }
}

export function requireAuditTier({ namespace }: Session): void {
  const tier = tiers[namespace.tier]
  if (!tier.audit) throw upgradeRequired(`the ${tier.name} tier has no audit log`, tier.requiredTier)
}

/** An admin principal sees everything; others their own rows, and those of the Units and scopes that they may read. */
export function sightOf(session: Session): AuditSight {
  if (session.isAdmin) return 'all'
  const { scopePrefix, planes, groups } = session.facts.restrictions
  // A key that narrows what may be seen narrows its principal's own rows too: they may name what lies outside.
  const isNarrowed = [scopePrefix, planes, groups].some((restriction) => restriction !== undefined)
  return {
    ownOf: isNarrowed ? null : session.principalId,
    units: visibilityOf(session, 'read'),
    scopes: session
      .scopesWith('read')
      .roots.map((root) => overlap(root, session.requestedScope))
      .filter((root) => root !== null),
  }
}
