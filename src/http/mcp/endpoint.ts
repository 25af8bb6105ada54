import { forbidden, ServiceError, unauthorized } from '../../errors.ts'
import type { Log } from '../../model/log.ts'
import { once } from '../../model/once.ts'
import type { RequestFacts } from '../../model/request.ts'
import { type OperationName, operations } from '../../operations/operations.ts'
import { withRequestId } from '../handlers.ts'
import {
  errorBody,
  exposedHeaders,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  json,
  privateHeaders,
  requestIdOf,
  splitTarget,
  toErrorResponse,
  withCallerHeaders,
} from '../message.ts'
import { baseOf, credentialOf, isLoopbackHost, type OwnPages, ownPages, pageProblemOf, withCors } from '../origin.ts'
import type { GraphqlApi } from '../rest/call.ts'
import { narrowed, scopeOf, unitUrl } from '../rest/surface.ts'
import type { Caller } from './tools.ts'

export interface McpCaller {
  tier: string
  mayRead: boolean
  mayWrite: boolean
  /** An agent of a person that let it only read: it may ask that person for more. */
  mayAskToWrite: boolean
}

export interface McpOptions<Context> {
  graphql: GraphqlApi<Context>
  /** What answers show of types. */
  shapes: Readonly<Record<string, string>>
  /** What the endpoint itself has to know of a caller. */
  callerOf(context: Context): McpCaller
  /** The same request, which may write nowhere. */
  withoutWrite(context: Context): Context
  brand: string
  version: string
  /** Where the service is reached; null: where the request came to. */
  publicOrigin: string | null
  allowedOrigins: readonly string[]
  /** Whether Units have a page that a browser opens. */
  hasConsole: boolean
  /** The path that says where agents get tokens; null where they cannot. */
  resourceMetadata: string | null
  log: Log
}

/**
 * The Model Context Protocol over stateless Streamable HTTP. Tools and resources run the operations of REST, so that
 * every clamp, tier, rule and audit row is the same. Only a bearer credential counts.
 */
export function createMcpEndpoint<Context>(options: McpOptions<Context>): Handler {
  const { graphql, shapes, callerOf, withoutWrite, brand, version, publicOrigin, allowedOrigins } = options
  const { resourceMetadata, hasConsole, log } = options
  const own = ownPages(publicOrigin, allowedOrigins)
  // Loaded at the first request with a credential: a service without agents starts faster and smaller.
  const protocol = once(async () =>
    (await import('./protocol.ts')).createProtocol({ schema: graphql.schema, shapes }, version),
  )

  async function enter(request: HttpRequest): Promise<Caller & Pick<McpCaller, 'mayAskToWrite'>> {
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
      followsSeq: true,
      record: request.record,
    }
    const context = await graphql.context(facts, 'required')
    const { tier, mayRead, mayWrite, mayAskToWrite } = callerOf(context)
    if (!mayRead) throw forbidden('connecting requires read on at least one scope')
    return {
      urlOf: (unitId) => unitUrl(baseOf(request, publicOrigin), unitId, hasConsole),
      ...{ brand, tier, mayWrite, mayAskToWrite },
      run: async <Result>(name: OperationName, body: Record<string, unknown>, scope?: string, key?: string) => {
        const chosen = scope === undefined ? context : await graphql.context(narrowed(facts, brand, scope), 'required')
        // Who is offered no tool that writes can use none. The operation itself refuses, so that the refusal is recorded.
        const within = isWrite(name) && !mayWrite ? withoutWrite(chosen) : chosen
        const act = async () => (await protocol()).run(name, body, within)
        if (!isWrite(name)) return (await act()) as Result
        const scopes = [scopeOf(facts, brand) ?? '', scope ?? '']
        const stands = ['mcp', name, ...scopes, JSON.stringify(body)]
        const sent = key === undefined ? null : { key, credential: credentialOf(facts.headers, brand), request: stands }
        const { value, text } = await graphql.write(within, sent, act, async (answer) => JSON.stringify(answer))
        return (text === null ? value : JSON.parse(text)) as Result
      },
    }
  }

  const challenge = (request: HttpRequest, scope?: string, error?: string): string => {
    const parameters = {
      resource_metadata: resourceMetadata === null ? undefined : `${baseOf(request, publicOrigin)}${resourceMetadata}`,
      scope,
      error,
    }
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
    return `Bearer ${given.map(([name, value]) => `${name}="${value}"`).join(', ')}`
  }

  const handler: Handler = async (request) => {
    if (request.method !== 'POST') return methodNotAllowed()
    try {
      refuseForeignPage(request, own)
      // Before the body: nothing is read of a caller without a credential.
      const caller = await enter(request)
      const { serve, refuseWrites } = await protocol()
      const bytes = await request.body()
      if (caller.mayAskToWrite && (await refuseWrites(bytes, caller)))
        return insufficientScope(challenge(request, 'read write', 'insufficient_scope'))
      const response = await serve({ ...request, body: async () => bytes }, caller)
      return { ...response, headers: { ...response.headers, ...privateHeaders } }
    } catch (error) {
      const response = toErrorResponse(error, request, log)
      if (response.status !== 401) return response
      // RFC 6750: a token that was sent was not valid.
      const isInvalid = /^bearer\s/i.test(request.headers.authorization ?? '')
      return withChallenge(response, challenge(request, 'read', isInvalid ? 'invalid_token' : undefined))
    }
  }
  return withRequestId(withCors(withCallerHeaders(handler, brand), allowedOrigins, { exposed: exposedHeaders(brand) }))
}

const isWrite = (name: OperationName): boolean => operations[name].kind === 'mutation'

/** A page may connect as to any other endpoint, and from loopback if the service is reached there. */
function refuseForeignPage({ headers }: HttpRequest, own: OwnPages): void {
  const problem = pageProblemOf(own)(headers)
  const isLocal = isLoopbackHost(headers.host) && isLoopbackHost(URL.parse(headers.origin ?? '')?.host)
  if (problem !== null && !isLocal) throw problem
}

const methodNotAllowed = (): HttpResponse => {
  const error = new ServiceError('method_not_allowed', 'the method must be POST')
  const response = json(405, errorBody(error))
  return { ...response, headers: { ...response.headers, allow: 'POST' } }
}

/** RFC 6750: the person must allow more. */
function insufficientScope(challenge: string): HttpResponse {
  const error = forbidden('the tool writes, and the person allowed this agent to read only: ask for the scope write')
  return withChallenge(json(403, errorBody(error)), challenge)
}

const withChallenge = (response: HttpResponse, challenge: string): HttpResponse => ({
  ...response,
  headers: { ...response.headers, 'www-authenticate': challenge },
})
