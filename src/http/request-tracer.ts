/** Makes a span of each request. */
export interface RequestTracer {
  /** Continues the trace of a valid `traceparent`, else begins a new one. */
  begin(request: { method: string; headers: Readonly<Record<string, string>> }): RequestTrace
}

export interface RequestTrace {
  /** 32 lower-case hex digits. */
  traceId: string
  /** Runs the request inside of its span. */
  run<T>(work: () => T): T
  end(request: TracedRequest): void
}

export interface TracedRequest {
  target: string
  /** A template, or null. */
  route: string | null
  /** Null when no answer began. */
  status: number | null
  requestId: string | null
}
