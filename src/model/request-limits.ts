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
