import type { RestoreResult } from '../../../domain/units/restore-units.ts'
import type { UpdateResult } from '../../../domain/units/update-unit.ts'
import { runs } from '../../builder/root-fields.ts'
import { boolean, int, nullable, objectType, of, safeInt } from '../../builder/types.ts'
import { UnitRef } from './unit.ts'

const UpdateResultRef = objectType<UpdateResult>('UpdateResult', 'The result of a change, which is durably written.', {
  unit: nullable(of(UnitRef, 'The Unit as it is now; null when the caller may no longer read it.')),
  seq: safeInt("The namespace's seq after the write."),
  indexed: boolean('Whether the indexes already contain it.'),
})

const RestoreResultRef = objectType<RestoreResult>('RestoreResult', 'The result of a restore.', {
  matched: int('Units that could be restored, or were not deleted.'),
  restored: int('Restored Units.'),
  seq: safeInt("The namespace's seq after the write."),
  indexed: boolean('Whether searches already see them.'),
})

runs('updateUnit', UpdateResultRef, ({ unitId, input }, services) => services.units.update(unitId, input))

runs('restoreUnits', RestoreResultRef, ({ ids }, services) => services.units.restore(ids))
