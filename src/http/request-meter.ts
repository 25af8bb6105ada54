/** Counts requests. It keeps labels from fixed lists: nothing of what callers send. */
export interface RequestMeter {
  started(method: string): void
  /** Tells how to read the bytes of bodies and answers that are held. */
  buffered(bytes: () => number): void
  /** The answer has ended, or its client has left. `status` is null when no answer began. */
  ended(request: MeteredRequest): void
  /** A head that could not be read, so that no request began. */
  broken(request: Omit<MeteredRequest, 'method'> & { method: string | null }): void
}

export interface MeteredRequest {
  method: string
  status: number | null
  ms: number
  /** A template, or null. */
  route: string | null
  /** The code of the error in the answer. */
  error: string | null
}
