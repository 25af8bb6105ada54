import { badRequest } from '../errors.ts'
import type { RequestRecord } from './request-record.ts'

/** A request as every handler sees it, from any transport. */
export interface HttpRequest {
  method: string
  /** Path and query as sent: nothing is decoded. */
  target: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** The peer of the socket, if there is one. Headers cannot forge it. */
  remoteAddress?: string | undefined
  /** Reads the body once; throws a 400 over `limit` bytes. */
  body(limit?: number): Promise<Uint8Array>
  /** The body as it comes, instead of `body`. Throws a 400 when it breaks off. */
  chunks(): AsyncIterable<Uint8Array>
  /** A GET made from a HEAD: it must not use up anything that works once. */
  isHead?: boolean
  record: RequestRecord
}

export interface HttpResponse {
  status: number
  /** Names in lower case; a list (`set-cookie`) is sent as several headers. */
  headers: Readonly<Record<string, string | readonly string[]>>
  /** An iterable is streamed, at the client's pace. If it throws, the answer is cut off. */
  body: string | Uint8Array | AsyncIterable<string | Uint8Array>
}

export type Handler = (request: HttpRequest) => Promise<HttpResponse>

const defaultBodyLimit = 16 * 1024 * 1024

/**
 * How far beyond the limit a body is still read and thrown away. If the service answers while the client is sending,
 * many clients lose the answer to a connection reset. So it reads the excess first, and cuts off only a flood.
 */
const drainFactor = 4

/** Collects a body of at most `limit` bytes; a longer one is drained, then refused. */
export async function readLimited(chunks: AsyncIterable<Uint8Array>, limit = defaultBodyLimit): Promise<Uint8Array> {
  const kept: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.byteLength
    if (length <= limit) kept.push(chunk)
    else kept.length = 0
    if (length > limit * drainFactor) break
  }
  if (length > limit) throw badRequest(`the body must be at most ${sizeOf(limit)}`)
  return Buffer.concat(kept)
}

function sizeOf(bytes: number): string {
  const mib = bytes / (1024 * 1024)
  return Number.isInteger(mib) ? `${mib} MiB` : `${bytes} bytes`
}

/** The raw path and the query of a request target, in origin form (`/a?b`) or absolute form (`http://host/a?b`). */
export function splitTarget(target: string): { path: string; query: string } {
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '')
  const mark = origin.indexOf('?')
  return mark < 0 ? { path: origin, query: '' } : { path: origin.slice(0, mark), query: origin.slice(mark + 1) }
}

/** False for text that cannot be stored as it is: the catalog refuses NUL, UTF-8 has no unpaired surrogates. */
export function isCleanText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
