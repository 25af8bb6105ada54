import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { listing } from './listing.ts'
import { signatureProblem } from './signature.ts'

/** What the next request meets instead of an answer. */
export type S3Fault = 'error' | 'slow-down' | 'conflict' | 'hang' | 'hang-in-body' | 'garbage' | 'reset'

export interface S3Server {
  endpoint: string
  region: string
  bucket: string
  credentials: { accessKeyId: string; secretAccessKey: string }
  /** Key -> bytes. */
  objects: Map<string, Buffer>
  /** Names that a list holds at most. */
  pageSize: number
  /** Taken from the front, one by one; `always` stays. */
  faults: S3Fault[]
  always: S3Fault | null
  /** Method and path with query of each request so far. */
  requests: string[]
  close(): Promise<void>
}

interface Answer {
  status: number
  body: string | Buffer
}

const failure = (status: number, code: string): Answer => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>told so</Message><RequestId>1</RequestId></Error>`,
})

const failures: Partial<Record<S3Fault, Answer>> = {
  error: failure(500, 'InternalError'),
  'slow-down': failure(503, 'SlowDown'),
  conflict: failure(409, 'ConditionalRequestConflict'),
  garbage: { status: 200, body: '<ListBucketResult><Contents><Key>not closed' },
}

/** The part of S3 that the service uses, on this machine: one bucket, path-style addresses, signatures checked. */
export async function startS3Server(): Promise<S3Server> {
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const s3: S3Server = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'test-region-1',
    bucket: 'bucket',
    credentials: { accessKeyId: 'TESTKEYID', secretAccessKey: 'secret-of-the-store' },
    objects: new Map(),
    pageSize: 1000,
    faults: [],
    always: null,
    requests: [],
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const { method = '', headers } = request
    const url = new URL(request.url ?? '/', s3.endpoint)
    s3.requests.push(`${method} ${request.url}`)
    const fault = s3.always ?? s3.faults.shift()
    if (fault === 'hang') return
    if (fault === 'reset') return void response.destroy()
    if (fault === 'hang-in-body') {
      response.writeHead(200, { 'content-length': 1000 }).write('<?xml')
      return
    }
    const { accessKeyId: id, secretAccessKey: secret } = s3.credentials
    const problem = signatureProblem({ method, url, headers, body }, { id, secret })
    const answer =
      (fault && failures[fault]) ?? (problem === null ? answerTo(request, url, body) : failure(403, problem))
    const length = Buffer.byteLength(answer.body)
    response.writeHead(answer.status, { 'content-length': length, etag: '"1"', 'x-amz-request-id': '1' })
    response.end(answer.body)
  }

  function answerTo({ method, headers }: IncomingMessage, url: URL, body: Buffer): Answer {
    const [, bucket, key = ''] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(url.pathname)) ?? []
    if (bucket !== s3.bucket) return failure(404, 'NoSuchBucket')
    const kept = s3.objects.get(key)
    if (method === 'GET' && key === '')
      return { status: 200, body: listing(bucket, s3.objects.keys(), url.searchParams, s3.pageSize) }
    if (method === 'GET') return kept ? { status: 200, body: kept } : failure(404, 'NoSuchKey')
    if (method !== 'PUT') return failure(405, 'MethodNotAllowed')
    if (kept && headers['if-none-match'] === '*') return failure(412, 'PreconditionFailed')
    s3.objects.set(key, body)
    return { status: 200, body: '' }
  }

  return s3
}
