import type { DeleteResult } from '../../../domain/units/delete-units.ts'
import { runs } from '../../builder/root-fields.ts'
import { int, objectType, safeInt } from '../../builder/types.ts'

export const DeleteResultRef = objectType<DeleteResult>('DeleteResult', 'What a deletion removed.', {
  matched: int('Readable Units in writable scopes that matched.'),
  tombstoned: int('Number of Units deleted, which can still be restored.'),
  purged: int('Number of Units removed permanently.'),
  sourcesPurged: int('Uploaded sources whose bytes were removed.'),
  seq: safeInt("The namespace's seq after the write."),
})

runs('deleteUnits', DeleteResultRef, (input, services) => services.units.delete(input))
