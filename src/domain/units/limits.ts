import { forbidden, type InputPath, InvalidInput, quotaExceeded, upgradeRequired } from '../../errors.ts'
import type { Scope } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { type TierName, tiers } from '../../model/tiers.ts'
import type { Plane } from '../../model/unit.ts'

const maxUnitsPerDocument = 10_000

/** Errors: 402 for a plane beyond the tier, 403 for one that the key keeps closed. */
export function requirePlane(session: Session, plane: Plane): void {
  const tier = tiers[session.namespace.tier]
  if (!tier.planes.includes(plane)) {
    throw upgradeRequired(`the plane ${plane} is not part of the ${tier.name} tier`, tier.requiredTier)
  }
  if (!session.planes.includes(plane)) throw forbidden(`the key does not open the plane ${plane}`)
}

/** 400, naming the field at `path`, for a plane that the scope has not enabled. */
export function requireEnabled(scope: Scope | undefined, plane: Plane, path: InputPath): void {
  if (scope?.planes.includes(plane)) return
  throw new InvalidInput(path, `scope ${scope?.scope} does not enable the plane ${plane}`)
}

export function checkDocuments(unitsByDocument: ReadonlyMap<string, number>, path: InputPath): void {
  for (const [docId, units] of unitsByDocument) {
    if (units > maxUnitsPerDocument) {
      throw new InvalidInput(path, `doc_id ${docId} would hold more than ${maxUnitsPerDocument} Units`)
    }
  }
}

/** A namespace that is beyond its cap already (after a downgrade) may still change what it has. */
export function checkQuota(tierName: TierName, before: number, after: number): void {
  const tier = tiers[tierName]
  if (tier.maxDocuments !== null && after > tier.maxDocuments && after > before) {
    throw quotaExceeded(`the ${tier.name} tier holds at most ${tier.maxDocuments} documents`, tier.requiredTier)
  }
}
