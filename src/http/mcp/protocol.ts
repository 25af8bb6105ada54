import {
  type AuthInfo,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ServiceError } from '../../errors.ts'
import { notice } from '../../operations/operation.ts'
import { fromFetch } from '../fetch.ts'
import { errorBody, type HttpRequest, type HttpResponse, json, whole } from '../message.ts'
import { type Found, nameOf } from '../rest/surface.ts'
import { type Caller, factsOf, listTools, messagesIn, resourceOf, toolOf, unitIdOf, writingCalls } from './tools.ts'

export interface Protocol {
  /**
   * Refuses and records the calls of tools that write, of a caller that may not write. False if the body has none.
   */
  refuseWrites(body: Uint8Array, caller: Caller): Promise<boolean>
  /** Answers the messages of a request, whose body can be read again. */
  serve(request: HttpRequest, caller: Caller): Promise<HttpResponse>
}

const maxBodyBytes = 4 * 2 ** 20

/** Those that need no `initialize`, and those that do. */
const revisions = ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS]

/** The library of the protocol, and the tools. Loading both takes time and memory. */
export function createProtocol(version: string): Protocol {
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
    refuseWrites: async (body, caller) => {
      const calls = writingCalls(body)
      // The operation itself refuses, so that the refusal is recorded as any other.
      for (const { tool, sent } of calls) await tool.call(caller, sent).catch(ignoreRefusal)
      return calls.length > 0
    },

    serve: async (request, caller) => {
      const sent = await request.body()
      const requested = request.headers['mcp-protocol-version']
      if (requested !== undefined && !revisions.includes(requested)) return unknownRevision(requested, sent)
      // The library hands this object on to the factory; the service itself has checked the credential.
      const authInfo = { token: '', clientId: '', scopes: [] }
      callers.set(authInfo, caller)
      const response = await fromFetch((fetched) => mcp.fetch(fetched, { authInfo }))(request)
      // Even as events: a header with the seq of a write comes before the body.
      const writes = sent.byteLength <= maxBodyBytes && writingCalls(sent).length > 0
      return writes ? { ...response, body: await whole(response.body) } : response
    },
  }
}

function unknownRevision(requested: string, body: Uint8Array): HttpResponse {
  const [message] = messagesIn(body)
  const { id } = z.object({ id: z.union([z.string(), z.number()]) }).safeParse(message).data ?? { id: null }
  const data = { supported: revisions, requested }
  const error = { code: ProtocolErrorCode.UnsupportedProtocolVersion, message: 'unknown revision', data }
  return json(400, { jsonrpc: '2.0', id, error })
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error
}

const pageSize = 100

/** The protocol side of one request: tools and resources under the rights of its caller. */
function createMcpServer(caller: Caller, version: string): Server {
  const { brand, run } = caller
  const capabilities = { tools: { listChanged: false }, resources: { listChanged: false, subscribe: false } }
  const server = new Server({ name: brand, version }, { capabilities, instructions: notice })

  server.setRequestHandler('tools/list', () => ({ tools: listTools(caller) }))

  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = toolOf(params.name)
    if (!tool) throw invalidParams(`unknown tool: ${params.name}`)
    try {
      const structuredContent = await tool.call(caller, params.arguments)
      return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return { isError: true, content: [{ type: 'text', text: JSON.stringify(errorBody(error)) }] }
    }
  })

  server.setRequestHandler('resources/list', async ({ params }) => {
    const cursor = params?.cursor
    if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
      throw invalidParams('cursor: must come from an earlier page')
    const body = { limit: pageSize, ...(cursor === undefined ? {} : { cursor: Number(cursor) }) }
    const { units, next_cursor } = await run<{ units: Found[]; next_cursor: number | null }>('units', body)
    const resources = units.map((unit) => ({
      uri: resourceOf(brand, unit.unit_id),
      name: nameOf(unit),
      mimeType: 'text/plain',
    }))
    return next_cursor === null ? { resources } : { resources, nextCursor: `${next_cursor}` }
  })

  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: `${brand}://units/{unit_id}`, name: 'Unit', mimeType: 'text/plain' }],
  }))

  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const id = unitIdOf(brand, uri)
    const unit = id === uri ? null : await run<Found>('unit', { id }).catch(nullIfNotFound)
    if (!unit) throw invalidParams(`unknown resource: ${uri}`)
    const _meta = { unit: factsOf(unit), notice }
    return { contents: [{ uri, mimeType: 'text/plain', text: unit.text ?? '', _meta }] }
  })

  return server
}

const invalidParams = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)

function nullIfNotFound(error: unknown): null {
  if (error instanceof ServiceError && (error.code === 'not_found' || error.code === 'bad_request')) return null
  throw error
}
