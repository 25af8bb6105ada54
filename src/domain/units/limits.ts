import { type InputPath, InvalidInputError, quotaExceeded, upgradeRequired } from '../../errors.ts'
import type { Scope } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import type { Plane } from '../../model/unit.ts'
import type { NamespaceWriter } from '../../ports/catalog.ts'
import { requireKeyPlanes } from '../access/gate.ts'

/** Maximum Units of one writer in a document. */
const maxUnitsPerDocument = 10_000

/** Errors: 403 for a plane that the key does not allow, 402 for one that the tier does not include. */
export function requirePlane(session: Session, plane: Plane): void {
  requireKeyPlanes(session, [plane])
  const tier = tiers[session.namespace.tier]
  if (!tier.planes.includes(plane)) {
    throw upgradeRequired(`the plane ${plane} requires`, session.namespace, tier.requiredTier)
  }
}

/** The scope has not enabled the plane of a Unit. */
export class PlaneDisabledError extends InvalidInputError {
  override readonly name = 'PlaneDisabledError'
}

/** A document has too many Units of one writer. */
export class TooManyUnitsError extends InvalidInputError {
  override readonly name = 'TooManyUnitsError'
}

/** 400, with the field at `path`, for a plane that the scope has not enabled. */
export function requireEnabled(scope: Scope | undefined, plane: Plane, path: InputPath): void {
  if (scope?.planes.includes(plane)) return
  throw new PlaneDisabledError(
    path,
    `scope ${scope?.scope} does not enable the plane ${plane}, only ${scope?.planes.join(', ')}`,
  )
}

/**
 * Refuses a document with too many Units of one of these writers. Each writer has its own count: Units of other writers
 * may be hidden, and must not block anyone. `unitsByDocument` counts all of them.
 */
export async function checkDocuments(
  tx: NamespaceWriter,
  unitsByDocument: ReadonlyMap<string, number>,
  writers: ReadonlySet<string>,
  path: InputPath,
): Promise<void> {
  const large = [...unitsByDocument].filter(([, units]) => units > maxUnitsPerDocument).map(([docId]) => docId)
  if (large.length === 0) return
  for (const { docId, writer, units } of await tx.units.writersOf(large)) {
    if (units > maxUnitsPerDocument && writers.has(writer)) {
      throw new TooManyUnitsError(path, `document ${docId} may have at most ${maxUnitsPerDocument} Units of one writer`)
    }
  }
}

/**
 * Runs a change of at most `units` Units, and enforces the tier's maximum number of documents. A namespace that is
 * already above it (after a downgrade) may still change existing documents. Errors: 402 after the change, which then
 * rolls back.
 */
export async function withinCap<T>(tx: NamespaceWriter, units: number, change: () => Promise<T>): Promise<T> {
  const { name, maxDocuments, requiredTier } = tiers[tx.namespace.tier]
  // Each Unit adds at most one document: far below the limit nothing needs to be counted.
  if (maxDocuments === null || tx.documents() + units <= maxDocuments) return change()
  const before = await tx.liveDocuments()
  const result = await change()
  const after = await tx.liveDocuments()
  if (after > maxDocuments && after > before) {
    throw quotaExceeded(`the ${name} tier allows at most ${maxDocuments} documents`, tx.namespace, requiredTier)
  }
  return result
}
