import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server'
import { ServiceError } from '../../errors.ts'
import type { Log } from '../../model/log.ts'
import type { RequestFacts } from '../../model/request-facts.ts'
import { fromFetch } from '../fetch.ts'
import type { HttpRequest, HttpResponse } from '../message.ts'
import type { GraphqlApi } from '../rest/graphql-api.ts'
import { prepare } from '../rest/operation.ts'
import { inWireNames, type Runnable, run } from '../rest/run.ts'
import { type OperationName, operations } from './operations.ts'
import { createMcpServer } from './server.ts'
import { type Caller, toolOf, writingCalls } from './tools.ts'

export interface Protocol<Context> {
  /** Runs an operation with these variables. */
  run(name: OperationName, body: Record<string, unknown>, context: Context, facts: RequestFacts): Promise<unknown>
  /**
   * Refuses and records the calls of tools that write, of a caller that may not write. False if the body has none.
   */
  refuseWrites(body: Uint8Array, caller: Caller): Promise<boolean>
  /** Answers the messages of a request. */
  serve(request: HttpRequest, caller: Caller): Promise<HttpResponse>
}

const maxBodyBytes = 4 * 2 ** 20
/** A longer body is still read, so that its sender gets the 413. */
const maxReadBytes = 4 * maxBodyBytes

/** The library of the protocol, and the operations of its tools. Loading both takes time and memory. */
export function createProtocol<Context>(graphql: GraphqlApi<Context>, version: string, log: Log): Protocol<Context> {
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
  return {
    run: (name, body, context, { headers, query, requestId }) => {
      const operation = runnables.get(name)
      if (!operation) throw new Error(`unknown operation ${name}`)
      const input = { params: {}, query, headers, body, raw: '' }
      const answer = run(operation, operation.route.variables(input), context, {
        record: { requestId, traceId: null },
        log,
      })
      return answer.catch((error: unknown) => Promise.reject(inWireNames(error)))
    },

    refuseWrites: async (body, caller) => {
      const calls = writingCalls(body)
      // The operation itself refuses, so that the refusal is recorded as any other.
      for (const { name, given } of calls) await toolOf(name)?.call(caller, given).catch(ignoreRefusal)
      return calls.length > 0
    },

    serve: (request, caller) => {
      // The library hands this object on to the factory; the service itself has checked the credential.
      const authInfo = { token: '', clientId: '', scopes: [] }
      callers.set(authInfo, caller)
      return fromFetch((fetched) => mcp.fetch(fetched, { authInfo }), maxReadBytes)(request)
    },
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error
}
