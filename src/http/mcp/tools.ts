import type { Tool as McpTool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { namedUnit, notice, type Operation } from '../../operations/operation.ts'
import { type OperationName, operations } from '../../operations/operations.ts'
import { calling, type Found, nameOf, readInput } from '../rest/surface.ts'
import { budgetArguments, withinBudget } from './budget.ts'

/** What a tool may use: operations under the rights of the caller, within `scope` if that is given. */
export interface Caller {
  /** The address of a Unit that a browser opens. */
  urlOf(unitId: string): string
  brand: string
  tier: string
  mayWrite: boolean
  /** Runs an operation with values in the names of REST. */
  run<Result>(
    operation: OperationName,
    body: Record<string, unknown>,
    scope?: string,
    /** For a write: see the header Idempotency-Key. */
    key?: string,
  ): Promise<Result>
}

interface FoundHits {
  hits: Found[]
  facets: Structured[] | null
  trace: { more: boolean }
  hidden_by_acl: number
}

interface Cited {
  citations: { unit_id: string }[]
}

type Arguments<Name extends OperationName> = (typeof operations)[Name] extends { tool: { input: z.ZodType<infer I> } }
  ? I
  : never

type Structured = Record<string, unknown>

/** The tools that do more than call their operation, by the names of operations, in the order of lists. */
const calls: { readonly [Name in OperationName]?: (caller: Caller, args: Arguments<Name>) => Promise<Structured> } = {
  search: async ({ urlOf, run }, { query = '', scope, ...rest }) =>
    foundOf(urlOf, await calling('q', 'query', run<FoundHits>('search', { q: query, ...rest }, scope))),

  unit: async ({ urlOf, brand, run }, { id, offset }) => {
    const unit = await run<Found>('unit', { id: unitIdOf(brand, id) })
    const part = { text: unit.text?.slice(offset) ?? null, ...(offset > 0 && { offset }) }
    return { ...namedUnitOf(urlOf, unit), ...part, metadata: unit.metadata, notice }
  },

  outline: async ({ run }, { scope, ...rest }) => {
    const { headings, ...outline } = await run<{ headings: ({ unit_id: string } & Structured)[] }>(
      'outline',
      rest,
      scope,
    )
    return { ...outline, headings: headings.map(({ unit_id, ...one }) => ({ ...one, id: unit_id })), notice }
  },

  neighbours: async ({ urlOf, brand, run }, { id, ...rest }) => {
    const around = await run<{ before: Found[]; after: Found[] }>('neighbours', { id: unitIdOf(brand, id), ...rest })
    const named = (units: Found[]) => units.map((unit) => namedUnitOf(urlOf, unit))
    return { before: named(around.before), after: named(around.after), notice }
  },

  answer: async ({ urlOf, run }, { question, scope, ...rest }) => {
    const body = { q: question, ...rest, answer: true }
    const found = await calling('q', 'question', run<FoundHits & { answer: Cited | null }>('answer', body, scope))
    return { answer: withUrls(urlOf, found.answer), ...foundOf(urlOf, found) }
  },

  context: async ({ tier, run }) => ({ context: await run('context', {}), tier }),

  scopes: async ({ run }, { cursor }) => {
    const { scopes } = await run<{ scopes: Structured[] }>('scopes', {})
    return { scopes: scopes.slice(cursor) }
  },

  ingest: async ({ run }, { title, scope, metadata, idempotency_key, ...rest }) => {
    const named = title === undefined ? metadata : { ...metadata, title }
    const unit = { modality: 'text', ...rest, ...(named && { metadata: named }) }
    const written = calling('units[0]', '', run<Structured>('ingest', { units: [unit] }, scope, idempotency_key))
    return title === undefined ? written : calling('metadata.title', 'title', written)
  },
}

interface Tool {
  /** As lists show it. */
  definition: McpTool
  writes: boolean
  call(caller: Caller, sent: unknown): Promise<Structured>
}

function toolsOf(name: OperationName): Tool[] {
  const { kind, tool }: Operation = operations[name]
  if (!tool) return []
  const writes = kind === 'mutation'
  const call = calls[name] as ((caller: Caller, args: Structured) => Promise<Structured>) | undefined
  const { title, description, output, isDestructive = false } = tool
  const input = tool.input.extend(budgetArguments)
  return [
    {
      definition: {
        ...{ name: tool.name, title, description },
        inputSchema: jsonSchema(input),
        outputSchema: jsonSchema(output),
        annotations: {
          readOnlyHint: !writes,
          idempotentHint: !writes,
          ...(writes && { destructiveHint: isDestructive }),
          openWorldHint: false,
        },
      },
      writes,
      call: async (caller, sent) => {
        const { max_tokens, ...args }: Structured = readInput(input, sent ?? {}, {
          whole: 'arguments',
          unknown: 'must be left out: the tool has no such argument',
        })
        const within = (result: Structured) => withinBudget(result, Number(max_tokens), args)
        if (call) return within(await call(caller, args))
        const { scope, idempotency_key, ...body } = args as { scope?: string; idempotency_key?: string }
        return within(await caller.run(name, body, scope, idempotency_key))
      },
    },
  ]
}

/** Those that write come last. */
const own = Object.keys(calls) as OperationName[]
const others = (Object.keys(operations) as OperationName[]).filter((name) => !own.includes(name))
const tools = [...own, ...others].flatMap(toolsOf).sort((a, b) => Number(a.writes) - Number(b.writes))

export const toolOf = (name: string): Tool | undefined => tools.find(({ definition }) => definition.name === name)

export const listTools = ({ mayWrite }: Pick<Caller, 'mayWrite'>): McpTool[] =>
  tools.filter(({ writes }) => mayWrite || !writes).map(({ definition }) => definition)

const toolCall = z.object({
  method: z.literal('tools/call'),
  params: z.object({ name: z.string(), arguments: z.unknown().optional() }),
})

/** Whatever a body has as messages; none if it is not JSON. */
export function messagesIn(body: Uint8Array): unknown[] {
  try {
    return [JSON.parse(Buffer.from(body).toString())].flat()
  } catch {
    return []
  }
}

/** The calls of tools that write, among the messages of a body. */
export const writingCalls = (body: Uint8Array): { tool: Tool; sent: unknown }[] =>
  messagesIn(body).flatMap((message) => {
    const params = toolCall.safeParse(message).data?.params
    const tool = params && toolOf(params.name)
    return tool?.writes ? [{ tool, sent: params?.arguments }] : []
  })

/** As plain JSON, which is what the protocol's types ask for. */
function jsonSchema(schema: z.ZodType): McpTool['inputSchema'] {
  const { $schema: _, ...rest } = JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' })))
  return { ...rest, type: 'object' }
}

const factNames = Object.keys(namedUnit.shape.unit.shape) as (keyof Found)[]
export const factsOf = (unit: Found): Structured => Object.fromEntries(factNames.map((name) => [name, unit[name]]))

const foundOf = (urlOf: Caller['urlOf'], { hits, facets, trace: { more }, hidden_by_acl }: FoundHits) => ({
  results: hits.map(({ snippet, group, ...hit }) => ({
    ...resultOf(urlOf, hit),
    ...(snippet && { snippet: snippet.text }),
    ...(group && { group: { value: group.value, results: group.hits.map((one) => resultOf(urlOf, one)) } }),
  })),
  ...(facets && { facets }),
  more,
  hidden_by_acl,
  notice,
})

const namedUnitOf = (urlOf: Caller['urlOf'], unit: Found) => ({
  id: unit.unit_id,
  title: nameOf(unit),
  url: urlOf(unit.unit_id),
  text: unit.text,
  unit: factsOf(unit),
})

const resultOf = (urlOf: Caller['urlOf'], { score = 0, rank = 0, ...unit }: Found) => ({
  ...namedUnitOf(urlOf, unit),
  score,
  rank,
})

const withUrls = (urlOf: Caller['urlOf'], answer: Cited | null) =>
  answer && { ...answer, citations: answer.citations.map((one) => ({ ...one, url: urlOf(one.unit_id) })) }

export const resourceOf = (brand: string, unitId: string): string => `${brand}://units/${encodeURIComponent(unitId)}`

/** `svc://units/<id>`, or the id itself. */
export function unitIdOf(brand: string, address: string): string {
  const prefix = `${brand}://units/`
  return address.startsWith(prefix) ? decode(address.slice(prefix.length)) : address
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
