import type { Answer, AnswerTrace } from './answer.ts'
import type { UnitField } from './field.ts'
import type { Locator, Metadata, MetadataValue, Modality, Plane, Unit } from './unit.ts'

export type MetadataCondition = string | number | boolean | readonly (string | number | boolean)[] | NumberRange
export interface NumberRange {
  gte?: number
  lte?: number
}

/** Conditions on Units; all of those present must hold. Times are epoch milliseconds, inclusive. */
export interface SearchFilters {
  modality?: readonly Modality[]
  docId?: readonly string[]
  externalId?: readonly string[]
  sourceUri?: readonly string[]
  mime?: readonly string[]
  aclOwner?: readonly string[]
  createdAfter?: number
  createdBefore?: number
  metadata?: Readonly<Record<string, MetadataCondition>>
  timeRange?: { tStartMs: number; tEndMs: number }
}

/** A question and its answer, as the caller keeps them. */
export interface Turn {
  q: string
  answer: string
}

export type QueryImage = { bytes: Uint8Array; sourceUri?: undefined } | { bytes?: undefined; sourceUri: string }

export const querySyntaxes = ['web', 'plain'] as const
export type QuerySyntax = (typeof querySyntaxes)[number]
export const prefixes = ['none', 'last'] as const

export const sortOrders = ['asc', 'desc'] as const

/** By the score, or by a field of Units; Units without it come last. */
export interface SortKey {
  by: 'score' | UnitField
  order: (typeof sortOrders)[number]
}

/** Whether the best hits come first; further keys then only order those of equal score. */
export const isByScore = ([first]: readonly SortKey[]): boolean =>
  first === undefined || (first.by === 'score' && first.order === 'desc')

export interface SearchQuery {
  q: string
  /** Without one, every character of `q` is text. */
  querySyntax?: QuerySyntax
  /** Whether the last word of `q` stands for the words that begin with it, too. */
  prefix?: (typeof prefixes)[number]
  /** Of the query, as a BCP 47 tag. */
  language?: string
  /** A picture as the query, beside `q` or alone: its bytes, or a source that the caller uploaded. */
  image?: QueryImage | undefined
  topK: number
  /** How many hits, or groups, come before the first one that is returned. */
  offset: number
  /** Then `topK`, `offset` and ranks count groups: Units with the same value. */
  groupBy?: UnitField | undefined
  /** How many hits of a group are returned. */
  groupSize: number
  /** By score alone if it is empty. Otherwise than by score, all that is found is sorted, not the best alone. */
  sort: readonly SortKey[]
  /** Of a snippet of each hit, in UTF-16 units; 0 for none. */
  snippetLength: number
  planes?: readonly Plane[]
  filters: SearchFilters
  rerank: boolean
  answer: boolean
  /** Whether an answer may search more than once. */
  agentic: boolean
  /** The maximum of searches for an answer, with the first. */
  maxSteps: number
  /** Earlier turns, oldest first: they only help to understand the question of an answer. */
  history?: readonly Turn[] | undefined
  scope?: string
  vector: Partial<Record<Plane, Float32Array>>
  minScore: number
  /** 0..1: how much unlike the hits before it a hit should be. */
  diversity: number
  /** The weight of all vectors in the fusion, instead of those of their models. */
  vectorWeight?: number
  /** An answer with less confidence is withheld, 0..1; without one the writer decides. */
  minConfidence?: number
}

/** The columns that filters use. */
export interface Filterable {
  modality: Modality
  docId: string | null
  externalId: string | null
  sourceUri: string | null
  mime: string | null
  acl: { owner: string }
  createdAt: number
  locator: Locator | null
  metadata: Metadata
}

