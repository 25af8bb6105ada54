import { expect } from 'vitest'
import type { Reply, TestApp } from '../../support/boot.ts'
import { toolOf, withoutValues } from './any-query.ts'
import type { Call, Operation } from './operations.ts'

/** Tools and resources of MCP, as operations of REST. */

type Wire = Reply & { text: string }

/**
 * The same request as a tool can make it: a query has a character or more, there is no vector, `answer` takes
 * fewer fields, pages of resources hold 100, and the scope is sent in the header. Null where no tool does it.
 */
export function asTool<R extends Call & { operation: Operation }>(request: R): R | null {
  const { operation, scopeHeader, scopeQuery } = request
  switch (operation.kind) {
    case 'context':
    case 'scopes':
    case 'unit':
      return request
    case 'any':
      return toolOf(operation.ask) && request
    case 'units':
      return { ...request, operation: { ...operation, limit: null } }
    case 'search': {
      const { scope, vector: _, ...body } = operation.body
      if (body.q === '') return null
      const { q, top_k = 10, planes, filters, rerank, answer } = body
      const asked = { q, top_k, ...(planes && { planes }), ...(filters && { filters }), ...(rerank && { rerank }) }
      // To an answer, what a query excludes is text.
      const kept = answer ? { ...asked, q: q.replace(/ -\S+/g, ''), answer } : body
      return {
        ...request,
        scopeHeader: scopeHeader ?? (scopeQuery === undefined ? scope : undefined),
        operation: { kind: 'search', body: kept },
      }
    }
    case 'delete':
      return operation.body.ids === undefined ? null : request
    default:
      return null
  }
}

/** Sends a request over MCP. The answer has REST's shape, less what tools don't return. */
export async function askTool(app: TestApp, operation: Operation, call: Call): Promise<Wire> {
  const { token, namespace, scopeHeader, scopeQuery } = call
  const query = new URLSearchParams(scopeQuery === undefined ? {} : { scope: scopeQuery })
  const reply = await app.call('POST', `/mcp?${query}`, {
    ...(token === undefined ? {} : { token }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(scopeHeader === undefined ? {} : { scope: scopeHeader }),
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    body: { jsonrpc: '2.0', id: 1, ...toMessage(operation) },
  })
  if (reply.status !== 200) return { ...reply, text: JSON.stringify(reply.body) }
  const message = typeof reply.body === 'string' ? messageOf(reply.body) : reply.body
  const whole = JSON.stringify(message)
  const text = operation.kind === 'any' ? withoutValues(whole, operation.ask.variables) : whole
  if (operation.kind === 'units' && message.error) return refusedList(reply, message.error.message, text)
  expect(message.error, text).toBeUndefined()
  if (operation.kind === 'units') return { ...reply, text, body: message.result }
  const { isError, content, structuredContent } = message.result
  if (!isError) {
    expect(JSON.parse(content[0].text)).toEqual(structuredContent)
    return { ...reply, text, body: toRest(operation, structuredContent) }
  }
  const body = JSON.parse(content[0].text)
  return { ...reply, status: body.status, body, text }
}

/** A list of resources has no result for a refusal, only the reason. */
function refusedList(reply: Reply, reason: string, text: string): Wire {
  expect(reason).toMatch(/^read permission is required/)
  return { ...reply, text, status: 403, body: { error: 'forbidden', detail: reason, status: 403 } }
}

/** The data of the only event of a stream. */
const messageOf = (events: string) => JSON.parse(/^data: (.*)$/m.exec(events)?.[1] ?? 'null')

function toMessage(operation: Operation): { method: string; params: unknown } {
  const tool = (name: string, args: unknown = {}) => ({ method: 'tools/call', params: { name, arguments: args } })
  switch (operation.kind) {
    case 'context':
      return tool('whoami')
    case 'scopes':
      return tool('list_scopes')
    case 'unit':
      return tool('fetch', { id: operation.id })
    case 'units': {
      const cursor = operation.cursor === null ? {} : { cursor: `${operation.cursor}` }
      return { method: 'resources/list', params: cursor }
    }
    case 'search': {
      const { q, answer, ...rest } = operation.body
      return answer ? tool('answer', { question: q, ...rest }) : tool('search', { query: q, ...rest })
    }
    case 'delete':
      return tool('delete_units', operation.body)
    case 'any': {
      const { name = '', args } = toolOf(operation.ask) ?? {}
      return tool(name, args)
    }
    default:
      throw new Error(`no tool does ${operation.kind}`)
  }
}

// Answers are checked field by field.
// biome-ignore lint/suspicious/noExplicitAny: the wire has no types
type Wild = any

function toRest(operation: Operation, body: Wild): Wild {
  const toUnit = ({ id, text, unit, score, rank, group }: Wild): Wild => ({
    ...{ unit_id: id, text, ...unit, score, rank },
    ...(group && { group: { value: group.value, hits: group.results.map(toUnit) } }),
  })
  switch (operation.kind) {
    case 'context':
      return body.context
    case 'unit':
      return toUnit(body)
    case 'search':
      return { ...body, answer: body.answer ?? null, hits: body.results.map(toUnit) }
    default:
      return body
  }
}
