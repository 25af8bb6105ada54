import type { Session } from '../../model/session.ts'
import type { NamespaceWriter } from '../../ports/catalog/namespace-writer.ts'
import type { IdentifiedUnit } from './known-units.ts'

/**
 * Tells for each Unit of a batch whether its writer itself names the source. If another principal changed the source of
 * the Unit, it would open the writer's sources to everyone who reads the Unit. A restricted key names only what was uploaded
 * with it: other sources of its principal may be of Units outside of its restrictions. A source that stays, stays as it is.
 */
export async function namedByWriter(
  session: Session,
  tx: NamespaceWriter,
  units: readonly IdentifiedUnit[],
): Promise<(unit: IdentifiedUnit) => boolean> {
  const { principalId, facts } = session
  const isRestricted = Object.keys(facts.restrictions).length > 0
  const uris = isRestricted ? units.flatMap(({ sourceUri }) => sourceUri ?? []) : []
  const open = uris.length === 0 ? [] : await tx.sources.uploadedBy(principalId, facts.keyHash ?? null, uris)
  const uploaded = new Set(open)
  return ({ writer, sourceUri = null, known }) => {
    if (sourceUri === null || (known?.sourceUri === sourceUri && known.sourceByWriter)) return true
    return writer === principalId && (!isRestricted || uploaded.has(sourceUri))
  }
}
