/**
 * The names on the wire that depend on the brand. Its first letter is a capital in headers, as documents spell them.
 */
const header = (brand: string, name: string) => `X-${brand.charAt(0).toUpperCase()}${brand.slice(1)}-${name}`

export const scopeHeader = (brand: string): string => header(brand, 'Scope')

export const namespaceHeader = (brand: string): string => header(brand, 'Namespace')

/** The seq that a write has reached. */
export const seqHeader = (brand: string): string => header(brand, 'Seq')

/** The token of an invitation, at a sign-up. */
export const invitationHeader = (brand: string): string => header(brand, 'Invitation')

/** The seq that a read must follow. */
export const afterSeqHeader = (brand: string): string => header(brand, 'After-Seq')

export const sessionCookie = (brand: string): string => `${brand}.session_token`

/** The prefix of a token. Its name and 32 random characters follow. */
export const tokenPrefix = (brand: string): string => `${brand}_sk_`

/** The prefix of an agent's access token. */
export const agentTokenPrefix = (brand: string): string => `${brand}_at_`

/** The brand in a token; undefined for a text that is not a token. */
export const brandOfToken = (token: string): string | undefined => /^([a-z][a-z0-9]{0,15})_sk_/.exec(token)?.[1]

/** The memory that a request takes until its answer has left: of a limit for its caller, and one for the process. */
export interface Room {
  /** Notes whose request it is. Throws 429 if this caller has too many open. */
  enter(principalId: string): void
  /**
   * Waits until there is room for an answer, or a part of one. Throws 429 while this caller holds too much that it has not
   * read, 503 while all callers together do, 400 if the answer is too long already.
   */
  more(isLong: boolean): Promise<void>
  /** Counts bytes of the answer. */
  hold(bytes: number): void
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

interface TraceParent {
  traceId: string
  spanId: string
  /** Bits; the lowest says that the caller records the trace. */
  flags: number
}

/** What a valid `traceparent` (W3C Trace Context) says, else null. Later versions may append fields. */
export function traceParentOf(header: string | undefined): TraceParent | null {
  const [, version = 'ff', traceId = '', spanId = '', flags = '', rest] = form.exec(header ?? '') ?? []
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? null : { traceId, spanId, flags: Number.parseInt(flags, 16) }
}

/** An Idempotency-Key as it was sent. */
export interface SentKey {
  key: string
  /** The caller's credential. It encrypts what is kept, and is itself not kept. */
  credential: string
  /** All that the key stands for: method, path, query, scope, body. */
  request: readonly (string | Uint8Array)[]
}

/** In double quotes it is the same key. */
export const unquoted = (key: string): string => /^"(.*)"$/.exec(key)?.[1] ?? key

export const isKey = (key: string): boolean => /^[\x21-\x7e]{1,255}$/.test(key)

/** The maximum of requests in each window of time. */
export interface RequestLimit {
  requests: number
  seconds: number
}

export interface RequestLimits {
  /** For all credentials of a principal. */
  principal: RequestLimit | null
  /** For all principals that have the namespace as their home. */
  namespace: RequestLimit | null
}

/** Facts about a request for its line in the log and the head of its answer; the HTTP layer writes both. */
export interface RequestNotes {
  principalId: string | null
  /** The name of the target namespace. */
  namespace: string | null
  /** Root fields of a GraphQL operation; null for any other request. */
  fields: readonly string[] | null
  /** Of the request's span, else of the caller's valid `traceparent`. */
  traceId: string | null
  /** The code of the error in the answer. */
  error: string | null
  /** Headers of the answer, by names in lower case. */
  headers: Record<string, string>
  /** The answer has a new secret: it is not compressed. */
  plain: boolean
  /** The memory that the request takes, where it is limited. */
  room?: Room
}

/** Facts about a request, the same for REST and GraphQL. Header names are lower-case. */
export interface RequestFacts {
  headers: Readonly<Record<string, string>>
  query: URLSearchParams
  requestId: string
  /** The REST route, such as `GET /v1/units/:id`, if it is one. */
  operation?: string | undefined
  /** The lists of the answer are whole: it has no pages. */
  wholeLists?: boolean | undefined
  /** The protocol, if it is neither REST nor GraphQL. */
  via?: string | undefined
  /** The request may name a seq that it must follow. */
  followsSeq?: boolean | undefined
  record?: Pick<RequestNotes, 'principalId' | 'namespace' | 'headers' | 'plain' | 'room'> | undefined
}

/**
 * Whether a route requires a credential. `optional` checks one that is sent, `none` does not read it. `own` leaves the
 * check to the operation, which accepts another kind of credential.
 */
export type Auth = 'required' | 'optional' | 'none' | 'own'
