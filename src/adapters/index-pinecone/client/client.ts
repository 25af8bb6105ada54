import { Pinecone } from '@pinecone-database/pinecone'
import type { z } from 'zod'
import { type Received, receive } from '../../resilience/receive.ts'
import { failure, malformed, vendorCodeOf } from './failure.ts'
import type { PineconeConfig } from './pinecone-config.ts'

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
