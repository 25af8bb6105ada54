import { badRequest, noSuchRoute } from '../../errors.ts'
import { scopeHeader } from '../../model/request.ts'
import type { Log } from '../../model/log.ts'
import type { RequestFacts } from '../../model/request.ts'
import { eventStream, toEvent } from '../events.ts'
import { names, withRequestId } from '../handlers.ts'
import { credentialOf, idempotencyKey, type SentKey } from '../idempotency.ts'
import {
  errorBody,
  exposedHeaders,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  isCleanText,
  json,
  jsonOf,
  jsonText,
  splitTarget,
  tagged,
  toErrorResponse,
  toServiceError,
  withCallerHeaders,
} from '../message.ts'
import { createSameOriginGuard, ownPages, pageProblem, withCors } from '../origin.ts'
import { requestIdOf } from '../request-record.ts'
import { type GraphqlApi, inWireNames, prepareStream, type Stream } from './call.ts'
import { parseBody } from './input.ts'
import {
  createMatcher,
  followsSeq,
  type Match,
  namesCaller,
  prepareRoute,
  type Route,
  type RouteCall,
  type RouteInput,
  takesKey,
} from './route.ts'

export interface ShimOptions<Context> {
  routes: readonly Route[]
  /** What answers show of types. */
  shapes: Readonly<Record<string, string>>
  graphql: GraphqlApi<Context>
  /** Names the session cookie. */
  brand: string
  log: Log
  allowedOrigins?: readonly string[]
  publicOrigin?: string | null
  /** 16 MiB by default. */
  maxBodyBytes?: number
}

/** Signatures are over the bytes, including a byte order mark. */
const exactText = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * The REST API: finds the route, authenticates the caller, calls the resolver of the route's root field.
 * Errors come in this order: 404, then 401 and 403, then 400, then the errors of the operation.
 */
export function createShim<Context>(options: ShimOptions<Context>): Handler {
  const { routes, shapes, graphql, brand, log, allowedOrigins = [], publicOrigin = null, maxBodyBytes } = options
  const own = ownPages(publicOrigin, allowedOrigins)
  const guard = createSameOriginGuard({ brand, own })
  const match = createMatcher(routes)
  // All of them now: the service does not start with one that does not fit the schema.
  const shown = { schema: graphql.schema, shapes }
  const served = new Map<Route, RouteCall>()
  const streams = new Map<Route, Stream>()
  for (const route of routes) {
    const call = prepareRoute(route, shown)
    served.set(route, call)
    if (route.events !== undefined) streams.set(route, prepareStream(shown, { ...call.plan, answer: route.events }))
  }

  async function serve(request: HttpRequest): Promise<HttpResponse> {
    const { path, query: search } = splitTarget(request.target)
    const found = match(request.method, path)
    const operation = found && served.get(found.route)
    if (!operation) throw noSuchRoute(request.method, request.target)
    const { route } = found
    const query = new URLSearchParams(search)
    const facts: RequestFacts = {
      headers: request.headers,
      query,
      requestId: requestIdOf(request.headers),
      operation: operation.name,
      wholeLists: route.wholeLists ?? false,
      followsSeq: followsSeq(route),
      record: request.record,
    }
    request.record.route = operation.template
    if (route.auth !== 'none') guard(request.headers)
    const problem = route.ownOrigin ? pageProblem(request.headers, own) : null
    if (problem !== null) throw problem
    const context = await graphql.context(facts, route.auth)
    const input = await readInput(found, request, query, maxBodyBytes)
    const stream = streams.get(route)
    const { accept } = request.headers
    // Generated clients name every form that openapi.json has, and read JSON.
    if (stream && names(accept, 'text/event-stream') && !names(accept, 'application/json'))
      return eventStream(answerEvents(stream(operation.valuesOf(input), context)), (error) =>
        toEvent('error', errorBody(toServiceError(inWireNames(error), request, log))),
      )
    const act = () => operation.run(operation.valuesOf(input), context, route.body === 'none')
    if (operation.isWrite && namesCaller(route)) {
      const sent = takesKey(operation) ? sentKey(request, path, search, input.bytes) : null
      const { value, text } = await graphql.write(context, sent, act, jsonText)
      return text === null ? json(200, value) : jsonOf(text)
    }
    const answer = json(200, await act())
    return route.tagged ? tagged(answer, request) : answer
  }

  function sentKey({ method, headers }: HttpRequest, path: string, query: string, body: Uint8Array): SentKey | null {
    const key = idempotencyKey(headers)
    if (key === null) return null
    const scope = headers[scopeHeader(brand).toLowerCase()] ?? ''
    return { key, credential: credentialOf(headers, brand), request: [method, path, query, scope, body] }
  }

  const handler: Handler = async (request) => {
    try {
      return await serve(request)
    } catch (error) {
      return toErrorResponse(inWireNames(error), request, log)
    }
  }
  return withRequestId(withCors(withCallerHeaders(handler, brand), allowedOrigins, { exposed: exposedHeaders(brand) }))
}

/** The events of an answer: `hits`, each `sentence`, and `done` with what is the answer elsewhere. */
async function* answerEvents(events: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const event of events) {
    const { result, ...sentence } = event as { result?: { answer: unknown } }
    yield result ? toEvent(result.answer === null ? 'hits' : 'done', result) : toEvent('sentence', sentence)
  }
}

const none = new Uint8Array()

async function readInput(
  { route, params, malformed }: Match<Route>,
  request: HttpRequest,
  query: URLSearchParams,
  maxBodyBytes: number | undefined,
): Promise<RouteInput & { bytes: Uint8Array }> {
  const [wrong] = malformed
  if (wrong !== undefined) throw badRequest(`${wrong}: must be valid percent-encoded text`)
  // Routes do not read this one parameter: the context factory does.
  if (!isCleanText(query.get('scope') ?? '')) throw badRequest('scope: must not contain NUL or an unpaired surrogate')
  const input = { params, query, headers: request.headers, body: {}, raw: '', bytes: none }
  if (route.body === 'none') return input
  const bytes = await request.body(maxBodyBytes)
  if (route.body === 'raw') return { ...input, bytes, raw: exactText.decode(bytes) }
  const body = await parseBody(bytes)
  if (body === undefined && route.body === 'required') throw badRequest('a JSON body is required')
  return { ...input, bytes, body: body ?? {} }
}
