import { forbidden, InvalidInputError } from '../../errors.ts'
import type { Session } from '../../model/session.ts'
import type { KnownUnit, NamespaceWriter, StoredUnit } from '../../ports/catalog.ts'
import { bounds, changedAcl, mayChangeAcl, type SentAcl } from '../access/visibility.ts'
import { reachOf } from './delete-units.ts'
import type { EmbeddedUnit } from './place-units.ts'

/** In a transaction that writes, or beside it. */
interface UnitFinder {
  units: Pick<NamespaceWriter['units'], 'read' | 'findExternal'>
}

type SentUnit = EmbeddedUnit & { scopeId: string }

/** A Unit of a batch with its resolved identity, and the Unit that it replaces. */
export type IdentifiedUnit = Omit<SentUnit, 'externalId' | 'aclOwner'> & {
  externalId: string | null
  writer: string
  aclOwner: string
  known: KnownUnit | undefined
}

/**
 * Finds the Units that a batch replaces. A `unitId` means the readable Unit with this id in the scope; that Unit keeps
 * its owner, external id and writer. If there is none, or it is hidden, the id is used as the external id, by which
 * each writer finds its own Units. Errors: 400 with the Unit and field; 403 if a Unit of the writer is outside the
 * planes or groups of its key, or for an ACL that the caller may not change.
 */
export async function identify(session: Session, tx: UnitFinder, sent: readonly SentUnit[]): Promise<IdentifiedUnit[]> {
  const named = await findNamed(session, tx, sent)
  const units = sent.map((unit, index): IdentifiedUnit => {
    const found = named.get(unit.unitId ?? '')
    return found?.scopeId === unit.scopeId ? kept(found, unit, index) : own(session, unit, index)
  })
  const ownUnits = await findOwn(session, tx, units)
  const identified = units.map((unit, index) =>
    withAcl(session, { ...unit, known: unit.known ?? ownUnits.get(keyOf(unit)) }, sent[index], index),
  )
  refuseRepeated(identified)
  return identified
}

function kept(found: StoredUnit, unit: SentUnit, index: number): IdentifiedUnit {
  const { externalId, writer } = found
  const aclOwner = found.acl.owner
  const stays = 'must stay as it is where unit_id names an existing Unit'
  if (unit.externalId !== undefined && unit.externalId !== externalId) {
    throw new InvalidInputError(['units', index, 'externalId'], stays)
  }
  if (unit.aclOwner !== undefined && unit.aclOwner !== aclOwner) {
    throw new InvalidInputError(['units', index, 'aclOwner'], stays)
  }
  return { ...unit, externalId, writer, aclOwner, known: found }
}

/** Where the caller may not change owner and readers of a Unit, they stay if they are not sent. */
function withAcl(session: Session, unit: IdentifiedUnit, sent: SentAcl = {}, index: number): IdentifiedUnit {
  const { known } = unit
  if (!known || mayChangeAcl(session, known.acl)) return unit
  const { owner, groups } = changedAcl(session, known.acl, sent, `units[${index}].`)
  return { ...unit, aclOwner: owner, aclGroups: [...groups] }
}

function own({ principalId }: Session, unit: SentUnit, index: number): IdentifiedUnit {
  const { unitId, externalId = unitId ?? null, aclOwner = principalId } = unit
  if (unitId !== undefined && unitId !== externalId) {
    throw new InvalidInputError(
      ['units', index, 'unitId'],
      'must name an existing Unit, or be equal to the external id',
    )
  }
  return { ...unit, externalId, writer: principalId, aclOwner, known: undefined }
}

/** The Units named by `unitId` in the batch that the caller may change. */
async function findNamed(
  session: Session,
  tx: UnitFinder,
  sent: readonly SentUnit[],
): Promise<Map<string, StoredUnit>> {
  const ids = sent.flatMap(({ unitId }) => unitId ?? [])
  const found = ids.length === 0 ? [] : await tx.units.read({ ...reachOf(session), states: ['live'], ids }, ids.length)
  return new Map(found.map((unit) => [unit.unitId, unit]))
}

const keyOf = ({ scopeId, externalId }: Pick<KnownUnit, 'scopeId' | 'externalId'>) =>
  JSON.stringify([scopeId, externalId])

/** The Units that this writer ingested before with the same external ids, in one query for the batch. */
async function findOwn(
  session: Session,
  tx: UnitFinder,
  units: readonly IdentifiedUnit[],
): Promise<Map<string, KnownUnit>> {
  const ids = units.flatMap(({ externalId, known }) => (known ? [] : (externalId ?? [])))
  const found = ids.length === 0 ? [] : await tx.units.findExternal(session.principalId, ids)
  const known = new Map(found.map((unit) => [keyOf(unit), unit]))
  for (const unit of units) if (!unit.known) requireReached(session, unit.scope, known.get(keyOf(unit)))
  return known
}

function requireReached(session: Session, scope: string, known: KnownUnit | undefined): void {
  if (!known || bounds.reaches(session, scope, known)) return
  throw forbidden(`external_id: the Unit ${known.externalId} must be within the planes and groups of the API key`)
}

/** Two entries of a batch can mean the same Unit: one by its id, the other by its external id. */
function refuseRepeated(units: readonly IdentifiedUnit[]): void {
  const seen = new Set<string>()
  for (const [index, unit] of units.entries()) {
    if (unit.externalId === null && !unit.known) continue
    const key = unit.known?.unitId ?? keyOf(unit)
    if (seen.has(key))
      throw new InvalidInputError(['units', index], 'must not name a Unit that another entry of the batch names')
    seen.add(key)
  }
}

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
