import { ServiceError } from '../../graphql/service-error.ts'
import { request, type Selection } from '../../graphql/transport.ts'
import { CreateUploadDocument, IngestDocumentDocument, type RunFragment } from './generated/graphql.ts'

export interface UploadTarget {
  /** Undefined: by the rules of the service. */
  scope: string | undefined
  /** None: only the uploader may read it. */
  aclGroups: string[]
}

/** Sends one file, and starts the run that takes it in. `onProgress` gets 0..1. Rejects with a ServiceError. */
export async function upload(
  file: File,
  { scope, aclGroups }: UploadTarget,
  selection: Selection,
  onProgress: (share: number) => void,
): Promise<RunFragment> {
  // A browser knows few types; without one the service looks at the bytes.
  const input = { bytes: file.size, name: file.name.slice(-255), mime: file.type || null }
  const { createUpload } = await request(CreateUploadDocument, { input }, { selection })
  const sourceUri = await put(createUpload?.url ?? '', file, onProgress)
  const document = { sourceUri, name: file.name, scope: scope ?? null, aclGroups }
  const { ingestDocument } = await request(IngestDocumentDocument, { input: document }, { selection })
  if (!ingestDocument) throw failure('The service has not begun to take in the file.', 0)
  return ingestDocument
}

/** Browsers tell how far an upload is only by XMLHttpRequest. */
function put(url: string, file: File, onProgress: (share: number) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    xhr.open('PUT', url)
    xhr.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
    xhr.onerror = () => reject(failure('The connection broke during the upload. Nothing was kept.', 0))
    xhr.onload = () => {
      const answer = parse(xhr.responseText)
      if (xhr.status === 200 && answer.source_uri) resolve(answer.source_uri)
      else
        reject(failure(answer.detail ?? 'The upload was refused.', xhr.status, xhr.getResponseHeader('x-request-id')))
    }
    xhr.send(file)
  })
}

const failure = (detail: string, status: number, requestId: string | null = null) =>
  new ServiceError(detail, { code: 'upload', status, requestId })

function parse(text: string): { source_uri?: string; detail?: string } {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
