import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { ServiceError } from '../../errors.ts'
import { errorBody } from '../json.ts'
import { type Found, factsOf, nameOf, notice } from './results.ts'
import { type Caller, listTools, resourceOf, toolOf, unitIdOf } from './tools.ts'

const pageSize = 100

/** The protocol side of one request: tools and resources under the rights of its caller. */
export function createMcpServer(caller: Caller, version: string): Server {
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
