import { badRequest, noSuchRoute } from '../../errors.ts'
import type { Log } from '../../model/log.ts'
import { type Auth, type RequestFacts, type SentKey, scopeHeader } from '../../model/request.ts'
import type { ArgumentSource, Endpoint, Operation } from '../../operations/operation.ts'
import { operations } from '../../operations/operations.ts'
import { eventStream, toEvent } from '../events.ts'
import { names, withRequestId } from '../handlers.ts'
import {
  errorBody,
  exposedHeaders,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  idempotencyKey,
  isCleanText,
  json,
  jsonOf,
  jsonText,
  requestIdOf,
  splitTarget,
  tagged,
  toErrorResponse,
  toServiceError,
  withCallerHeaders,
} from '../message.ts'
import { createSameOriginGuard, credentialOf, ownPages, pageProblemOf, withCors } from '../origin.ts'
import {
  type Call,
  type CallPlan,
  type GraphqlApi,
  inWireNames,
  prepareCall,
  prepareStream,
  type Shown,
  type Stream,
  wholeBody,
} from './call.ts'
import { parseBody } from './input.ts'

/** An endpoint of an operation, complete. */
export interface Route extends Omit<Endpoint, 'route'> {
  method: string
  /** `/v1/units/:id`. */
  path: string
  /** The root field. */
  field: string
  args: Readonly<Record<string, ArgumentSource>>
  auth: Auth
  body: NonNullable<Endpoint['body']>
}

/** The routes of operations, in their order. */
export const routesOf = (
  operations: Readonly<Record<string, Operation | Pick<Operation, 'input' | 'rest'>>>,
): Route[] =>
  Object.entries(operations).flatMap(([field, { input, rest = [] }]) =>
    [rest].flat().map(({ route, ...endpoint }: Endpoint) => {
      const [method = '', path = ''] = route.split(' ')
      const ofPath = [...path.matchAll(/\/:(\w+)/g)].map(([, name]) => [name, `:${name}`])
      const args = input ? { input: 'body' as const } : Object.fromEntries(ofPath)
      const body = method === 'POST' ? 'required' : 'none'
      return { method, path, field, args, auth: 'required', body, ...endpoint }
    }),
  )

/** The whole contract under /v1; all other paths answer 404. */
export const routes = routesOf(operations)

/** Whether the credential identifies the caller, which decides what the request may access. */
export const namesCaller = ({ auth }: Pick<Route, 'auth'>) => auth === 'required' || auth === 'optional'

/** A route, and the call that it makes. */
export interface RouteCall extends Call {
  route: Route
  plan: CallPlan
  /** `GET /v1/units/:id`. */
  name: string
  /** `/v1/units/{id}`. */
  template: string
  /** The values that a request sends for the arguments, in wire names; `null` and `undefined` are not sent. */
  valuesOf(input: RouteInput): Readonly<Record<string, unknown>>
}

/** Throws for a route that does not fit the schema. */
export function prepareRoute(route: Route, shown: Shown): RouteCall {
  const { method, path, field, answer } = route
  const sources = Object.entries(route.args).map(([argument, source]) => {
    const wireName = wireNameOf(argument, source)
    return { argument, wireName, read: readerOf(source) }
  })
  const args = Object.fromEntries(sources.map(({ argument, wireName }) => [argument, wireName]))
  // Fields of a body that no argument takes are unknown ones.
  const ignoresBody = !Object.values(route.args).includes('body')
  const plan = { field, args, answer }
  return {
    ...prepareCall(shown, plan),
    route,
    plan,
    name: `${method} ${path}`,
    template: path.replace(/\/:(\w+)/g, '/{$1}'),
    valuesOf: (input) => {
      const values: Record<string, unknown> = ignoresBody ? { ...input.body } : {}
      for (const { wireName, read } of sources) values[wireName] = read(input)
      return values
    },
  }
}

/** Whether a route reads the header Idempotency-Key. */
export const takesKey = ({ route, isWrite }: RouteCall): boolean =>
  isWrite && route.method === 'POST' && namesCaller(route)

