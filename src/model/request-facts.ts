import type { Room } from './room.ts'

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
