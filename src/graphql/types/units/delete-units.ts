import type { DeleteResult } from '../../../domain/units/delete-units.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'

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
    ...runs('deleteUnits', (input, services) => services.units.delete(input)),
  }),
)
