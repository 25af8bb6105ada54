/** Facts about a request for its line in the log. Each layer fills in what it learns. */
export interface RequestRecord {
  requestId: string | null
  /** A template such as `/v1/units/{id}`, never the path itself: paths of links contain secrets. */
  route: string | null
  principalId: string | null
  /** The name of the target namespace. */
  namespace: string | null
  /** Root fields of a GraphQL operation; null for any other request. */
  fields: readonly string[] | null
  /** The code of the error in the answer. */
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
