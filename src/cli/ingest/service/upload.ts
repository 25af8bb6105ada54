import { createReadStream } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { parseJson } from '../../../model/json.ts'
import { RefusedError } from '../../../model/operator-error.ts'
import { reasonOf } from '../../program/command.ts'
import { checkStatus, LaterError } from '../../program/graphql.ts'
import { ChangingError, type Digest } from '../files/read-file.ts'
import type { Client } from './client.ts'

const created = z.object({ createUpload: z.object({ url: z.string() }) })
const kept = z.object({ source_uri: z.string() })

/** No byte went either way for this long. */
const idleMs = 60_000

/** Uploads a file as a stream, and returns its `source_uri`. Throws a `ChangingError` if the bytes are others by now. */
export function upload(client: Client, path: string, name: string, { bytes, sha256 }: Digest): Promise<string> {
  return client.persist(async () => {
    const input = { bytes, sha256, mime: 'application/octet-stream', name }
    // A new link for each attempt: the one before may have taken the bytes although the answer was lost.
    const { createUpload } = await client.ask(
      created,
      'mutation ($input: CreateUploadInput!) { createUpload(input: $input) { url } }',
      { input },
    )
    const { status, body, retryAfter } = await put(new URL(createUpload.url, client.service.url), path, bytes)
    checkStatus(status, `the upload was answered ${status}`, retryAfter)
    if (status === 400) throw new ChangingError()
    if (status === 404) throw new LaterError('the link has ended', { answer: 'busy' })
    const answer = kept.safeParse(body)
    if (status !== 200 || !answer.success) throw new RefusedError(`the upload was answered ${status}`)
    return answer.data.source_uri
  })
}

interface Answer {
  status: number
  retryAfter: string | undefined
  body: unknown
}

async function put(url: URL, path: string, bytes: number): Promise<Answer> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(url, { method: 'PUT', headers: { 'content-length': bytes } })
  request.setTimeout(idleMs, () => request.destroy(new Error('the upload made no progress')))
  const answer = new Promise<Answer>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) => {
      text(response).then(
        (body) =>
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers['retry-after'],
            body: parseJson(body),
          }),
        reject,
      )
    })
  })
  // A file that has grown gives no more than it said; one that has shrunk leaves the request unfinished.
  const sent = pipeline(createReadStream(path, { start: 0, end: bytes - 1, highWaterMark: 2 ** 18 }), request)
  sent.catch(() => {})
  try {
    return await answer
  } catch (error) {
    const cause = await sent.then(
      () => error,
      (problem: unknown) => problem,
    )
    if (isOfFile(cause)) throw new ChangingError()
    throw new LaterError(reasonOf(cause))
  }
}

const isOfFile = (error: unknown) =>
  error instanceof Error && 'code' in error && ['ENOENT', 'ERR_HTTP_CONTENT_LENGTH_MISMATCH'].includes(`${error.code}`)
