import type { Answer, AnswerTrace } from './answer.ts'
import type { Facet, FacetField } from './doc.ts'
import type { UnitField } from './field.ts'
import type { Filter } from './filter.ts'
import type { MetadataValue, Plane, Unit } from './unit.ts'

/** A question and its answer, as the caller keeps them. */
export interface Turn {
  q: string
  answer: string
}

export type QueryImage = { bytes: Uint8Array; sourceUri?: undefined } | { bytes?: undefined; sourceUri: string }

export const querySyntaxes = ['web', 'plain'] as const
export type QuerySyntax = (typeof querySyntaxes)[number]
export const prefixes = ['none', 'last'] as const

/** Multiplies the score of a hit: by age, so that it is half after `halfLifeDays`, or by `weight` where a condition holds. */
export type Boost = { by: UnitField; halfLifeDays: number } | { filter: Filter; weight: number }

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
  /** Instead of `q`: hits are like this Unit, which the caller may read. */
  similarTo?: { unitId: string } | undefined
  topK: number
  /** How many hits, or groups, come before the first one that is returned. */
  offset: number
  /** Then `topK`, `offset` and ranks count groups: Units with the same value. */
  groupBy?: UnitField | undefined
  /** How many hits of a group are returned. */
  groupSize: number
  /** By score alone if it is empty. Otherwise than by score, all that is found is sorted, not the best alone. */
  sort: readonly SortKey[]
  boost: readonly Boost[]
  /** What is counted of all that is found; nothing if it is empty. */
  facets: readonly FacetField[]
  /** How many values of each. */
  facetsLimit: number
  /** Of a snippet of each hit, in UTF-16 units; 0 for none. */
  snippetLength: number
  planes?: readonly Plane[]
  filters: Filter
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
  facets: Facet[] | null
  /** Null unless requested. */
  answer: Answer | null
  trace: SearchTrace
  hiddenByAcl: number
}
