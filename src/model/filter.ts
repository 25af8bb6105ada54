import type { Locator, Metadata, Modality, Plane } from './unit.ts'

/** The columns of a Unit that conditions compare. Times are epoch milliseconds. */
export const filterColumns = [
  'modality',
  'plane',
  'docId',
  'externalId',
  'sourceUri',
  'mime',
  'aclOwner',
  'createdAt',
  'updatedAt',
] as const
export type FilterColumn = (typeof filterColumns)[number]

/** What a condition compares: a column, or the keys that lead to a value in the metadata. */
export type FilterPlace = FilterColumn | readonly string[]

export type Scalar = string | number | boolean
export interface Bounds {
  gt?: string | number
  gte?: string | number
  lt?: string | number
  lte?: string | number
}

/** A condition on the value at one place. None of them is met by an absent value, or by null. */
export type Comparison =
  | { kind: 'exists'; at: FilterPlace }
  | { kind: 'equals'; at: FilterPlace; values: readonly Scalar[] }
  /** All bounds are numbers, or all are strings. */
  | { kind: 'within'; at: FilterPlace; bounds: Bounds }
  | { kind: 'prefix'; at: FilterPlace; text: string }
  /** A list has it as an element, a text anywhere. */
  | { kind: 'contains'; at: FilterPlace; text: string }

/** Where the time range of the locator overlaps, in milliseconds. */
export interface Overlap {
  kind: 'overlaps'
  tStartMs: number
  tEndMs: number
}

export type Condition = Comparison | Overlap | { kind: 'any'; of: readonly Filter[] } | { kind: 'not'; of: Filter }

/** Conditions that must all hold. `domain/input/filters.ts` reads one from what a caller sends. */
export type Filter = readonly Condition[]

/** The columns that filters use. */
export interface Filterable {
  modality: Modality
  plane: Plane
  docId: string | null
  externalId: string | null
  sourceUri: string | null
  mime: string | null
  acl: { owner: string }
  createdAt: number
  updatedAt: number
  locator: Locator | null
  metadata: Metadata
}

/** Whether a Unit meets every condition. The catalog's SQL and the filters of the indexes say the same. */
export const matches = (filter: Filter, unit: Filterable): boolean => filter.every((one) => meets(one, unit))

function meets(condition: Condition, unit: Filterable): boolean {
  switch (condition.kind) {
    case 'any':
      return condition.of.some((filter) => matches(filter, unit))
    case 'not':
      return !matches(condition.of, unit)
    case 'overlaps':
      return overlaps(condition, unit.locator)
    default:
      return holds(condition, valueAt(unit, condition.at))
  }
}

const overlaps = ({ tStartMs, tEndMs }: Overlap, locator: Locator | null): boolean =>
  locator?.kind === 'time_range' && locator.tStartMs <= tEndMs && locator.tEndMs >= tStartMs

function valueAt(unit: Filterable, at: FilterPlace): unknown {
  if (typeof at !== 'string') return at.reduce(member, unit.metadata)
  return at === 'aclOwner' ? unit.acl.owner : unit[at]
}

/** A plain read of `constructor` or `__proto__` would find the prototype's. A path does not lead into lists. */
const member = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
    ? value[key as keyof typeof value]
    : undefined

/** Whether a value meets a comparison. Of a list, one of its scalars must; objects and lists in it are not compared. */
export function holds(comparison: Comparison, value: unknown): boolean {
  if (value === undefined || value === null) return false
  if (comparison.kind === 'exists') return true
  const isList = Array.isArray(value)
  if (comparison.kind === 'contains' && !isList) return typeof value === 'string' && value.includes(comparison.text)
  const elements: readonly unknown[] = isList ? value : [value]
  switch (comparison.kind) {
    case 'equals':
      return elements.some((one) => comparison.values.some((wanted) => wanted === one))
    case 'within':
      return elements.some((one) => isWithin(comparison.bounds, one))
    case 'prefix':
      return elements.some((one) => typeof one === 'string' && one.startsWith(comparison.text))
    case 'contains':
      return elements.includes(comparison.text)
  }
}

/** Values of different types are never within each other's bounds. */
function isWithin({ gt, gte, lt, lte }: Bounds, value: unknown): boolean {
  const isMet = (bound: string | number | undefined, passes: (order: number) => boolean) => {
    if (bound === undefined) return true
    if (typeof value === 'number') return typeof bound === 'number' && passes(value - bound)
    return typeof value === 'string' && typeof bound === 'string' && passes(compareTexts(value, bound))
  }
  return (
    isMet(gt, (order) => order > 0) &&
    isMet(gte, (order) => order >= 0) &&
    isMet(lt, (order) => order < 0) &&
    isMet(lte, (order) => order <= 0)
  )
}

/** By code point, as the catalog compares: JavaScript would put U+1F600 before U+FF5E. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

/** Surrogates, which stand for what is beyond U+FFFF, come last. */
const rank = (unit: number) => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

export const pathOfKey = (key: string): string => key.replace(/[.\\]/g, '\\$&')

/** The keys of a path such as `loc.lines.from`; `\.` is a dot of a key, `\\` a backslash. Null if a key is empty. */
export function pathOf(text: string): readonly string[] | null {
  const keys: string[] = []
  let key = ''
  for (let i = 0; i < text.length; i++) {
    const [sign, next] = [text[i], text[i + 1]]
    if (sign === '\\' && (next === '.' || next === '\\')) {
      key += next
      i += 1
    } else if (sign === '.') {
      keys.push(key)
      key = ''
    } else key += sign
  }
  keys.push(key)
  return keys.includes('') ? null : keys
}
