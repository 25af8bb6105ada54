import { z } from 'zod'

const id = z.union([z.string(), z.number(), z.null()])
const version = 'io.modelcontextprotocol/protocolVersion'

/** The parts of a JSON-RPC message that the headers of its request repeat. */
export const message = z.object({
  jsonrpc: z.literal('2.0'),
  id: id.optional(),
  method: z.string().optional(),
  params: z
    .looseObject({
      name: z.unknown().optional(),
      uri: z.unknown().optional(),
      requestId: id.optional(),
      _meta: z.looseObject({ [version]: z.unknown().optional() }).optional(),
    })
    .optional(),
})
export type Message = z.output<typeof message>

/**
 * The headers of the protocol. From revision 2026-07-28 a message names its revision, and the headers repeat its method
 * and what it asks for. Earlier ones have the revision that `initialize` agreed on.
 */
export function headersOfMessage({ method, params }: Message, agreed: string | undefined): Record<string, string> {
  const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const named = params?._meta?.[version]
  if (typeof named !== 'string' || method === undefined) {
    return { ...common, ...(agreed !== undefined && { 'mcp-protocol-version': agreed }) }
  }
  const name = method === 'resources/read' ? params?.uri : params?.name
  return {
    ...common,
    'mcp-protocol-version': named,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
  }
}

/** A value that a header cannot hold is sent as base64 of UTF-8, marked as the protocol says. */
function headerValue(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}
