import type { Upload } from '../../../domain/sources/uploads.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'

const UploadRef = builder.objectRef<Upload>('Upload').implement({
  description: 'A link that takes the bytes of a source once.',
  fields: (t) => ({
    url: t.exposeString('url', {
      description:
        'PUT the raw bytes there, without a credential. The answer is `{source_uri, mime, bytes, sha256}`. It begins with `PUBLIC_URL`, or is a path if that is not set.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'SafeInt',
      description: 'Epoch milliseconds, at most ten minutes from now.',
    }),
  }),
})

builder.mutationField('createUpload', (t) =>
  t.field({
    type: UploadRef,
    ...runs('createUpload', (input, services) => services.createUpload(input)),
  }),
)
