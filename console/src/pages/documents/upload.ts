import { noAnswer, ServiceError } from '../../graphql/service-error.ts'
import { request } from '../../graphql/transport.ts'
import { CreateUploadDocument, IngestDocumentDocument, type RunFragment } from './generated/graphql.ts'

/** Where files go, and who may read them. */
export interface UploadTarget {
  namespace: string
  scope: string
  /** None: only the uploader may read it. */
  aclGroups: string[]
}

/** A file with its path, below the folder that was chosen. */
export interface NamedFile {
  file: File
  name: string
}

/**
 * Sends one file, and starts the run that takes it in. `onProgress` gets the bytes that have left. Rejects with a
 * ServiceError, or with the reason of `signal`.
 */
export async function upload(
  { file, name }: NamedFile,
  { namespace, scope, aclGroups }: UploadTarget,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<RunFragment> {
  const options = { selection: { namespace, scope }, signal }
  // A browser knows few types; without one the service looks at the bytes.
  const input = { bytes: file.size, name: name.slice(-255), mime: file.type || null }
  const { createUpload } = await request(CreateUploadDocument, { input }, options)
  const sourceUri = await put(createUpload?.url ?? '', file, onProgress, signal)
  const document = { sourceUri, name, docId: await docIdOf(name), scope, aclGroups }
  const { ingestDocument } = await request(IngestDocumentDocument, { input: document }, options)
  if (!ingestDocument) throw failure('The service has not begun to take in the file.', 0)
  return ingestDocument
}

/** As `multimodal-retrieval ingest` names it, so that one file is one document either way. */
async function docIdOf(name: string): Promise<string> {
  if (name.length <= 128) return name
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name)))
  return `sha256:${[...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Browsers tell how far an upload is only by XMLHttpRequest. */
function put(url: string, file: File, onProgress: (bytes: number) => void, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    xhr.open('PUT', url)
    xhr.upload.onprogress = ({ loaded }) => onProgress(loaded)
    xhr.onerror = () => reject(failure('The connection broke during the upload. Nothing was kept: try again.', 0))
    xhr.onabort = () => reject(signal.reason)
    xhr.onload = () => {
      const answer = parse(xhr.responseText)
      if (xhr.status === 200 && answer.source_uri) resolve(answer.source_uri)
      else reject(failure(answer.detail ?? noAnswer(xhr.status), xhr.status, xhr.getResponseHeader('x-request-id')))
    }
    signal.addEventListener('abort', () => xhr.abort(), { once: true })
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
