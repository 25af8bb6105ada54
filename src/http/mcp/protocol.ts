import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server'
import { ServiceError } from '../../errors.ts'
import { fromFetch } from '../fetch.ts'
import type { HttpRequest, HttpResponse } from '../message.ts'
import { type Call, inWireNames, prepareCall, wholeBody } from '../rest/call.ts'
import type { Shown } from '../rest/shape.ts'
import { type OperationName, operations } from './operations.ts'
import { createMcpServer } from './server.ts'
import { type Caller, toolOf, writingCalls } from './tools.ts'

export interface Protocol {
  /** Runs an operation with these values. */
  run(name: OperationName, body: Record<string, unknown>, context: unknown): Promise<unknown>
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
export function createProtocol(shown: Shown, version: string): Protocol {
  const calls = new Map<string, Call>()
  for (const [name, plan] of Object.entries(operations)) calls.set(name, prepareCall(shown, plan))
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
    run: (name, body, context) => {
      const call = calls.get(name)
      if (!call) throw new Error(`unknown operation ${name}`)
      const takesBody = call.inputs.some(({ wireName }) => wireName === wholeBody)
      const answer = call.run(takesBody ? { [wholeBody]: body } : body, context)
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