/** Whether a Unit meets every filter. Indexes and the authoritative recheck share it. */
export function matches(filters: SearchFilters, unit: Filterable): boolean {
  return (
    oneOf(filters.modality, unit.modality) &&
    oneOf(filters.docId, unit.docId) &&
    oneOf(filters.externalId, unit.externalId) &&
    oneOf(filters.sourceUri, unit.sourceUri) &&
    oneOf(filters.mime, unit.mime) &&
    oneOf(filters.aclOwner, unit.acl.owner) &&
    (filters.createdAfter === undefined || unit.createdAt >= filters.createdAfter) &&
    (filters.createdBefore === undefined || unit.createdAt <= filters.createdBefore) &&
    overlaps(filters.timeRange, unit.locator) &&
    Object.entries(filters.metadata ?? {}).every(([key, condition]) =>
      matchesMetadata(condition, own(unit.metadata, key)),
    )
  )
}

function oneOf<T>(allowed: readonly T[] | undefined, value: T | null): boolean {
  return allowed === undefined || (value !== null && allowed.includes(value))
}

function overlaps(range: SearchFilters['timeRange'], locator: Locator | null): boolean {
  if (range === undefined) return true
  return locator?.kind === 'time_range' && locator.tStartMs <= range.tEndMs && locator.tEndMs >= range.tStartMs
}

/** A list of strings in the metadata matches when it contains the value. */
function matchesMetadata(condition: MetadataCondition, value: Metadata[string] | undefined): boolean {
  if (value === undefined) return false
  if (isRange(condition)) {
    if (typeof value !== 'number') return false
    return value >= (condition.gte ?? -Infinity) && value <= (condition.lte ?? Infinity)
  }
  const wanted = isList(condition) ? condition : [condition]
  return isList(value) ? wanted.some((w) => value.some((v) => v === w)) : wanted.includes(value)
}

// A plain read of `constructor` or `__proto__` would find the prototype's.
const own = (metadata: Metadata, key: string) => (Object.hasOwn(metadata, key) ? metadata[key] : undefined)
const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value)
const isRange = (value: MetadataCondition): value is NumberRange => typeof value === 'object' && !Array.isArray(value)

/** A hit in one leg: its rank and raw score, the score scaled to 0..1, and the leg's weight in the fusion. */
export interface LegExplanation {
  leg: string
  rank: number
  score: number
  normalized: number
  weight: number
}

/** A found Unit and why it was found. */
export interface Hit extends Unit {
  /** Where `text` begins in the Unit's text: a hit may contain only a passage of it. */
  textStart: number
  /** 0..1. */
  score: number
  rank: number
  /** Offsets in `text`. */
  highlights: { start: number; end: number }[]
  explain: LegExplanation[]
  /** What found it, in words. */
  reasons: string[]
  /** Null unless requested. */
  snippet: Snippet | null
  /** Null unless hits are grouped. */
  group: HitGroup | null
}

/** The part of a Unit's text that matches best: `start` is its place there, highlights are offsets in `text`. */
export interface Snippet {
  text: string
  start: number
  highlights: { start: number; end: number }[]
}

/** The best hits of a group, the hit that has this first; a value of null is that of a Unit of its own. */
export interface HitGroup {
  value: MetadataValue | null
  hits: Omit<Hit, 'group'>[]
}

export interface LegTrace {
  leg: string
  engine: string
  candidates: number
  tookMs: number
}

/** What a query says. */
export interface UnderstoodQuery {
  phrases: string[]
  excluded: string[]
  /** The beginning of words that the last word is taken for. */
  prefix: string | null
  syntax: QuerySyntax
}

export interface SearchTrace {
  requestId: string
  planes: Plane[]
  clampedPlanes: Plane[]
  legs: LegTrace[]
  query: UnderstoodQuery
  fusion: { method: string; weights: Record<string, number> }
  rerank: string
  /** Whether there are hits, or groups, after these. */
  more: boolean
  /** Null unless an answer was requested. */
  answer: AnswerTrace | null
  seq: number
  indexSeq: number
  degraded: string[]
  tookMs: number
}

export interface SearchResult {
  hits: Hit[]
  /** Null unless requested. */
  answer: Answer | null
  trace: SearchTrace
  hiddenByAcl: number
}
