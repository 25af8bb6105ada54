/** What is noted of a request for its line in the log; the HTTP layer writes the line. */
export interface RequestNotes {
  principalId: string | null
  namespace: string | null
  fields: readonly string[] | null
  error: string | null
}

/** What a door says of a request, whichever door it came through. Header names are lower-case. */
export interface RequestFacts {
  headers: Readonly<Record<string, string>>
  query: URLSearchParams
  requestId: string
  /** The REST route, as `GET /v1/units/:id`, if it is one. */
  operation?: string | undefined
  record?: Pick<RequestNotes, 'principalId' | 'namespace'> | undefined
}

/** Whether a request must say who is calling, may, or is not asked: `own` routes check a credential of their own. */
export type Auth = 'required' | 'optional' | 'none' | 'own'
