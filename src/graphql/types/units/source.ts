import type { Source } from '../../../domain/sources/create-source.ts'
import { runs } from '../../builder/root-fields.ts'
import { int, objectType, string } from '../../builder/types.ts'

const SourceRef = objectType<Source>('Source', 'An uploaded raw source.', {
  sourceUri: string('The `sourceUri` for Units of this source.'),
  mime: string('Content type.'),
  bytes: int('Size.'),
  sha256: string('SHA-256 of the bytes, in hex.'),
})

runs('createSource', SourceRef, (input, services) => services.createSource(input))
