import type { Upload } from '../../../domain/sources/uploads.ts'
import { runs } from '../../builder/root-fields.ts'
import { objectType, safeInt, string } from '../../builder/types.ts'

const UploadRef = objectType<Upload>('Upload', 'A link that takes the bytes of a source once.', {
  url: string(
    'PUT the raw bytes there, without a credential. The answer is `{source_uri, mime, bytes, sha256}`. It begins with `PUBLIC_URL`, or is a path if that is not set.',
  ),
  expiresAt: safeInt('Epoch milliseconds, at most ten minutes from now.'),
})

runs('createUpload', UploadRef, (input, services) => services.createUpload(input))
