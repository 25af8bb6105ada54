import type { Tool as McpTool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { inputs, readArguments } from './input.ts'
import type { OperationName } from './operations.ts'
import { type Found, factsOf, nameOf, notice, outputs, resultOf, urlOf } from './results.ts'

export type ToolName = keyof typeof inputs

/** What a tool may use: operations under the rights of the caller, within `scope` if that is given. */
export interface Caller {
  /** The origin in addresses of Units. */
  base: string
  brand: string
  tier: string
  mayWrite: boolean
  run<Result>(
    operation: OperationName,
    body: Record<string, unknown>,
    scope?: string,
    /** For a write: see the header Idempotency-Key. */
    key?: string,
  ): Promise<Result>
}

interface Tool {
  title: string
  description: string
  annotations: { readOnlyHint: boolean; idempotentHint: boolean; destructiveHint?: boolean; openWorldHint: false }
  call(caller: Caller, given: unknown): Promise<Record<string, unknown>>
}

const reading = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const
const writing = (destructiveHint: boolean) =>
  ({ readOnlyHint: false, idempotentHint: false, destructiveHint, openWorldHint: false }) as const

interface FoundHits {
  hits: Found[]
  hidden_by_acl: number
}

const foundOf = (base: string, { hits, hidden_by_acl }: FoundHits) => ({
  results: hits.map((hit) => resultOf(base, hit)),
  hidden_by_acl,
  notice,
})

/** In the order of lists. The last two write. */
const tools: Record<ToolName, Tool> = {
  search: {
    title: 'Search',
    description: `Finds Units of text, pictures, sound and pages by meaning and by words. ${notice}`,
    annotations: reading,
    async call({ base, run }, given) {
      const { query, scope, ...rest } = readArguments(inputs.search, given)
      return foundOf(base, await run<FoundHits>('search', { q: query, ...rest }, scope))
    },
  },
  fetch: {
    title: 'Fetch',
    description: `Returns one Unit with its whole text. ${notice}`,
    annotations: reading,
    async call({ base, brand, run }, given) {
      const { id } = readArguments(inputs.fetch, given)
      const unit = await run<Found>('unit', { id: unitIdOf(brand, id) })
      const { unit_id, text, metadata } = unit
      const url = urlOf(base, unit_id)
      return { id: unit_id, title: nameOf(unit), text, url, metadata, unit: factsOf(unit), notice }
    },
  },
  answer: {
    title: 'Answer',
    description: `Answers a question from the Units that are found, with citations. ${notice}`,
    annotations: reading,
    async call({ base, run }, given) {
      const { question, scope, ...rest } = readArguments(inputs.answer, given)
      const body = await run<FoundHits & { answer: Cited | null }>(
        'answer',
        { q: question, ...rest, answer: true },
        scope,
      )
      return { answer: withUrls(base, body.answer), ...foundOf(base, body) }
    },
  },
  whoami: {
    title: 'Who am I',
    description: 'Returns the principal, the scopes that it may use, and the tier of the namespace.',
    annotations: reading,
    async call({ tier, run }, given) {
      readArguments(inputs.whoami, given)
      return { context: await run('context', {}), tier }
    },
  },
  list_scopes: {
    title: 'List scopes',
    description: 'Lists the scopes that the caller may see.',
    annotations: reading,
    async call({ run }, given) {
      readArguments(inputs.list_scopes, given)
      return await run('scopes', {})
    },
  },
  ingest_text: {
    title: 'Ingest text',
    description: 'Writes one Unit of text. The same external_id again replaces it.',
    annotations: writing(false),
    async call({ run }, given) {
      const { title, scope, metadata, idempotency_key, ...rest } = readArguments(inputs.ingest_text, given)
      const named = title === undefined ? metadata : { ...metadata, title }
      const unit = { modality: 'text', ...rest, ...(named && { metadata: named }) }
      return await run('ingest', { units: [unit] }, scope, idempotency_key)
    },
  },
  delete_units: {
    title: 'Delete Units',
    description: 'Deletes Units by id. Unknown and hidden ones are ignored.',
    annotations: writing(true),
    async call({ run }, given) {
      const { scope, idempotency_key, ...body } = readArguments(inputs.delete_units, given)
      return await run('delete', body, scope, idempotency_key)
    },
  },
}

const writers: readonly string[] = ['ingest_text', 'delete_units'] satisfies ToolName[]

export const toolOf = (name: string): Tool | undefined =>
  Object.hasOwn(tools, name) ? tools[name as ToolName] : undefined

const isListed = (name: string, { mayWrite }: Caller): boolean => mayWrite || !writers.includes(name)

const toolCall = z.object({
  method: z.literal('tools/call'),
  params: z.object({ name: z.enum(['ingest_text', 'delete_units']), arguments: z.unknown().optional() }),
})

/** The calls of tools that write, among the messages of a body. */
export function writingCalls(body: Uint8Array): { name: string; given: unknown }[] {
  let messages: unknown
  try {
    messages = JSON.parse(Buffer.from(body).toString())
  } catch {
    return []
  }
  return [messages].flat().flatMap((message) => {
    const params = toolCall.safeParse(message).data?.params
    return params ? [{ name: params.name, given: params.arguments }] : []
  })
}

/** As plain JSON, which is what the protocol's types ask for. */
function jsonSchema(schema: z.ZodType): McpTool['inputSchema'] {
  const { $schema: _, ...rest } = JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' })))
  return { ...rest, type: 'object' }
}

/** The definitions, which are the same for all callers. */
const definitions = Object.entries(tools).map(([name, { title, description, annotations }]) => ({
  name,
  title,
  description,
  inputSchema: jsonSchema(inputs[name as ToolName]),
  outputSchema: jsonSchema(outputs[name as ToolName]),
  annotations,
}))

export const listTools = (caller: Caller) => definitions.filter(({ name }) => isListed(name, caller))

/** `svc://units/<id>`, or the id itself. */
export function unitIdOf(brand: string, address: string): string {
  const prefix = `${brand}://units/`
  return address.startsWith(prefix) ? decode(address.slice(prefix.length)) : address
}

export const resourceOf = (brand: string, unitId: string): string => `${brand}://units/${encodeURIComponent(unitId)}`

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

interface Cited {
  citations: { unit_id: string }[]
}

const withUrls = (base: string, answer: Cited | null) =>
  answer && { ...answer, citations: answer.citations.map((one) => ({ ...one, url: urlOf(base, one.unit_id) })) }
