import { isDeepStrictEqual } from 'node:util'
import { toWireName } from '../../../src/http/rest/input.ts'
import { operationOf } from '../../../src/operations/operations.ts'
import type { CallOptions, Reply, TestApp } from '../../support/boot.ts'
import type { Draw } from '../draw.ts'
import { drawQuery, type RootField, rootFields } from '../graphql-draw.ts'
import { unknownDocument, unknownSource } from './documents/operations.ts'
import type { World } from './model.ts'
import { scopePool, vocabulary } from './pools.ts'

/**
 * Any query of the schema, with arguments by type and name: a new one is tried without a line here. The model does not predict its
 * answer. It may show nothing that is closed, and what is hidden is answered as what does not exist.
 */
export interface AnyQuery {
  field: string
  query: string
  variables: Record<string, unknown>
}

/** These name what their caller may not read: the log, where an admin sees all rows and others their own, and own uploads. */
const leftOut = ['audit', 'auditProof', 'deletionReceipt', 'source']

const drawn: readonly RootField[] = rootFields.filter(
  ({ name, kind }) => kind === 'query' && !operationOf(name)?.open && !leftOut.includes(name),
)

export function drawAnyQuery(draw: Draw, world: World): AnyQuery {
  const field = draw.pick(drawn)
  const { units, documents, actors, namespaces } = world
  const strings = (values: readonly unknown[]) => values.filter((value) => typeof value === 'string')
  const docIds = strings([...units, ...documents].map(({ docId }) => docId))
  const pools: [RegExp, readonly string[]][] = [
    [/docId/i, docIds],
    [/document/i, documents.map(({ documentId }) => documentId)],
    [/externalId/i, strings(units.map(({ externalId }) => externalId))],
    [/source/i, strings([...units.map(({ sourceUri }) => sourceUri), ...documents.map(({ sent }) => sent.sourceUri)])],
    [/scope/i, [...scopePool, '*']],
    [/principal|owner/i, actors.map(({ id }) => id)],
    [/namespace|^name$/, namespaces.map(({ name }) => name)],
    [/^ids?$|unit/i, units.map(({ unitId }) => unitId)],
    [/^fields$|groupBy/, ['docId', 'scope', 'metadata.note', 'metadata.tag']],
    [/./, [...units.map(({ secret }) => secret), ...docIds, ...vocabulary]],
  ]
  const pick = (name: string) => {
    const [, pool = []] = pools.find(([pattern]) => pattern.test(name)) ?? []
    return draw.pick(pool.length > 0 ? pool : vocabulary)
  }
  const scalar = (type: string, name: string): unknown => {
    if (type === 'Boolean') return draw.chance(50)
    if (type === 'Int' || type === 'SafeInt') return 1 + draw.upTo(4)
    if (type === 'Time') return Date.now()
    if (type === 'Float') return 0.5
    if (type === 'Metadata' || type === 'JSON') return { note: pick('note') }
    return type === 'Vector' ? [1, 0, 0] : pick(name)
  }
  // Filters hold filters.
  const takes = ({ name }: { name: string }) => !['and', 'or', 'not'].includes(name) && draw.chance(30)
  return { field: field.name, ...drawQuery(draw, field, { takes, scalar }) }
}

export async function askAnyQuery(
  app: TestApp,
  { query, variables }: AnyQuery,
  path: string,
  options: CallOptions,
): Promise<Reply & { text: string }> {
  const reply = await app.call('POST', path, { ...options, body: { query, variables } })
  const text = withoutValues(JSON.stringify(reply.body), variables)
  const { code, status } = reply.body.errors?.[0].extensions ?? {}
  return code === undefined ? { ...reply, text } : { ...reply, text, status, body: { error: code, detail: '', status } }
}

/** The same query as a tool of MCP, with the arguments that the tool has; null if none does it, or has a test of its own. */
export function toolOf({ field, variables }: AnyQuery): { name: string; args: Record<string, unknown> } | null {
  const tool = operationOf(field)?.tool
  if (!tool || 'input' in variables) return null
  const named = Object.entries(variables).map(
    ([name, value]) => [tool.args?.[name] ?? toWireName(name), value] as const,
  )
  return { name: tool.name, args: Object.fromEntries(named.filter(([name]) => name in tool.input.shape)) }
}

/** The same query of what does not exist, instead of what is closed; null if it names nothing closed. */
export function ofUnknown({ variables, ...asked }: AnyQuery, closed: readonly string[]): AnyQuery | null {
  const unknown = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => unknown(one, name))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unknown(one, key)]))
    const isClosed = typeof value === 'string' && names.test(name) && closed.some((mark) => value.includes(mark))
    return isClosed ? unknownOf(value) : value
  }
  const others = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, unknown(value, name)]))
  return isDeepStrictEqual(others, variables) ? null : { ...asked, variables: others }
}

/** Arguments that name something. */
const names = /(ids?|uri)$/i

const unknownOf = (value: string) =>
  value.startsWith('doc_') ? unknownDocument : value.startsWith('source:') ? unknownSource : unknownText
const unknownText = 'unit_0000000000000000000000'

/** An answer may repeat what the caller said. */
export const withoutValues = (text: string, value: unknown): string =>
  typeof value === 'string'
    ? text.replaceAll(value, '')
    : typeof value === 'object' && value !== null
      ? Object.values(value).reduce<string>(withoutValues, text)
      : text
