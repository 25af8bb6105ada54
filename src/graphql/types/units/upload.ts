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

const CreateUploadInput = builder.inputType('CreateUploadInput', {
  description: 'A source to upload.',
  fields: (t) => ({
    bytes: t.field({ type: 'SafeInt', required: true, description: 'Size, at most `MAX_SOURCE_MB`.' }),
    sha256: t.string({ description: 'SHA-256 of the bytes, in hex: other bytes are refused.' }),
    mime: t.string({ description: 'Content type. It decides between kinds of text only.' }),
    name: t.string({ description: 'File name.' }),
  }),
})

builder.mutationField('createUpload', (t) =>
  t.field({
    type: UploadRef,
    args: { input: t.arg({ type: CreateUploadInput, required: true, description: 'The source.' }) },
    ...runs('createUpload', (input, services) => services.createUpload(input)),
  }),
)
