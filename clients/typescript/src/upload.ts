import type { Result, Variables } from './answers.ts'
import { ConnectionError } from './errors.ts'
import type { Platform } from './platform.ts'
import type { ClientOptions, RequestOptions, Send } from './send.ts'
import { sha256, toHex } from './verify/bytes.ts'

export interface UploadOptions extends RequestOptions {
  mime?: string
  /** File name; it decides how a link offers the source for download. */
  name?: string
  onProgress?: (progress: { sent: number; total: number }) => void
}

export interface UploadedSource {
  source_uri: string
  mime: string
  bytes: number
  sha256: string
}

export type Bytes = Uint8Array<ArrayBuffer> | ArrayBuffer | Platform<'Blob'>

interface Uploads {
  send: Send
  createUpload(input: Variables<'createUpload'>, options?: RequestOptions): Promise<Result<'createUpload'>>
  client: ClientOptions
}

const pieceBytes = 256 * 1024

/** Uploads a source by a one-time link; the service checks its size and SHA-256. */
export async function upload(
  { send, createUpload, client }: Uploads,
  source: Bytes,
  { mime, name, onProgress, ...options }: UploadOptions = {},
): Promise<UploadedSource> {
  const blob = source instanceof Blob ? source : new Blob([source])
  const bytes = new Uint8Array(await blob.arrayBuffer())
  const type = mime ?? (blob.type || undefined)
  const input = {
    bytes: bytes.length,
    sha256: toHex(await sha256(bytes)),
    ...(type && { mime: type }),
    ...(name && { name }),
  }
  const link = await createUpload({ input }, options)
  const url = new URL(link.url, client.baseUrl).href
  if (!onProgress) {
    const response = await send({ method: 'PUT', path: url, body: bytes, isLink: true }, options)
    return response.json()
  }
  onProgress({ sent: 0, total: bytes.length })
  // Browsers do not report the progress of a fetch.
  const { XMLHttpRequest: Xhr } = globalThis as { XMLHttpRequest?: new () => Xhr }
  if (Xhr && !client.fetch) return putByXhr(new Xhr(), url, bytes, onProgress, options.signal)
  const body = counted(bytes, onProgress)
  const call = { method: 'PUT', path: url, body, isLink: true, mayRetry: false } as const
  return (await send(call, options)).json()
}

function counted(bytes: Uint8Array, onProgress: NonNullable<UploadOptions['onProgress']>): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sent > 0) onProgress({ sent, total: bytes.length })
        if (sent === bytes.length) return controller.close()
        const piece = bytes.subarray(sent, sent + pieceBytes)
        sent += piece.length
        controller.enqueue(piece)
      },
    },
    { highWaterMark: 0 },
  )
}

/** What is used of an XMLHttpRequest, which only browsers have. */
interface Xhr {
  status: number
  responseText: string
  upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null }
  onload: (() => void) | null
  onerror: (() => void) | null
  onabort: (() => void) | null
  open(method: string, url: string): void
  send(body: Uint8Array<ArrayBuffer>): void
  abort(): void
}

function putByXhr(
  request: Xhr,
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  onProgress: NonNullable<UploadOptions['onProgress']>,
  signal: AbortSignal | undefined,
): Promise<UploadedSource> {
  return new Promise((resolve, reject) => {
    const failed = (detail: string) =>
      reject(
        new ConnectionError({
          status: request.status,
          code: 'connection_error',
          detail,
          requestId: null,
          retryAfter: null,
          requiredTier: null,
        }),
      )
    request.upload.onprogress = ({ loaded, total }) => onProgress({ sent: loaded, total })
    request.onload = () =>
      request.status === 200 ? resolve(JSON.parse(request.responseText)) : failed('the upload was refused')
    request.onerror = () => failed('the service is unreachable')
    request.onabort = () => reject(signal?.reason)
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    request.open('PUT', url)
    request.send(bytes)
  })
}
