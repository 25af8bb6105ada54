/** Facts about a request for its line in the log; the HTTP layer writes the line. */
export interface RequestNotes {
  principalId: string | null
  namespace: string | null
  fields: readonly string[] | null
  error: string | null
}

/** Facts about a request, the same for REST and GraphQL. Header names are lower-case. */
export interface RequestFacts {
  headers: Readonly<Record<string, string>>
  query: URLSearchParams
  requestId: string
  /** The REST route, such as `GET /v1/units/:id`, if it is one. */
  operation?: string | undefined
  record?: Pick<RequestNotes, 'principalId' | 'namespace'> | undefined
}

/** Whether a credential is required, optional or not read. `own` routes check their own kind of credential. */
export type Auth = 'required' | 'optional' | 'none' | 'own'
