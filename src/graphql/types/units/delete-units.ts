import type { DeleteResult } from '../../../domain/units/delete-units.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { ModalityEnum, PlaneEnum } from '../common/enums.ts'

const UnitFilterInput = builder.inputType('UnitFilterInput', {
  description: 'Conditions that must all match. At least one is required.',
  fields: (t) => ({
    scope: t.string({ description: 'This scope and those below it.' }),
    docId: t.string({ description: 'The document.' }),
    externalId: t.string({ description: "The writer's own id." }),
    sourceUri: t.string({ description: 'The raw source.' }),
    modality: t.field({ type: ModalityEnum, description: 'The modality.' }),
    plane: t.field({ type: PlaneEnum, description: 'The plane.' }),
    createdBefore: t.field({ type: 'SafeInt', description: 'Epoch milliseconds, inclusive.' }),
    metadata: t.field({ type: 'JSON', description: '`{key: value | [values] | {gte, lte}}`.' }),
  }),
})

const DeleteUnitsInput = builder.inputType('DeleteUnitsInput', {
  description: 'What to delete: either `ids` or `filter`.',
  fields: (t) => ({
    ids: t.stringList({
      description: 'Ids, or external ids of Units that the caller ingested. Unknown and hidden ones are ignored.',
    }),
    filter: t.field({ type: UnitFilterInput, description: 'Conditions on Units.' }),
    hard: t.boolean({
      description:
        'true removes text, vectors and uploaded sources permanently; false can be undone with `restoreUnits`.',
    }),
  }),
})

export const DeleteResultRef = builder.objectRef<DeleteResult>('DeleteResult').implement({
  description: 'What a deletion removed.',
  fields: (t) => ({
    matched: t.exposeInt('matched', { description: 'Readable Units in writable scopes that matched.' }),
    tombstoned: t.exposeInt('tombstoned', { description: 'Number of Units deleted, which can still be restored.' }),
    purged: t.exposeInt('purged', { description: 'Number of Units removed permanently.' }),
    sourcesPurged: t.exposeInt('sourcesPurged', { description: 'Uploaded sources whose bytes were removed.' }),
    seq: t.expose('seq', { type: 'SafeInt', description: "The namespace's seq after the write." }),
  }),
})

builder.mutationField('deleteUnits', (t) =>
  t.field({
    type: DeleteResultRef,
    args: { input: t.arg({ type: DeleteUnitsInput, required: true, description: 'What to delete.' }) },
    ...runs('deleteUnits', (input, services) => services.units.delete(input)),
  }),
)
