import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server'
import { forbidden, ServiceError, unauthorized } from '../../errors.ts'
import { scopeHeader } from '../../model/brand.ts'
import type { Log } from '../../model/log.ts'
import type { RequestFacts } from '../../model/request-facts.ts'
import { covers } from '../../model/scope-path.ts'
import { withCors } from '../cors.ts'
import { toErrorResponse } from '../failures.ts'
import { fromFetch } from '../fetch.ts'
import { errorBody, json } from '../json.ts'
import { type Handler, type HttpRequest, type HttpResponse, splitTarget } from '../message.ts'
import { requestIdOf, withRequestId } from '../request-id.ts'
import type { GraphqlApi } from '../rest/graphql-api.ts'
import { prepare } from '../rest/operation.ts'
import { inWireNames, type Runnable, run } from '../rest/run.ts'
import { type OperationName, operations } from './operations.ts'
import { createMcpServer } from './server.ts'
import type { Caller } from './tools.ts'

export interface McpOptions<Context> {
  graphql: GraphqlApi<Context>
  /** What the endpoint itself has to know of a caller. */
  callerOf(context: Context): { tier: string; mayRead: boolean; mayWrite: boolean }
  brand: string
  version: string
  /** Where the service is reached; null: where the request came to. */
  publicOrigin: string | null
  allowedOrigins: readonly string[]
  log: Log
}

const maxBodyBytes = 4 * 2 ** 20
/** A longer body is still read, so that its sender gets the 413. */
const maxReadBytes = 4 * maxBodyBytes

/**
 * The Model Context Protocol over stateless Streamable HTTP. Tools and resources run the operations of REST, so that
 * every clamp, tier, rule and audit row is the same. Only a bearer credential counts.
 */
export function createMcpEndpoint<Context>(options: McpOptions<Context>): Handler {
  const { graphql, callerOf, brand, version, publicOrigin, allowedOrigins, log } = options
  const runnables = new Map<string, Runnable<Context>>()
  for (const [name, route] of Object.entries(operations)) {
    const operation = prepare(route, graphql.schema)
    runnables.set(name, { ...operation, execute: graphql.prepare(operation.document) })
  }
  const callers = new WeakMap<AuthInfo, Caller>()
  const mcp = createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo && callers.get(authInfo)
      if (!caller) throw new Error('a request of MCP has no caller')
      return createMcpServer(caller, version)
    },
    { maxRequestBodySize: maxBodyBytes },
  )

  async function enter(request: HttpRequest): Promise<Caller> {
    const { authorization, cookie: _, ...headers } = request.headers
    if (!/^bearer\s/i.test(authorization ?? '')) throw unauthorized()
    const query = new URLSearchParams(splitTarget(request.target).query)
    const facts: RequestFacts = {
      headers: { ...headers, authorization: authorization ?? '' },
      query,
      requestId: requestIdOf(request.headers),
      operation: 'POST /mcp',
      via: 'mcp',
      wholeLists: true,
      record: request.record,
    }
    const context = await graphql.context(facts, 'required')
    const { tier, mayRead, mayWrite } = callerOf(context)
    if (!mayRead) throw forbidden('connecting requires read on at least one scope')
    const running = { requestId: facts.requestId, log }
    return {
      base: publicOrigin ?? originOf(request.headers.host),
      brand,
      tier,
      mayWrite,
      run: async <Result>(name: OperationName, body: Record<string, unknown>, scope?: string) => {
        const operation = runnables.get(name)
        if (!operation) throw new Error(`unknown operation ${name}`)
        const within = scope === undefined ? context : await graphql.context(narrowed(facts, brand, scope), 'required')
        const input = { params: {}, query, headers: facts.headers, body, raw: '' }
        const answer = run(operation, operation.route.variables(input), within, running)
        return (await answer.catch((error: unknown) => Promise.reject(inWireNames(error)))) as Result
      },
    }
  }

  const handler: Handler = async (request) => {
    if (request.method !== 'POST') return methodNotAllowed()
    try {
      refuseForeignOrigin(request, publicOrigin, allowedOrigins)
      // Before the body: nothing is read of a caller without a credential.
      const caller = await enter(request)
      const serve = fromFetch((fetched) => {
        // The library hands this object on to the factory; the service itself has checked the credential.
        const authInfo = { token: '', clientId: '', scopes: [] }
        callers.set(authInfo, caller)
        return mcp.fetch(fetched, { authInfo })
      }, maxReadBytes)
      return await serve(request)
    } catch (error) {
      const response = toErrorResponse(error, request, log)
      return response.status === 401 ? withChallenge(response, request) : response
    }
  }
  return withRequestId(withCors(handler, allowedOrigins))
}

/** The same request within a scope that the connection's own selectors leave. */
function narrowed(facts: RequestFacts, brand: string, scope: string): RequestFacts {
  const header = scopeHeader(brand).toLowerCase()
  const given = facts.headers[header] ?? facts.query.get('scope')
  if (given !== null && !covers(given, scope)) throw forbidden(`scope: must be ${given} or below`)
  return { ...facts, headers: { ...facts.headers, [header]: scope }, query: new URLSearchParams() }
}

/** A page may connect from this origin, from an allowed one, or from loopback if the service is reached there. */
function refuseForeignOrigin({ headers }: HttpRequest, publicOrigin: string | null, allowed: readonly string[]): void {
  const { origin, host } = headers
  if (origin === undefined) return
  const own = [originOf(host), publicOrigin, ...allowed]
  const isLocal = isLoopback(originOf(host)) && isLoopback(origin)
  if (!own.includes(origin) && !isLocal) throw forbidden('the request must come from a page of an allowed origin')
}

const isLoopback = (origin: string): boolean =>
  URL.canParse(origin) && ['localhost', '127.0.0.1', '[::1]'].includes(new URL(origin).hostname)

const originOf = (host = 'localhost'): string => `http://${host}`

const methodNotAllowed = (): HttpResponse => {
  const error = new ServiceError('method_not_allowed', 'the method must be POST')
  const response = json(405, errorBody(error))
  return { ...response, headers: { ...response.headers, allow: 'POST' } }
}

/** A token that was sent was not valid: RFC 6750. */
function withChallenge(response: HttpResponse, { headers }: HttpRequest): HttpResponse {
  const isInvalid = /^bearer\s/i.test(headers.authorization ?? '')
  const challenge = `Bearer scope="read"${isInvalid ? ', error="invalid_token"' : ''}`
  return { ...response, headers: { ...response.headers, 'www-authenticate': challenge } }
}
