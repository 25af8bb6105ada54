import { z } from 'zod'
import { type Bounds, type Condition, type Filter, type FilterPlace, pathOf, type Scalar } from '../../model/filter.ts'
import { modalities, planes } from '../../model/unit.ts'
import { invalidInput, isObject, isRounded, label, roundedProblem, text } from './parse.ts'

const max = { depth: 6, conditions: 64, comparisons: 256, listed: 1000, values: 10_000 }

const list = <S extends z.ZodType>(value: S) =>
  z
    .array(value, 'must be a list')
    .min(1, 'must not be empty')
    .max(max.listed, `must be at most ${max.listed} values`)
    .optional()

const timeProblem = 'must be epoch milliseconds, or ISO 8601 with a zone such as 2026-05-01T00:00:00Z'
/** As epoch milliseconds. */
const time = z.union(
  [z.int(timeProblem), z.iso.datetime({ offset: true }).transform((iso) => Date.parse(iso))],
  timeProblem,
)

/** What one of GraphQL's scalars stands for, whatever its type. */
const anything = (scalar: 'Condition' | 'Time') => z.custom<unknown>(() => true).meta({ scalar })

/** What can be compared at a place. */
interface Comparable {
  value: z.ZodType<Scalar>
  /** Of `gt`, `gte`, `lt` and `lte`. */
  ordered: z.ZodType<string | number>
  /** Of `prefix`. */
  text: z.ZodType<string>
  contained: z.ZodType<Scalar>
}

const texts = (maxLength: number, value: z.ZodType<string> = label(maxLength)): Comparable => {
  const part = label(maxLength)
  return { value, ordered: part, text: part, contained: part }
}
const noText = z.never('must not be used for times: compare them by gt, gte, lt, lte, eq')
const times: Comparable = { value: time, ordered: time, text: noText, contained: noText }

const string = text(16_384)
const number = z.number().refine((value) => !isRounded(value), roundedProblem)
/** By the type that was sent, so that the problem is of that type. */
const byType = (other: z.ZodType<boolean>) =>
  z.unknown().transform((raw, context): Scalar => {
    const schema = typeof raw === 'string' ? string : typeof raw === 'number' ? number : other
    return take<Scalar>(schema.safeParse(raw), context)
  })
const anyScalar = byType(z.boolean('must be a string, a number or a boolean'))
const inMetadata: Comparable = {
  value: anyScalar,
  ordered: byType(z.never('must be a number or a string')) as z.ZodType<string | number>,
  text: string,
  contained: anyScalar,
}

/** The result, or its problem as one of the context's. */
function take<T>(result: z.ZodSafeParseResult<T>, context: z.RefinementCtx, place: readonly string[] = []): T {
  if (result.success) return result.data
  const { field, problem } = invalidInput(result.error, place)
  context.addIssue({ code: 'custom', path: [...field], message: problem })
  return z.NEVER
}

const operators = ({ value, ordered, text, contained }: Comparable) =>
  z
    .strictObject({
      eq: value.nullable().optional(),
      ne: value.nullable().optional(),
      in: list(value.nullable()),
      nin: list(value.nullable()),
      gt: ordered.optional(),
      gte: ordered.optional(),
      lt: ordered.optional(),
      lte: ordered.optional(),
      exists: z.boolean('must be true or false').optional(),
      prefix: text.optional(),
      contains: contained.optional(),
      all: list(value),
    })
    .refine((sent) => Object.keys(sent).length > 0, 'must have an operator')
    .refine(
      ({ gt, gte, lt, lte }) =>
        new Set([gt, gte, lt, lte].flatMap((one) => (one === undefined ? [] : typeof one))).size < 2,
      'must compare with numbers alone, or with strings alone',
    )

type Operators = z.output<ReturnType<typeof operators>>

const not = (of: Filter): Condition => ({ kind: 'not', of })

/** Null stands for an absent value. */
function equals(at: FilterPlace, values: readonly (Scalar | null)[]): Condition {
  const present = values.filter((value) => value !== null)
  const alternatives: Filter[] = [
    ...(present.length > 0 ? [[{ kind: 'equals', at, values: present } as const]] : []),
    ...(present.length < values.length ? [[not([{ kind: 'exists', at }])]] : []),
  ]
  const [first = [], second] = alternatives
  return second === undefined && first[0] ? first[0] : { kind: 'any', of: alternatives }
}

