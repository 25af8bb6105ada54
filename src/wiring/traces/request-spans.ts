import {
  type Context,
  context,
  createTraceState,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { splitTarget } from '../../http/message.ts'
import type { RequestTracer } from '../../http/request-tracer.ts'
import { traceParentOf } from '../../http/trace-parent.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE'])

/** Server spans, by OpenTelemetry's semantic conventions of HTTP. */
export function createRequestSpans(tracer: Tracer): RequestTracer {
  return {
    begin: ({ method, headers }) => {
      const known = methods.has(method)
      const parent = parentOf(headers)
      const attributes = { 'http.request.method': known ? method : '_OTHER', 'url.scheme': 'http' }
      const span = tracer.startSpan(known ? method : 'HTTP', { kind: SpanKind.SERVER, attributes }, parent)
      const within = trace.setSpan(parent, span)
      return {
        traceId: span.spanContext().traceId,
        run: (work) => context.with(within, work),
        end: ({ target, route, status, requestId }) => {
          if (route !== null) span.updateName(`${known ? method : 'HTTP'} ${route}`).setAttribute('http.route', route)
          span.setAttribute('url.path', route === null ? redacted : pathOf(target, route))
          if (requestId !== null) span.setAttribute('retrieval.request_id', requestId)
          if (status !== null) span.setAttribute('http.response.status_code', status)
          if (status !== null && status >= 500) {
            span.setAttribute('error.type', `${status}`).setStatus({ code: SpanStatusCode.ERROR })
          }
          span.end()
        },
      }
    },
  }
}

function parentOf(headers: Readonly<Record<string, string>>): Context {
  const parent = traceParentOf(headers.traceparent)
  if (parent === null) return ROOT_CONTEXT
  const { tracestate } = headers
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: parent.traceId,
    spanId: parent.spanId,
    traceFlags: parent.flags,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
  })
}

/** Of a path that the service does not have, nothing is known: it may hold a secret that was sent to a wrong place. */
const redacted = '/REDACTED'

/** Links have their secret where the template has a parameter, and sign-in has it somewhere. */
function pathOf(target: string, route: string): string {
  const secret = /^(.*)\{(?:token|path)\}/.exec(route)
  return secret ? `${secret[1]}REDACTED` : splitTarget(target).path
}
