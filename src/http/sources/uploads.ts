import { notFound } from '../../errors.ts'
import type { Log } from '../../model/log.ts'
import { withCors } from '../cors.ts'
import { withFailures } from '../failures.ts'
import { json } from '../json.ts'
import { linkSecret } from '../link-secret.ts'
import type { Handler, HttpRequest } from '../message.ts'
import { requestIdOf, withRequestId } from '../request-id.ts'

export interface UploadHandlerOptions {
  /** Stores what the link with this secret takes; null when the link is not valid. */
  receive(secret: string, sent: SentBytes, requestId: string): Promise<Received | null>
  log: Log
  allowedOrigins?: readonly string[]
}

interface SentBytes {
  length: number | null
  chunks(): AsyncIterable<Uint8Array>
}

interface Received {
  sourceUri: string
  mime: string
  bytes: number
  sha256: string
}

/** Takes the bytes of sources by one-time links; mount it at `/uploads/`. Everything except a PUT to a live link is 404. */
export function createUploadHandler({ receive, log, allowedOrigins = [] }: UploadHandlerOptions): Handler {
  const handler: Handler = async (request) => {
    const secret = linkSecret(request, 'PUT', '/uploads/')
    const sent = { length: lengthOf(request), chunks: () => request.chunks() }
    const received = secret === undefined ? null : await receive(secret, sent, requestIdOf(request.headers))
    if (!received) throw notFound('no such upload: the link was used, is in use or has expired; request another one')
    const { sourceUri, mime, bytes, sha256 } = received
    return json(200, { source_uri: sourceUri, mime, bytes, sha256 })
  }
  return withRequestId(withCors(withFailures(handler, log), allowedOrigins, { methods: ['PUT'] }))
}

function lengthOf({ headers }: HttpRequest): number | null {
  const declared = headers['content-length']
  return declared === undefined || headers['transfer-encoding'] !== undefined ? null : Number(declared)
}
