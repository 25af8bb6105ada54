/** What becomes known of a request while it is served, for its line in the log. Whatever learns it fills it in. */
export interface RequestRecord {
  requestId: string | null
  /** A template such as `/v1/units/{id}`, never the path itself: links carry secrets in theirs. */
  route: string | null
  principalId: string | null
  /** The namespace that is targeted, by name. */
  namespace: string | null
  /** Root fields of a GraphQL operation; null for what is none. */
  fields: readonly string[] | null
  /** The code of the error that was answered. */
  error: string | null
}

export const newRecord = (): RequestRecord => ({
  requestId: null,
  route: null,
  principalId: null,
  namespace: null,
  fields: null,
  error: null,
})
