import type { RestoreResult } from '../../../domain/units/restore-units.ts'
import type { UpdateResult } from '../../../domain/units/update-unit.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { UnitRef } from './unit.ts'

const UpdateResultRef = builder.objectRef<UpdateResult>('UpdateResult').implement({
  description: 'The result of a change, which is durably written.',
  fields: (t) => ({
    unit: t.expose('unit', {
      type: UnitRef,
      nullable: true,
      description: 'The Unit as it is now; null when the caller may no longer read it.',
    }),
    seq: t.expose('seq', { type: 'SafeInt', description: "The namespace's seq after the write." }),
    indexed: t.exposeBoolean('indexed', { description: 'Whether the indexes already contain it.' }),
  }),
})

const RestoreResultRef = builder.objectRef<RestoreResult>('RestoreResult').implement({
  description: 'The result of a restore.',
  fields: (t) => ({
    matched: t.exposeInt('matched', { description: 'Units that could be restored, or were not deleted.' }),
    restored: t.exposeInt('restored', { description: 'Restored Units.' }),
    seq: t.expose('seq', { type: 'SafeInt', description: "The namespace's seq after the write." }),
    indexed: t.exposeBoolean('indexed', { description: 'Whether searches already see them.' }),
  }),
})

builder.mutationFields((t) => ({
  updateUnit: t.field({
    type: UpdateResultRef,
    ...runs('updateUnit', ({ unitId, input }, services) => services.units.update(unitId, input)),
  }),
  restoreUnits: t.field({
    type: RestoreResultRef,
    ...runs('restoreUnits', ({ ids }, services) => services.units.restore(ids)),
  }),
}))
