import type { ExecutionResult, GraphQLError } from 'graphql'
import { badRequest, InvalidInput, notFound, renderPath, rootCause, ServiceError } from '../../errors.ts'
import { withCors } from '../cors.ts'
import { createSameOriginGuard } from '../csrf.ts'
import { toErrorResponse } from '../failures.ts'
import { internalError, json } from '../json.ts'
import type { Log } from '../log.ts'
import { type Handler, type HttpRequest, isCleanText, splitTarget } from '../message.ts'
import { requestIdOf, withRequestId } from '../request-id.ts'
import { parseBody } from './body.ts'
import type { GraphqlDoor, RequestFacts } from './door.ts'
import { toVariables } from './input.ts'
import { createMatcher, type Match } from './match.ts'
import { toWirePath } from './names.ts'
import { type Operation, prepare } from './operation.ts'
import type { Route, RouteInput } from './route.ts'

export interface ShimOptions<Context> {
  routes: readonly Route[]
  door: GraphqlDoor<Context>
  /** Names the session cookie. */
  brand: string
  log: Log
  allowedOrigins?: readonly string[]
  /** 16 MiB unless given. */
  maxBodyBytes?: number
}

/** Signatures are over the bytes, a byte order mark among them. */
const exactText = new TextDecoder('utf-8', { ignoreBOM: true })

type Matched = Match<Operation & Pick<Route, 'method' | 'path'>>

/**
 * The REST door: finds the route, learns who is calling, maps the request to variables, runs the route's operation.
 * Errors come in that order: 404, then 401 and 403, then 400, then whatever the operation says.
 */
export function createShim<Context>(options: ShimOptions<Context>): Handler {
  const { routes, door, brand, log, allowedOrigins = [], maxBodyBytes } = options
  const guard = createSameOriginGuard({ brand, allowedOrigins })
  const operations = routes.map((route) => ({
    ...prepare(route, door.schema),
    method: route.method,
    path: route.path,
  }))
  const match = createMatcher(operations)

  async function serve(request: HttpRequest): Promise<unknown> {
    const { path, query: search } = splitTarget(request.target)
    const found = match(request.method, path)
    if (found === undefined) throw notFound('no such route')
    const { route, method, path: pattern } = found.route
    const query = new URLSearchParams(search)
    const facts: RequestFacts = {
      headers: request.headers,
      query,
      requestId: requestIdOf(request.headers),
      operation: `${method} ${pattern}`,
    }
    if (route.auth !== 'none') guard(request.headers)
    const context = await door.context(facts, { auth: route.auth })
    const input = await readInput(found, request, query, maxBodyBytes)
    const wire = route.variables(input)
    const mapping = { fromUrl: route.body === 'none' }
    const variables = toVariables(found.route.variables, wire, mapping)
    const result = await door.execute(found.route.document, variables, context)
    if (result.errors !== undefined && result.errors.length > 0) {
      // No data at all and no path: the variables were refused. Walk again, parsing, to say where.
      if (result.data === undefined) toVariables(found.route.variables, wire, { ...mapping, explain: true })
      throw failureOf(result.errors, facts.requestId, log)
    }
    return answerOf(found.route, result)
  }

  const handler: Handler = async (request) => {
    try {
      return json(200, await serve(request))
    } catch (error) {
      return toErrorResponse(inWireNames(error), requestIdOf(request.headers), log)
    }
  }
  return withRequestId(withCors(handler, allowedOrigins))
}

async function readInput(
  { route: { route }, params, malformed }: Matched,
  request: HttpRequest,
  query: URLSearchParams,
  maxBodyBytes: number | undefined,
): Promise<RouteInput> {
  const [wrong] = malformed
  if (wrong !== undefined) throw badRequest(`${wrong}: is not valid percent-encoded text`)
  // The one parameter that routes do not read themselves: the context factory does.
  if (!isCleanText(query.get('scope') ?? '')) throw badRequest('scope: must not hold NUL or an unpaired surrogate')
  const input = { params, query, headers: request.headers, body: {}, raw: '' }
  if (route.body === 'none') return input
  const bytes = await request.body(maxBodyBytes)
  if (route.body === 'raw') return { ...input, raw: exactText.decode(bytes) }
  const body = parseBody(bytes)
  if (body === undefined && route.body === 'required') throw badRequest('a JSON body is required')
  return { ...input, body: body ?? {} }
}

function answerOf(operation: Operation, { data }: ExecutionResult): unknown {
  return operation.bodyIsRoot ? data?.body : data
}

/** The first error that is meant for the caller; the others are logged. */
function failureOf(errors: readonly GraphQLError[], requestId: string, log: Log): ServiceError {
  const causes = errors.map(rootCause)
  for (const err of causes) if (!(err instanceof ServiceError)) log.error({ err, requestId }, 'resolver failed')
  return causes.find((cause) => cause instanceof ServiceError) ?? internalError()
}

/** Domain validation speaks GraphQL names; a REST caller reads its own. */
function inWireNames(error: unknown): unknown {
  if (!(error instanceof InvalidInput) || error.path.length === 0) return error
  return badRequest(`${renderPath(toWirePath(error.path))}: ${error.problem}`)
}
