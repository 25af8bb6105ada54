import { setTimeout as delay } from 'node:timers/promises'
import { Pinecone } from '@pinecone-database/pinecone'
import { z } from 'zod'
import type { WriteAttempt } from '../../ports/indexes/index-sink.ts'
import { type Received, receive } from '../resilience/receive.ts'
import { failuresOf, isFailure, RemoteError } from '../resilience/remote-error.ts'
import { withRetries as retried } from '../resilience/retries.ts'

export interface PineconeConfig {
  apiKey: string
  /** Address of the control plane; null for Pinecone's own. */
  host: string | null
  /** The prefix of the index names. */
  prefix: string
  cloud: 'aws' | 'gcp' | 'azure'
  region: string
}

/** No answer is larger: 100 records of 16,384 dimensions are about 25 MB. */
const maxBytes = 64 * 2 ** 20

export interface Answer<T> {
  body: T
  /** The log sequence number of a write in its namespace; null if the server reports none. */
  lsn: number | null
  /** Of a query: the last log sequence number that it saw in the namespace; null if the server reports none. */
  indexedLsn: number | null
}

/** One request through Pinecone's SDK, ended by the signal; the answer must match the shape. */
export type Ask = <T>(
  shape: z.ZodType<T>,
  signal: AbortSignal,
  request: (pinecone: Pinecone) => Promise<unknown>,
) => Promise<Answer<T>>

/**
 * The SDK makes the requests, but this code reads the answers: the SDK treats an answer without any fields as an empty
 * one. Its errors are not passed on, because they contain requests and answers. It tries once: the caller decides
 * whether to retry.
 */
export function createClient({ apiKey, host }: Pick<PineconeConfig, 'apiKey' | 'host'>): Ask {
  return async (shape, signal, request) => {
    const outcome: { received?: Received; failure?: unknown } = {}
    const fetchApi = async (input: string | URL | Request, init?: RequestInit) => {
      try {
        const received = await receive(
          input,
          { ...init, signal },
          { fail: failure, maxBytes, request: `${init?.method ?? 'GET'} ${pathOf(input)}`, vendorCode: vendorCodeOf },
        )
        outcome.received = received
        return new Response(received.text || null, { status: 200, headers: { 'content-type': 'application/json' } })
      } catch (error) {
        outcome.failure = error
        throw error
      }
    }
    const pinecone = new Pinecone({
      apiKey,
      fetchApi,
      maxRetries: 0,
      ...(host === null ? {} : { controllerHostUrl: host }),
    })
    try {
      await request(pinecone)
    } catch {
      throw outcome.failure ?? malformed('answered in no known shape')
    }
    if (!outcome.received) throw malformed('was not asked')
    const { headers, text } = outcome.received
    return {
      body: parsed(shape, text),
      lsn: numberOf(headers.get('x-pinecone-request-lsn')),
      indexedLsn: numberOf(headers.get('x-pinecone-max-indexed-lsn')),
    }
  }
}

function parsed<T>(shape: z.ZodType<T>, text: string): T {
  try {
    return shape.parse(JSON.parse(text))
  } catch {
    throw malformed('answered in no known shape')
  }
}

/** Without the query string, which may contain ids. */
const pathOf = (input: string | URL | Request) => new URL(input instanceof Request ? input.url : input).pathname

const numberOf = (header: string | null) => (header !== null && /^\d{1,15}$/u.test(header) ? Number(header) : null)

export const failure = failuresOf('Pinecone')
export const timedOut = () => failure('timeout', 'did not answer in time')
export const malformed = (problem: string) => failure('malformed', problem)

/** NOT_FOUND of gRPC. The data plane answers it for a missing namespace; a deleted index answers no such code. */
const notFound = '5'

/** A namespace that was never written to, or that was deleted. */
export const isAbsentNamespace = (error: unknown): boolean =>
  isFailure(error, 'absent') && error.vendorCode === notFound

/** The code in the body of an error. */
function vendorCodeOf(text: string): string | null {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null && 'code' in answer ? String(answer.code) : null
  } catch {
    return null
  }
}

const delays = { firstDelayMs: 100, maxDelayMs: 5000 }

export const retries = { write: { max: 4, ...delays }, read: { max: 1, ...delays } } as const

export const withRetries = <T>(
  policy: (typeof retries)[keyof typeof retries],
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> => retried(policy, attempt, { signal, fail: failure })

/**
 * A write with its retries. Reports each failed try that may still take effect, even after later requests, whether a
 * later try succeeds or not.
 */
export function writeWithRetries<T>(
  { signal, unsettled }: Pick<WriteAttempt, 'signal' | 'unsettled'>,
  request: () => Promise<T>,
): Promise<T> {
  return withRetries(retries.write, signal, async () => {
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof RemoteError) || error.mayBeDone) unsettled()
      throw error
    }
  })
}

/** Throws if the signal aborts first. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {
    throw timedOut()
  })
}

/** Answers that name their namespace; the name may be empty if there is no such namespace. */
const ofNamespace = (namespace: string) => ({ namespace: z.union([z.literal(namespace), z.literal('')]) })

export const upserted = (count: number) => z.object({ upsertedCount: z.literal(count) })

export const deleted = z.object({})

export const matches = (namespace: string) =>
  z.object({
    ...ofNamespace(namespace),
    // Rounding may move a cosine slightly beyond 1.
    matches: z.array(z.object({ id: z.string().min(1), score: z.number().min(-1.001).max(1.001) })),
  })

export const listed = (namespace: string) =>
  z.object({
    ...ofNamespace(namespace),
    vectors: z.array(z.object({ id: z.string().min(1) })).default([]),
    pagination: z.object({ next: z.string().min(1) }).optional(),
  })

export const fetched = (namespace: string) =>
  z.object({
    ...ofNamespace(namespace),
    vectors: z.record(z.string(), z.object({ metadata: z.record(z.string(), z.unknown()).default({}) })).default({}),
  })

/** Pinecone's limits per request (https://docs.pinecone.io/reference/api/database-limits/operation-limits). */
export const maximum = { records: 1000, bytes: 2_000_000, idsInAddress: 100 } as const

/** Concurrent requests to one index. */
export const parallel = 4