function conditionsOf(at: FilterPlace, sent: Operators): Filter {
  const { eq, ne, in: among, nin, exists, prefix, contains, all = [], ...bounds } = sent
  const inBounds = Object.values(bounds).some((bound) => bound !== undefined)
  return [
    ...(eq === undefined ? [] : [equals(at, [eq])]),
    ...(ne === undefined ? [] : [not([equals(at, [ne])])]),
    ...(among === undefined ? [] : [equals(at, among)]),
    ...(nin === undefined ? [] : [not([equals(at, nin)])]),
    ...(inBounds ? [{ kind: 'within', at, bounds: bounds as Bounds } as const] : []),
    ...(exists === undefined ? [] : [exists ? ({ kind: 'exists', at } as const) : not([{ kind: 'exists', at }])]),
    ...(prefix === undefined ? [] : [{ kind: 'prefix', at, text: prefix } as const]),
    ...(contains === undefined ? [] : [contained(at, contains)]),
    ...all.map((value) => equals(at, [value])),
  ]
}

const contained = (at: FilterPlace, value: Scalar): Condition =>
  typeof value === 'string' ? { kind: 'contains', at, text: value } : equals(at, [value])

/** Reads a value, a list of values, or an object of operators. */
function conditionOn({ value, ...rest }: Comparable) {
  const byOperators = operators({ value, ...rest })
  const names = Object.keys(byOperators.shape)
  const listed = list(value.nullable())
  return (at: FilterPlace, raw: unknown, context: z.RefinementCtx, place: readonly string[] = []): Filter => {
    const read = <T>(schema: z.ZodType<T>, conditions: (sent: T) => Filter): Filter => {
      const result = schema.safeParse(raw)
      if (result.success) return conditions(result.data)
      take(result, context, place)
      return []
    }
    if (Array.isArray(raw)) return read(listed, (values = []) => [equals(at, values)])
    if (!isObject(raw)) return read(value.nullable(), (one) => [equals(at, [one])])
    const unknown = Object.keys(raw).find((name) => !names.includes(name))
    if (unknown === undefined) return read(byOperators, (sent) => conditionsOf(at, sent))
    const message = `is not an operator: must be one of ${names.join(', ')}`
    context.addIssue({ code: 'custom', path: [...place, unknown], message })
    return []
  }
}

function column(at: Extract<FilterPlace, string>, comparable: Comparable, description: string) {
  const read = conditionOn(comparable)
  const { $schema: _, ...text } = z.toJSONSchema(comparable.value, { io: 'input', unrepresentable: 'any' })
  return anything('Condition')
    .meta({ scalar: 'Condition', text })
    .transform((raw, context): Filter => read(at, raw, context))
    .optional()
    .describe(description)
}

const conditionOnMetadata = conditionOn(inMetadata)
const longestPath = 1400

const metadataConditions = z
  .custom<Record<string, unknown>>(isObject, 'must be an object')
  .meta({ maxProperties: max.conditions, scalar: 'JSON' })
  .transform(
    (record, context): Filter =>
      Object.entries(record).flatMap(([key, raw]) => {
        const path = key.length > longestPath ? null : pathOf(key)
        if (path) return conditionOnMetadata(path, raw, context, [key])
        const message =
          'must be a path such as loc.lines.from: keys with a dot between them, and \\. for a dot of a key'
        context.addIssue({ code: 'custom', path: [key], message })
        return []
      }),
  )

const position = z.int('must be an integer').min(0, 'must not be negative')

/** A filter inside another one. Without a condition it would let through every Unit, or none. */
const nested = z
  .custom<Record<string, unknown>>(isObject, 'must be an object')
  .meta({ title: 'SearchFiltersInput', type: 'object' })
  .transform((raw, context): Filter => {
    const filter = take(filtersInput.safeParse(raw), context)
    if (filter?.length === 0) context.addIssue({ code: 'custom', message: 'must have at least one condition' })
    return filter
  })
const several = z
  .array(nested, 'must be a list')
  .min(1, 'must not be empty')
  .max(max.conditions, `must be at most ${max.conditions} filters`)
  .nullish()

const bound = anything('Time')
  .transform((raw, context) => (raw === null ? undefined : take(time.safeParse(raw), context)))
  .optional()
  .describe('Inclusive.')

const oneOf = (words: readonly string[]) => texts(128, z.enum(words, `must be one of ${words.join(', ')}`))

