const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

export interface TraceParent {
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
