import { createHash } from 'node:crypto'
import type { HttpRequest, HttpResponse } from './message.ts'

/** Whether a header If-None-Match names this tag (RFC 9110, 13.1.2: a weak comparison). */
export const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some((one) => opaque(one.trim()) === opaque(etag)))

const opaque = (etag: string) => etag.replace(/^W\//, '')

/** Adds a weak tag to an answer, which is 304 without content if the caller has that answer already. */
export async function tagged(response: HttpResponse, { headers }: HttpRequest): Promise<HttpResponse> {
  const body = await whole(response.body)
  const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
  if (!matches(headers['if-none-match'], etag)) {
    return { ...response, headers: { ...response.headers, etag }, body }
  }
  const { 'content-type': _, ...kept } = response.headers
  return { status: 304, headers: { ...kept, etag }, body: '' }
}

async function whole(body: HttpResponse['body']): Promise<string | Uint8Array> {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks)
}
