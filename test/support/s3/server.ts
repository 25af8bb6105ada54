import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen, shut } from '../process/local-http.ts'
import { type Answer, answerTo, type Bucket, failure } from './bucket.ts'
import { signatureProblem } from './signature.ts'

/** The faults that a request can meet. */
export type S3Fault =
  | 'error'
  | 'slow-down'
  | 'conflict'
  | 'hang'
  | 'hang-in-body'
  | 'garbage'
  | 'web-page'
  | 'reset'
  /** The correct answer, delayed. */
  | 'slow'
  /** Fewer bytes than `content-length`. */
  | 'truncated'
  /** Fewer bytes than were stored, with a matching `content-length`. */
  | 'short'
  | 'altered'

export interface S3Server extends Bucket {
  endpoint: string
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string }
  /** The delay of `slow`. */
  delayMs: number
  /** Faults of the next requests; the first entry applies first, and `always` stays. */
  faults: S3Fault[]
  always: S3Fault | null
  /** Method, path and query of each request so far. */
  requests: string[]
  /** `traceparent` of each request that has one. */
  traceparents: string[]
  close(): Promise<void>
}

const failures: Partial<Record<S3Fault, Answer>> = {
  error: failure(500, 'InternalError'),
  'slow-down': failure(503, 'SlowDown'),
  conflict: failure(409, 'ConditionalRequestConflict'),
  garbage: { status: 200, body: '<ListBucketResult><Contents><Key>not closed' },
  'web-page': { status: 200, body: '<!doctype html><title>Sign in to this network</title>' },
}

/** The part of S3 that the service uses, on this machine: one bucket, path-style URLs, checked signatures. */
export async function startS3Server(): Promise<S3Server> {
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const endpoint = await listen(server)
  const s3: S3Server = {
    endpoint,
    region: 'test-region-1',
    bucket: 'bucket',
    credentials: { accessKeyId: 'TESTKEYID', secretAccessKey: 'secret-of-the-store' },
    objects: new Map(),
    metadata: new Map(),
    versions: null,
    conditions: true,
    refuses: [],
    pageSize: 1000,
    delayMs: 300,
    faults: [],
    always: null,
    requests: [],
    traceparents: [],
    close: () => shut(server),
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The faults at arrival: a request that its client gave up must not meet the faults of another test.
    const fault = s3.always ?? s3.faults.shift()
    const body = await buffer(request)
    const { method = '', headers } = request
    const url = new URL(request.url ?? '/', s3.endpoint)
    s3.requests.push(`${method} ${request.url}`)
    if (headers.traceparent !== undefined) s3.traceparents.push(`${headers.traceparent}`)
    if (fault === 'hang') return
    if (fault === 'reset') return void response.destroy()
    if (fault === 'hang-in-body') {
      response.writeHead(200, { 'content-length': 1000 }).write('<?xml')
      return
    }
    const { accessKeyId: id, secretAccessKey: secret } = s3.credentials
    const problem = signatureProblem({ method, url, headers, body }, { id, secret })
    if (fault === 'slow') await sleep(s3.delayMs)
    const answer =
      (fault && failures[fault]) ?? (problem === null ? answerTo(s3, request, url, body) : failure(403, problem))
    const whole = Buffer.from(answer.body)
    const sent = method === 'GET' && fault ? spoiled(whole, fault) : whole
    const length = fault === 'short' ? sent.length : whole.length
    response.writeHead(answer.status, { 'content-length': length, 'x-amz-request-id': '1', ...answer.headers })
    if (sent.length < length) response.write(sent, () => response.destroy())
    else response.end(sent)
  }

  return s3
}

function spoiled(body: Buffer, fault: S3Fault): Buffer {
  if (fault === 'truncated' || fault === 'short') return body.subarray(0, body.length >> 1)
  return fault === 'altered' ? Buffer.from(body.map((byte, i) => (i === 0 ? byte ^ 1 : byte))) : body
}
