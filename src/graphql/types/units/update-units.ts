import type { RestoreResult } from '../../../domain/units/restore-units.ts'
import { restoreInput, unitUpdate } from '../../../domain/units/unit-input.ts'
import type { UpdateResult } from '../../../domain/units/update-unit.ts'
import { builder, checked } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'
import { UnitRef } from './unit.ts'

const UpdateUnitInput = builder.inputType('UpdateUnitInput', {
  description: 'What to change of a Unit; fields that are left out stay.',
  fields: (t) => ({
    aclOwner: t.string({ description: 'The principal that owns it from now on.' }),
    aclGroups: t.stringList({ description: 'All groups that may read it; an empty list leaves it to its owner.' }),
    metadata: t.field({ type: 'Metadata', description: 'All of its metadata, at most 16 KiB.' }),
    version: t.field({
      type: 'SafeInt',
      description: "The Unit's `version` that the change was made from; refused if it has changed since.",
    }),
  }),
})

const UpdateResultRef = builder.objectRef<UpdateResult>('UpdateResult').implement({
  description: 'A change that is durably written.',
  fields: (t) => ({
    unit: t.expose('unit', {
      type: UnitRef,
      nullable: true,
      description: 'The Unit as it is now; null when the caller may no longer read it.',
    }),
    seq: t.expose('seq', { type: 'SafeInt', description: "The namespace's seq after the write." }),
    indexed: t.exposeBoolean('indexed', { description: 'Whether the indexes hold it already.' }),
  }),
})

const RestoreResultRef = builder.objectRef<RestoreResult>('RestoreResult').implement({
  description: 'What came back.',
  fields: (t) => ({
    matched: t.exposeInt('matched', { description: 'Units that could be brought back, or live already.' }),
    restored: t.exposeInt('restored', { description: 'Units that were deleted and live again.' }),
    seq: t.expose('seq', { type: 'SafeInt', description: "The namespace's seq after the write." }),
    indexed: t.exposeBoolean('indexed', { description: 'Whether searches see them already.' }),
  }),
})

builder.mutationFields((t) => ({
  updateUnit: t.field({
    type: UpdateResultRef,
    description:
      'Changes the readers or metadata of a readable Unit in a writable scope; it is not embedded again. Any other Unit is not found. Needs `write`.',
    args: {
      unitId: t.arg.string({ required: true, description: 'The id.' }),
      input: t.arg({ type: UpdateUnitInput, required: true, description: 'The changes.' }),
    },
    ...checked(unitUpdate, ({ unitId, input }, context) => servicesOf(context).units.update(unitId, input)),
  }),
  restoreUnits: t.field({
    type: RestoreResultRef,
    description:
      'Brings soft-deleted Units back as they were: readable ones in writable scopes. All come back or, after an error, none. Needs `write`.',
    args: {
      ids: t.arg.stringList({
        required: true,
        description: 'Unit ids. Unknown, hidden and purged ones count nowhere.',
      }),
    },
    ...checked(restoreInput, ({ ids }, context) => servicesOf(context).units.restore(ids)),
  }),
}))
