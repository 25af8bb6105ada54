import { z } from 'zod'
import { noSuchRoute, type ServiceError } from '../../errors.ts'
import { hitFacts } from '../../operations/operation.ts'
import { withRequestId } from '../handlers.ts'
import { type Handler, type HttpResponse, json, splitTarget, toServiceError, withCallerHeaders } from '../message.ts'
import { withCors } from '../origin.ts'
import { inWireNames, wholeBody } from '../rest/call.ts'
import { parseBody } from '../rest/input.ts'
import {
  calling,
  conditionOn,
  createSurface,
  type Found,
  nameOf,
  readInput,
  type SurfaceCaller,
  type SurfaceOptions,
} from '../rest/surface.ts'

const numeric = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value
const listed = (value: unknown) => (typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value)

/** Dify's operators of metadata in the grammar of REST. */
const operators: Readonly<Record<string, (value: unknown) => unknown>> = {
  contains: (value) => ({ contains: value }),
  'not contains': (value) => ({ contains: value }),
  'start with': (value) => ({ prefix: value }),
  // The grammar has no such condition: what is found is looked through.
  'end with': () => ({ exists: true }),
  is: (value) => value,
  'is not': (value) => ({ ne: value }),
  in: listed,
  'not in': (value) => ({ nin: listed(value) }),
  empty: () => ({ exists: false }),
  'not empty': () => ({ exists: true }),
  // Names of earlier versions.
  null: () => ({ exists: false }),
  'not null': () => ({ exists: true }),
  '=': numeric,
  '≠': (value) => ({ ne: numeric(value) }),
  '>': (value) => ({ gt: numeric(value) }),
  '<': (value) => ({ lt: numeric(value) }),
  '≥': (value) => ({ gte: numeric(value) }),
  '≤': (value) => ({ lte: numeric(value) }),
  after: (value) => ({ gt: numeric(value) }),
  before: (value) => ({ lt: numeric(value) }),
}

const scalar = z.union([z.string(), z.number()])
const value = z.union([scalar, z.array(scalar).min(1).max(100)], 'must be a text, a number or a list of them')
const condition = z.object({
  /** Its documentation says a list, its source sends one. */
  name: z
    .union([z.string(), z.array(z.string())], 'must be a text, or a list of texts')
    .transform((one) => [one].flat())
    .pipe(
      z.array(z.string().min(1, 'must not be empty')).min(1, 'must not be empty').max(8, 'must be at most 8 names'),
    ),
  comparison_operator: z
    .string()
    .refine((one) => Object.hasOwn(operators, one), `must be one of ${Object.keys(operators).join(', ')}`),
  value: value.nullish(),
})
type Condition = z.output<typeof condition>

const shareProblem = 'must be between 0 and 1'
const countProblem = 'must be between 1 and 50'
const input = z.looseObject({
  knowledge_id: z.string('must be a text').min(1, 'must not be empty'),
  query: z.string('must be a text').min(1, 'must not be empty').max(8_192, 'must be at most 8,192 characters'),
  retrieval_setting: z.looseObject({
    /** Null where the knowledge base has no setting. */
    top_k: z
      .int(countProblem)
      .min(1, countProblem)
      .max(50, countProblem)
      .nullish()
      .transform((count) => count ?? 10),
    score_threshold: z.number(shareProblem).min(0, shareProblem).max(1, shareProblem).nullish(),
  }),
  metadata_condition: z
    .looseObject({
      logical_operator: z.enum(['and', 'or'], 'must be and or or').nullish(),
      conditions: z.array(condition, 'must be a list').max(16, 'must be at most 16').nullish(),
    })
    .nullish(),
})

/** A search, and what its hits must meet besides. */
interface Selection {
  filters?: Record<string, unknown>
  suffixes: readonly Condition[]
}

function selectionsOf(conditions: readonly Condition[], operator: 'and' | 'or'): Selection[] {
  const filters = conditions.map(filterOf)
  const isSuffix = ({ comparison_operator }: Condition) => comparison_operator === 'end with'
  const suffixes = conditions.filter(isSuffix)
  if (conditions.length === 0) return [{ suffixes }]
  if (operator === 'and') return [{ filters: joined('and', filters), suffixes }]
  // Each end of a text is looked for by itself.
  const others = filters.filter((_, i) => conditions[i] && !isSuffix(conditions[i]))
  return [
    ...(others.length > 0 ? [{ filters: joined('or', others), suffixes: [] }] : []),
    ...suffixes.map((one) => ({ filters: filterOf(one), suffixes: [one] })),
  ]
}