const filterFields = {
  modality: column('modality', oneOf(modalities), 'Modalities.'),
  plane: column('plane', oneOf(planes), 'Planes.'),
  docId: column('docId', texts(128), 'Documents.'),
  externalId: column('externalId', texts(128), "The writers' own ids."),
  sourceUri: column('sourceUri', texts(2048), 'Raw sources.'),
  mime: column('mime', texts(255), 'Content types.'),
  aclOwner: column('aclOwner', texts(128), 'Owners.'),
  createdAt: column('createdAt', times, 'When it was first written.'),
  updatedAt: column('updatedAt', times, 'When it was last changed.'),
  createdAfter: bound,
  createdBefore: bound,
  metadata: metadataConditions
    .nullish()
    .describe('`{path: condition}`. Dots lead into objects: `loc.lines.from`; `\\.` is a dot of a key.'),
  timeRange: z
    .strictObject({
      tStartMs: position.describe('First millisecond.'),
      tEndMs: position.describe('Last millisecond.'),
    })
    .refine((range) => range.tStartMs <= range.tEndMs, 'must not end before it starts')
    .meta({ title: 'TimeRangeInput', about: 'Units whose `time_range` locator overlaps this one.' })
    .nullish()
    .describe('Time range that must overlap.'),
  and: several.describe('All of these must match.'),
  or: several.describe('At least one of these must match.'),
  not: nested.nullish().describe('This must not match.'),
}

/** Conditions as a caller sends them, read. */
type SentFields = z.output<z.ZodObject<typeof filterFields>>

function filterOf(sent: SentFields): Filter {
  const { createdAfter, createdBefore, metadata, timeRange, and, or, not: without, ...columns } = sent
  const created = (bounds: Bounds): Condition => ({ kind: 'within', at: 'createdAt', bounds })
  return [
    ...Object.values(columns).flatMap((conditions) => conditions ?? []),
    ...(createdAfter === undefined ? [] : [created({ gte: createdAfter })]),
    ...(createdBefore === undefined ? [] : [created({ lte: createdBefore })]),
    ...(timeRange ? [{ kind: 'overlaps', ...timeRange } as const] : []),
    ...(metadata ?? []),
    ...(and ?? []).flat(),
    ...(or ? [{ kind: 'any', of: or } as const] : []),
    ...(without ? [not(without)] : []),
  ]
}

/** Of what a caller sends: how deep `and`, `or` and `not` are nested, and how many conditions there are. */
function sizeOf(raw: unknown): { depth: number; conditions: number } {
  if (!isObject(raw)) return { depth: 0, conditions: 0 }
  const { and, or, not: without, metadata, ...columns } = raw
  const inner = [and, or, without].flat().filter(isObject).map(sizeOf)
  const own = Object.values(columns).filter((value) => value !== undefined).length
  const paths = isObject(metadata) ? Object.keys(metadata).length : 0
  return {
    depth: inner.reduce((deepest, { depth }) => Math.max(deepest, depth + 1), 0),
    conditions: inner.reduce((sum, { conditions }) => sum + conditions, own + paths),
  }
}

/** Comparisons, and the values that they compare with. */
function workOf(filter: Filter): { comparisons: number; values: number } {
  const each = filter.map((condition) => {
    if (condition.kind === 'not') return workOf(condition.of)
    if (condition.kind === 'any') return workOf(condition.of.flat())
    return { comparisons: 1, values: condition.kind === 'equals' ? condition.values.length : 0 }
  })
  const sum = (key: 'comparisons' | 'values') => each.reduce((total, one) => total + one[key], 0)
  return { comparisons: sum('comparisons'), values: sum('values') }
}

/** A filter with other fields beside its conditions, which become `filter`. */
export const filterWith = <Shape extends z.ZodRawShape>(more: Shape, named: { title: string; about: string }) =>
  // Its size is checked before it is read.
  z.preprocess(
    (raw, context) => {
      const { depth, conditions } = sizeOf(raw)
      if (depth > max.depth) context.addIssue({ code: 'custom', message: `must be nested at most ${max.depth} deep` })
      else if (conditions > max.conditions)
        context.addIssue({ code: 'custom', message: `must have at most ${max.conditions} conditions` })
      return raw
    },
    z
      .strictObject({ ...filterFields, ...more })
      .meta(named)
      .transform((sent, context) => {
        const fields = Object.entries(sent)
        const own = fields.filter(([name]) => Object.hasOwn(filterFields, name))
        const filter = filterOf(Object.fromEntries(own) as SentFields)
        const { comparisons, values } = workOf(filter)
        if (comparisons > max.comparisons || values > max.values) {
          const message = `must have at most ${max.comparisons} operators and ${max.values} values in lists`
          context.addIssue({ code: 'custom', message })
        }
        const others = Object.fromEntries(fields.filter(([name]) => Object.hasOwn(more, name)))
        return { ...(others as z.output<z.ZodObject<Shape>>), filter }
      }),
  )

/** Conditions on Units; all of those present must hold. */
export const filtersInput: z.ZodType<Filter, unknown> = filterWith(
  {},
  {
    title: 'SearchFiltersInput',
    about: `Conditions that must all match, at most ${max.conditions}, nested at most ${max.depth} deep.`,
  },
).transform(({ filter }) => filter)
