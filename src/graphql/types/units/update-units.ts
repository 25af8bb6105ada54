import type { RestoreResult } from '../../../domain/units/restore-units.ts'
import type { UpdateResult } from '../../../domain/units/update-unit.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { UnitRef } from './unit.ts'

const UpdateUnitInput = builder.inputType('UpdateUnitInput', {
  description: 'Changes to a Unit. Fields that are left out keep their values.',
  fields: (t) => ({
    aclOwner: t.string({ description: 'The new owner.' }),
    aclGroups: t.stringList({ description: 'All groups that may read it. With an empty list, only its owner may.' }),
    metadata: t.field({ type: 'Metadata', description: 'All of its metadata, at most 16 KiB.' }),
    title: t.string({ description: 'The new title. An empty one removes it.' }),
    version: t.field({
      type: 'SafeInt',
      description: 'The `version` of the Unit that you read. If the Unit has changed since, the error is 400.',
    }),
  }),
})

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
    args: {
      unitId: t.arg.string({ required: true, description: 'The id.' }),
      input: t.arg({ type: UpdateUnitInput, required: true, description: 'The changes.' }),
    },
    ...runs('updateUnit', ({ unitId, input }, services) => services.units.update(unitId, input)),
  }),
  restoreUnits: t.field({
    type: RestoreResultRef,
    args: {
      ids: t.arg.stringList({
        required: true,
        description: 'Unit ids. Unknown, hidden and purged ones are ignored.',
      }),
    },
    ...runs('restoreUnits', ({ ids }, services) => services.units.restore(ids)),
  }),
}))