/** On any of the names. */
function filterOf({ name, comparison_operator, value }: Condition): Record<string, unknown> {
  const condition = operators[comparison_operator]?.(value ?? null)
  const any = joined(
    'or',
    name.map((one) => conditionOn(one, condition)),
  )
  return comparison_operator === 'not contains' ? { not: any } : any
}

const joined = (operator: 'and' | 'or', filters: readonly Record<string, unknown>[]): Record<string, unknown> =>
  filters.length === 1 ? (filters[0] ?? {}) : { [operator]: filters }

const endsAsAsked = ({ metadata }: Found, { name, value }: Condition): boolean =>
  name.some((one) => [metadata[one]].flat().some((text) => typeof text === 'string' && text.endsWith(`${value ?? ''}`)))

async function retrieve(caller: SurfaceCaller, body: unknown): Promise<HttpResponse> {
  const { knowledge_id: scope, query, retrieval_setting, metadata_condition } = readInput(input, body)
  const { top_k, score_threshold } = retrieval_setting
  const within = await caller.within(scope)
  if (scope !== '*') await within.run('scope', { scope })
  const found = new Map<string, Found>()
  const selections = selectionsOf(metadata_condition?.conditions ?? [], metadata_condition?.logical_operator ?? 'and')
  for (const { filters, suffixes } of selections) {
    const wire = {
      q: query,
      top_k: suffixes.length > 0 ? 50 : top_k,
      min_score: score_threshold ?? 0,
      ...(filters && { filters }),
    }
    const { hits } = await calling('q', 'query', within.run<{ hits: Found[] }>('search', wire))
    for (const hit of hits) if (suffixes.every((one) => endsAsAsked(hit, one))) found.set(hit.unit_id, hit)
  }
  const best = [...found.values()].sort((a, b) => (b.score ?? 0) - (a.score ?? 0)).slice(0, top_k)
  return json(200, {
    records: best.map((hit) => ({
      content: hit.text ?? '',
      score: hit.score ?? 0,
      title: nameOf(hit),
      metadata: {
        ...hit.metadata,
        unit_id: hit.unit_id,
        doc_id: hit.doc_id,
        scope: hit.scope,
        url: caller.urlOf(hit.unit_id),
      },
    })),
  })
}

/** Dify's API for external knowledge: a knowledge base is a scope. Mount it at `/dify/`. */
export function createDifyEndpoint<Context>(options: SurfaceOptions<Context>): Handler {
  const { brand, allowedOrigins, log } = options
  const enter = createSurface(options, {
    via: 'dify',
    calls: {
      scope: { field: 'scope', args: { scope: 'scope' }, answer: 'scope' },
      search: { field: 'search', args: { input: wholeBody }, answer: hitFacts },
    },
  })
  const handler: Handler = async (request) => {
    const { authorization = '' } = request.headers
    try {
      if (request.method !== 'POST' || splitTarget(request.target).path !== '/dify/retrieval')
        throw noSuchRoute(request.method, request.target)
      request.record.route = '/dify/retrieval'
      const caller = await enter(request, 'POST /dify/retrieval')
      return await retrieve(caller, (await parseBody(await request.body())) ?? {})
    } catch (error) {
      return refusal(toServiceError(inWireNames(error), request, log), /^bearer\s+\S+$/i.test(authorization))
    }
  }
  return withRequestId(withCors(withCallerHeaders(handler, brand), allowedOrigins))
}

/** In Dify's codes, where it has one. */
function refusal({ code, status, detail }: ServiceError, isBearer: boolean): HttpResponse {
  const of = (httpStatus: number, error_code: number) => json(httpStatus, { error_code, error_msg: detail })
  if (code === 'unauthorized') return of(403, isBearer ? 1002 : 1001)
  if (code === 'forbidden') return of(403, 1002)
  if (code === 'not_found') return of(404, 2001)
  return of(status, status)
}
