import { z } from 'zod'
import { badRequest } from '../../errors.ts'
import { conditionOn } from '../rest/surface.ts'

const shareProblem = 'must be between 0 and 1'
const countProblem = 'must be between 1 and 50'

/** What selects hits, in a search and in a tool. */
export const selection = {
  max_num_results: z.int(countProblem).min(1, countProblem).max(50, countProblem).nullish(),
  filters: z.unknown().optional(),
  ranking_options: z
    .looseObject({ score_threshold: z.number(shareProblem).min(0, shareProblem).max(1, shareProblem).nullish() })
    .nullish(),
}

/** The same in the names of REST. `place` is that of the filters. */
export function selected(sent: Partial<z.output<z.ZodObject<typeof selection>>>, place: string) {
  const filters = filtersOf(sent.filters, place)
  return {
    ...(filters && { filters }),
    top_k: sent.max_num_results ?? 10,
    min_score: sent.ranking_options?.score_threshold ?? 0,
  }
}

/** The scope that an id of a vector store names; clients encode it once or twice. */
export function storeOf(id: string | undefined): string | undefined {
  if (!id?.includes('%')) return id
  try {
    return decodeURIComponent(id)
  } catch {
    throw badRequest('vector_store_id: must be a URL-encoded scope')
  }
}

export const storeIdOf = (scope: string): string => encodeURIComponent(scope)

const scalar = z.union([z.string(), z.number(), z.boolean()])
const value = z.union([scalar, z.array(scalar).min(1)])
const comparisons = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin'] as const

/** Deeper ones are refused by the filters of REST, too. */
const maxDepth = 8

/** OpenAI's filters in the grammar of REST. Throws a 400 that names the first wrong place. */
function filtersOf(sent: unknown, place: string, depth = 0): Record<string, unknown> | undefined {
  if (sent === undefined || sent === null) return undefined
  if (typeof sent !== 'object' || Array.isArray(sent)) throw badRequest(`${place}: must be an object`)
  // n8n sends an empty one by default.
  if (depth === 0 && Object.keys(sent).length === 0) return undefined
  if (depth > maxDepth) throw badRequest(`${place}: must be nested at most ${maxDepth} deep`)
  const { type, key, value: against, filters } = sent as Record<string, unknown>
  if (type === 'and' || type === 'or') {
    if (!Array.isArray(filters) || filters.length === 0) throw badRequest(`${place}.filters: must be a list of filters`)
    return { [type]: filters.map((one, i) => filtersOf(one ?? {}, `${place}.filters[${i}]`, depth + 1)) }
  }
  const comparison = comparisons.find((one) => one === type)
  if (!comparison) throw badRequest(`${place}.type: must be and, or, ${comparisons.join(', ')}`)
  if (typeof key !== 'string' || key === '') throw badRequest(`${place}.key: must be the name of an attribute`)
  const parsed = value.safeParse(against)
  if (!parsed.success) throw badRequest(`${place}.value: must be a string, a number, a boolean or a list of them`)
  const isList = comparison === 'in' || comparison === 'nin'
  if (Array.isArray(parsed.data) !== isList)
    throw badRequest(`${place}.value: must ${isList ? '' : 'not '}be a list for ${comparison}`)
  return conditionOn(
    nativeOf(key),
    comparison === 'eq' ? parsed.data : comparison === 'in' ? parsed.data : { [comparison]: parsed.data },
  )
}

/** OpenAI's own names of attributes. */
const nativeOf = (key: string): string => ({ file_id: 'doc_id', filename: 'path' })[key] ?? key
