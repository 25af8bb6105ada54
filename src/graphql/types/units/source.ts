import type { Source } from '../../../domain/sources/create-source.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'

const SourceRef = builder.objectRef<Source>('Source').implement({
  description: 'An uploaded raw source.',
  fields: (t) => ({
    sourceUri: t.exposeString('sourceUri', { description: 'The `sourceUri` for Units of this source.' }),
    mime: t.exposeString('mime', { description: 'Content type.' }),
    bytes: t.exposeInt('bytes', { description: 'Size.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of the bytes, in hex.' }),
  }),
})

builder.mutationField('createSource', (t) =>
  t.field({
    type: SourceRef,
    ...runs('createSource', (input, services) => services.createSource(input)),
  }),
)
