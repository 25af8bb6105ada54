import { forbidden } from '../../errors.ts'
import { once } from '../../model/once.ts'
import { type Operation, unitFacts } from '../../operations/operation.ts'
import { type OperationName, operations } from '../../operations/operations.ts'
import { withRequestId } from '../handlers.ts'
import {
  errorBody,
  exposedHeaders,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  json,
  methodNotAllowed,
  privateHeaders,
  toErrorResponse,
  withCallerHeaders,
} from '../message.ts'
import { baseOf, isLoopbackHost, type OwnPages, ownPages, pageProblemOf, withCors } from '../origin.ts'
import { type CallPlan, inWireNames, wholeBody } from '../rest/call.ts'
import { createSurface, type SurfaceOptions } from '../rest/surface.ts'
import type { Caller } from './tools.ts'

export interface McpCaller {
  tier: string
  mayRead: boolean
  mayWrite: boolean
  /** An agent of a person that let it only read: it may ask that person for more. */
  mayAskToWrite: boolean
}

export interface McpOptions<Context> extends SurfaceOptions<Context> {
  /** What the endpoint itself has to know of a caller. */
  callerOf(context: Context): McpCaller
  /** The same request, which may write nowhere. */
  withoutWrite(context: Context): Context
  version: string
  /** The path that says where agents get tokens; null where they cannot. */
  resourceMetadata: string | null
}

/** The calls of tools, and of the list of Units as resources. */
const calls: Readonly<Record<string, CallPlan>> = {
  ...Object.fromEntries(
    Object.entries<Operation>(operations).flatMap(([field, { input, tool }]) =>
      tool ? [[field, { field, args: tool.args ?? (input ? { input: wholeBody } : {}), answer: tool.answer }]] : [],
    ),
  ),
  units: { field: 'units', args: { limit: 'limit', cursor: 'cursor' }, answer: `units { ${unitFacts} } next_cursor` },
}

/**
 * The Model Context Protocol over stateless Streamable HTTP. Tools and resources run the operations of REST, so that
 * every clamp, tier, rule and audit row is the same. Only a bearer credential counts.
 */
export function createMcpEndpoint<Context>(options: McpOptions<Context>): Handler {
  const { callerOf, withoutWrite, brand, version, publicOrigin, allowedOrigins, resourceMetadata, log } = options
  const own = ownPages(publicOrigin, allowedOrigins)
  // Loaded at the first request with a credential: a service without agents starts faster and smaller.
  const protocol = once(async () => (await import('./protocol.ts')).createProtocol(version))
  const connect = createSurface(options, { via: 'mcp', calls })

  async function enter(request: HttpRequest): Promise<Caller & Pick<McpCaller, 'mayAskToWrite'>> {
    const connected = await connect(request, 'POST /mcp')
    const { tier, mayRead, mayWrite, mayAskToWrite } = callerOf(connected.context)
    if (!mayRead) throw forbidden('connecting requires read on at least one scope')
    return {
      urlOf: connected.urlOf,
      ...{ brand, tier, mayWrite, mayAskToWrite },
      run: async <Result>(name: OperationName, body: Record<string, unknown>, scope?: string, key?: string) => {
        const chosen = await connected.within(scope)
        // Who is offered no tool that writes can use none. The operation itself refuses, so that the refusal is recorded.
        const within = isWrite(name) && !mayWrite ? chosen.as(withoutWrite(chosen.context)) : chosen
        return within.run<Result>(name, body, key).catch((error: unknown) => Promise.reject(inWireNames(error)))
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
    if (request.method !== 'POST') return methodNotAllowed(['POST'])
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

/** RFC 6750: the person must allow more. */
function insufficientScope(challenge: string): HttpResponse {
  const error = forbidden('the tool writes, and the person allowed this agent to read only: ask for the scope write')
  return withChallenge(json(403, errorBody(error)), challenge)
}

const withChallenge = (response: HttpResponse, challenge: string): HttpResponse => ({
  ...response,
  headers: { ...response.headers, 'www-authenticate': challenge },
})