const searches = ['/v1/search', '/v1/answer']

/** Whether a route waits for the seq that its caller names. */
export const followsSeq = (route: Route): boolean =>
  namesCaller(route) && (route.method === 'GET' || searches.includes(route.path))

function wireNameOf(name: string, source: ArgumentSource): string {
  if (source === 'body' || (typeof source === 'object' && 'query' in source)) return wholeBody
  return typeof source === 'string' && /^[:?]/.test(source) ? source.slice(1) : name
}

/** A request, as a route reads it. */
export interface RouteInput {
  /** Decoded. */
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  headers: Readonly<Record<string, string>>
  /** `{}` when the request has none. */
  body: Readonly<Record<string, unknown>>
  /** The body as text, for a route with `body: 'raw'`; otherwise empty. */
  raw: string
}

function readerOf(source: ArgumentSource): (input: RouteInput) => unknown {
  if (source === 'body') return ({ body }) => body
  if (source === 'raw') return ({ raw }) => raw
  if (source === 'credential') return ({ headers }) => /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (typeof source === 'object' && 'query' in source) return ({ query }) => fieldsIn(query, source.query)
  if (typeof source === 'object') {
    const header = source.header.toLowerCase()
    return ({ headers }) => headers[header]
  }
  const name = source.slice(1)
  return source.startsWith(':') ? ({ params }) => params[name] : ({ query }) => query.get(name)
}

function fieldsIn(query: URLSearchParams, names: readonly string[]): Record<string, unknown> {
  const sent = names.map((name) => [name, query.getAll(name)] as const).filter(([, values]) => values.length > 0)
  return Object.fromEntries(sent.map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
}

export interface Match<R> {
  route: R
  params: Record<string, string>
  /** Parameters with invalid percent-encoding; the caller sees the error only after authentication. */
  malformed: string[]
}

/** `undefined` for a segment that cannot be decoded. */
type Segments = (string | undefined)[]

/**
 * Finds the route of a raw path. The path is split before its segments are decoded, so `a%2Fb` is one segment and
 * `%2e%2e` does not move up. An empty segment, for example after a trailing slash, matches no route.
 */
export function createMatcher<R extends Pick<Route, 'method' | 'path'>>(routes: readonly R[]) {
  const shapes = routes.map((route) => ({ route, segments: route.path.split('/').slice(1) }))
  // Literal segments come before parameters.
  shapes.sort((a, b) => parameterCount(a.segments) - parameterCount(b.segments))
  const literal = new Map<string, R>()
  for (const { route, segments } of shapes) {
    const name = `${route.method} ${route.path}`
    if (parameterCount(segments) === 0 && !literal.has(name)) literal.set(name, route)
  }
  return (method: string, rawPath: string): Match<R> | undefined => {
    const exact = literal.get(`${method} ${rawPath}`)
    if (exact !== undefined) return { route: exact, params: {}, malformed: [] }
    if (!rawPath.startsWith('/')) return undefined
    const segments = rawPath.slice(1).split('/').map(decode)
    const shape = shapes.find((s) => s.route.method === method && fits(s.segments, segments))
    return shape && bind(shape, segments)
  }
}

const isParameter = (segment: string) => segment.startsWith(':')
const parameterCount = (segments: string[]) => segments.filter(isParameter).length

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

function fits(shape: readonly string[], segments: Segments): boolean {
  return (
    shape.length === segments.length &&
    shape.every((part, i) => (isParameter(part) ? segments[i] !== '' : part === segments[i]))
  )
}

function bind<R>(shape: { route: R; segments: string[] }, segments: Segments): Match<R> {
  const match: Match<R> = { route: shape.route, params: {}, malformed: [] }
  for (const [i, part] of shape.segments.entries()) {
    if (!isParameter(part)) continue
    const name = part.slice(1)
    const value = segments[i]
    if (value === undefined || !isCleanText(value)) match.malformed.push(name)
    else match.params[name] = value
  }
  return match
}

interface ShimOptions<Context> {
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
    const problem = route.ownOrigin ? pageProblemOf(own)(request.headers) : null
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
