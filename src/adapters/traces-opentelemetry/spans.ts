import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { rootCause, ServiceError } from '../../errors.ts'
import { traceParentOf } from '../../model/request.ts'
import type { InferenceCall, RequestTracer, Telemetry, VendorCall } from '../../model/telemetry.ts'

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
        end: ({ path, route, status, requestId }) => {
          if (route !== null) span.updateName(`${known ? method : 'HTTP'} ${route}`).setAttribute('http.route', route)
          span.setAttribute('url.path', route === null ? redacted : pathOf(path, route))
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
function pathOf(path: string, route: string): string {
  const secret = /^(.*)\{(?:token|path)\}/.exec(route)
  return secret ? `${secret[1]}REDACTED` : path
}

/** The span of the root field that is running. */
const fieldKey = createContextKey('retrieval root field')

/** OpenTelemetry's names of operations on models. */
const operations: Record<InferenceCall['operation'], string> = {
  embed: 'embeddings',
  rerank: 'rerank',
  chat: 'chat',
  judge: 'judge',
}

/** Reports to `inner`, and makes a span of each piece of work. Errors leave their kind, never their message. */
export function createTracedTelemetry(tracer: Tracer, inner: Telemetry): Telemetry {
  const spanned = <T>(
    name: string,
    { kind = SpanKind.INTERNAL, attributes = {} }: { kind?: SpanKind; attributes?: Attributes },
    work: () => Promise<T>,
    enter: (within: Context, span: Span) => Context = (within) => within,
  ): Promise<T> => {
    const span = tracer.startSpan(name, { kind, attributes })
    const within = enter(trace.setSpan(context.active(), span), span)
    return context.with(within, async () => {
      try {
        return await work()
      } catch (error) {
        const type = errorType(error)
        if (type !== null) span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    })
  }

  return {
    ...inner,
    field: (field, work) =>
      spanned(
        `${field.type} ${field.name}`,
        { attributes: { 'graphql.operation.type': field.type } },
        () => inner.field(field, work),
        (within, span) => within.setValue(fieldKey, span),
      ),
    stage: (stage, work) => spanned(`search ${stage}`, {}, () => inner.stage(stage, work)),
    leg: (leg, work) => {
      const { kind, plane, engine } = leg
      const attributes = { 'retrieval.plane': plane, 'retrieval.engine': engine }
      return spanned(`search leg ${kind}`, { attributes }, () => inner.leg(leg, work))
    },
    inference: (call, work) => {
      // What is built in does not call a vendor, and there may be hundreds.
      if (call.provider === 'builtin') return inner.inference(call, work)
      const operation = operations[call.operation]
      // Without the provider and the dimensions, which our own names have.
      const model = call.model.replace(/^(?:openai|pinecone|onnx|tei):|@\d+$/g, '')
      const attributes = {
        'gen_ai.operation.name': operation,
        'gen_ai.provider.name': call.provider,
        'gen_ai.request.model': model,
      }
      return spanned(`${operation} ${model}`, { kind: SpanKind.CLIENT, attributes }, () => inner.inference(call, work))
    },
    database: ({ system, operation }, work) => {
      const attributes = { 'db.system.name': system, 'db.operation.name': operation }
      return spanned(operation, { kind: SpanKind.CLIENT, attributes }, work)
    },
    vendor: (call, work) => {
      const { name, attributes } = vendorSpan(call)
      return spanned(name, { kind: SpanKind.CLIENT, attributes }, work)
    },
    searched: (query) => {
      const span = context.active().getValue(fieldKey) as Span | undefined
      span?.setAttribute('retrieval.query.text', query)
    },
  }
}

/** S3 by OpenTelemetry's conventions of AWS, all others by those of remote calls. */
function vendorSpan({ system, operation }: VendorCall): { name: string; attributes: Attributes } {
  const [service, rpcSystem, separator] = system === 's3' ? ['S3', 'aws-api', '.'] : [system, system, '/']
  return {
    name: `${service}${separator}${operation}`,
    attributes: { 'rpc.system': rpcSystem, 'rpc.service': service, 'rpc.method': operation },
  }
}

/** Null for an error of the caller: the service did not fail. */
function errorType(error: unknown): string | null {
  const cause = error instanceof Error ? rootCause(error) : error
  if (cause instanceof ServiceError) return cause.status >= 500 ? cause.code : null
  if (!(cause instanceof Error)) return '_OTHER'
  return 'code' in cause && typeof cause.code === 'string' && /^\w{1,40}$/.test(cause.code) ? cause.code : cause.name
}
