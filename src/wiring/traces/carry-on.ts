import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { context, createContextKey, isSpanContextValid, trace } from '@opentelemetry/api'

/** Set by OpenTelemetry's SDK while it sends spans. */
const suppressed = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')

/** The parts of undici's request in use. */
interface FetchRequest {
  addHeader(name: string, value: string): void
}

/** Headers (W3C Trace Context) of the active span; empty where there is none. */
function headers(): [string, string][] {
  const active = context.active()
  const span = active.getValue(suppressed) === true ? undefined : trace.getSpanContext(active)
  if (span === undefined || !isSpanContextValid(span)) return []
  const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0')
  const state = span.traceState?.serialize() ?? ''
  return [['traceparent', `00-${span.traceId}-${span.spanId}-${flags}`], ...stateOf(state)]
}

const stateOf = (state: string): [string, string][] => (state === '' ? [] : [['tracestate', state]])

/** Requests to vendors carry the trace on: by `fetch`, and by `node:http`, which some SDKs use. */
export function carryTracesOn(): () => void {
  const onFetch = (message: unknown) => {
    const { request } = message as { request: FetchRequest }
    for (const [name, value] of headers()) request.addHeader(name, value)
  }
  const onRequest = (message: unknown) => {
    const { request } = message as { request: ClientRequest }
    if (request.headersSent) return
    for (const [name, value] of headers()) request.setHeader(name, value)
  }
  subscribe('undici:request:create', onFetch)
  subscribe('http.client.request.created', onRequest)
  return () => {
    unsubscribe('undici:request:create', onFetch)
    unsubscribe('http.client.request.created', onRequest)
  }
}
