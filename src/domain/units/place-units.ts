import { forbidden, InvalidInput } from '../../errors.ts'
import { covers } from '../../model/scope-path.ts'
import type { Session } from '../../model/session.ts'
import { defaultPlane, type Plane } from '../../model/unit.ts'
import { require } from '../access/require.ts'
import { requirePlane } from './limits.ts'
import type { ValidUnit } from './unit-input.ts'

/** A valid Unit with everything decided that the caller left open. */
export type PlacedUnit = ValidUnit & { scope: string; plane: Plane }

/** Decides scope and plane of each Unit, and whether the caller may put it there. Errors: 400, 403, 402. */
export function placeUnits(session: Session, units: readonly ValidUnit[]): PlacedUnit[] {
  require(session, 'write')
  const placed = units.map((unit, i) => place(session, unit, i))
  authorize(session, placed)
  refuseDuplicates(placed)
  return placed
}

function place(session: Session, unit: ValidUnit, index: number): PlacedUnit {
  const { requestedScope, activeScope } = session
  const scope = unit.scope ?? (requestedScope === '*' ? activeScope : requestedScope)
  if (scope === '*') throw new InvalidInput(['units', index, 'scope'], 'is required when no single scope is requested')
  return { ...unit, scope, plane: unit.plane ?? defaultPlane(unit.modality) }
}

function authorize(session: Session, units: readonly PlacedUnit[]): void {
  for (const { scope } of units) {
    if (!covers(session.requestedScope, scope)) throw forbidden(`scope ${scope} is outside the requested scope`)
    require(session, 'write', scope)
  }
  for (const { plane } of units) requirePlane(session, plane)
}

function refuseDuplicates(units: readonly PlacedUnit[]): void {
  const seen = new Set<string>()
  for (const [index, { scope, externalId }] of units.entries()) {
    if (externalId === undefined) continue
    const key = JSON.stringify([scope, externalId])
    if (seen.has(key)) throw new InvalidInput(['units', index, 'externalId'], 'appears twice in the batch')
    seen.add(key)
  }
}
