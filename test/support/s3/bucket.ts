import type { IncomingMessage } from 'node:http'
import { listing, type Version, versionListing } from './listing.ts'

export interface Answer {
  status: number
  body: string | Buffer
  headers?: Record<string, string>
}

/** The contents of a bucket, and its behaviour. */
export interface Bucket {
  bucket: string
  /** Key -> bytes. */
  objects: Map<string, Buffer>
  /** Key -> its `x-amz-meta-` headers. */
  metadata: Map<string, Record<string, string>>
  /** With versioning a deletion only hides an object. Null: the bucket is not versioned. */
  versions: Version[] | null
  /** Whether it supports `If-None-Match`. If not, it answers such a request with 501. */
  conditions: boolean
  /** Methods that it refuses with a permission error. */
  refuses: readonly string[]
  /** The maximum number of names in one list answer. */
  pageSize: number
}

export const failure = (status: number, code: string): Answer => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>told so</Message><RequestId>1</RequestId></Error>`,
})

/** No client compares it. */
const etag = '"1"'

export function answerTo(held: Bucket, request: IncomingMessage, url: URL, body: Buffer): Answer {
  const { method, headers } = request
  const [, bucket, key = ''] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(url.pathname)) ?? []
  if (method !== undefined && held.refuses.includes(method)) return failure(403, 'AccessDenied')
  if (bucket !== held.bucket) return failure(404, 'NoSuchBucket')
  if (key === '') return answerOfBucket(held, method, url.searchParams)
  const kept = held.objects.get(key)
  if (method === 'GET') {
    if (!kept) return failure(404, 'NoSuchKey')
    const headers = { ...held.metadata.get(key), etag }
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(String(request.headers.range)) ?? []
    if (start === undefined) return { status: 200, body: kept, headers }
    const range = `bytes ${start}-${end}/${kept.length}`
    return {
      status: 206,
      body: kept.subarray(Number(start), Number(end) + 1),
      headers: { ...headers, 'content-range': range },
    }
  }
  if (method === 'HEAD') {
    return kept ? { status: 200, body: kept, headers: { ...held.metadata.get(key), etag } } : failure(404, 'NotFound')
  }
  if (method === 'DELETE') return remove(held, key, url.searchParams.get('versionId'))
  if (method !== 'PUT') return failure(405, 'MethodNotAllowed')
  if (headers['if-none-match'] !== undefined && !held.conditions) return failure(501, 'NotImplemented')
  if (kept && headers['if-none-match'] === '*') return failure(412, 'PreconditionFailed')
  const metadata = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-meta-'))
  held.objects.set(key, body)
  held.metadata.set(key, Object.fromEntries(metadata.map(([name, value]) => [name, String(value)])))
  addVersion(held, key, false)
  return { status: 200, body: '', headers: { etag } }
}

function answerOfBucket(held: Bucket, method: string | undefined, query: URLSearchParams): Answer {
  const { bucket, objects, versions, pageSize } = held
  if (method !== 'GET') return failure(405, 'MethodNotAllowed')
  if (query.has('versions')) return { status: 200, body: versionListing(bucket, versions ?? [], query, pageSize) }
  return { status: 200, body: listing(bucket, objects.keys(), query, pageSize) }
}

/** Deletion of a missing object succeeds, as in Amazon S3. */
function remove(held: Bucket, key: string, versionId: string | null): Answer {
  if (versionId !== null) {
    held.versions = held.versions?.filter(({ id }) => id !== versionId) ?? null
    return { status: 204, body: '' }
  }
  held.objects.delete(key)
  held.metadata.delete(key)
  if (held.versions === null) return { status: 204, body: '' }
  addVersion(held, key, true)
  return { status: 204, body: '', headers: { 'x-amz-delete-marker': 'true' } }
}

let versionIds = 0
function addVersion({ versions }: Bucket, key: string, isMarker: boolean): void {
  versionIds += 1
  versions?.unshift({ key, id: `v${versionIds}`, isMarker })
}
