import type { Facet, FacetField } from '../../model/doc.ts'
import type { UnitField } from '../../model/field.ts'
import type { Filter } from '../../model/filter.ts'
import type { MetadataValue } from '../../model/unit.ts'
import type { Candidate, Counted, IndexFilter, Located, UnitIndex } from './index-filter.ts'

/** A match within a Unit's text: UTF-16 offsets, end exclusive. */
export interface Highlight {
  start: number
  end: number
}

/** What weighs .8 of words of a text, where it stands for them. */
export interface Synonym extends Highlight {
  /** Words or phrases. */
  to: readonly string[]
}

/** What is looked for in texts. */
export interface Sought {
  text: string
  /** Of words of the text. */
  synonyms?: readonly Synonym[]
  /** Of the text: what must be found as it is written. */
  phrases?: readonly string[]
  /** The last word of the text also stands for words that begin with it. */
  isOpen?: boolean
}

export interface TextQuery extends Sought, Counted {
  /** Of the query: ISO 639; without it the index detects it. */
  language?: string
  /** The number of hits needed in the end: an engine may rank later ones less exactly. */
  topK: number
}

/** How many of these Units have which values of fields: the most frequent of each. */
export interface FacetsOf {
  fields: readonly FacetField[]
  /** Values of each. */
  limit: number
  among: readonly Located[]
}

/** What these Units have in fields, and whether they meet filters. */
export interface ValuesOf {
  fields: readonly UnitField[]
  conditions: readonly Filter[]
  among: readonly Located[]
}

/** What each of some Units has in a field. */
export interface FieldValues {
  /** Distinct ones, long texts cut; null is one for Units without a value. */
  values: readonly (MetadataValue | null)[]
  /** By Unit, the place of its value; -1 where the index cannot tell. */
  places: Int32Array
}

/**
 * Full-text search over all planes of the filter at once, at most `limit`, best first. It returns only Units that have
 * something in common with the query. Scores are 0..1. The best score says how well the Unit matches, on one scale for
 * all queries. A blank query matches every Unit that passes the filter, with score 0.
 */
export interface TextIndex extends UnitIndex {
  search(query: TextQuery, filter: IndexFilter, limit: number): Promise<Candidate[]>
  /**
   * Whether a search for this text that returns fewer than its limit has found every Unit with a word of it, or a run of
   * letters of a word. Then vectors of letters find nothing more. Pure.
   */
  findsLetters(query: string): boolean
  /**
   * Counts values of fields of the given Units, as the index has them; a scope by its id. Absent where the index does not have
   * the fields.
   */
  facets?(namespaceId: string, question: FacetsOf): Promise<Facet[]>
  /**
   * Values of fields of the given Units, in the order of the fields, then true or false for each of the conditions. Absent where the
   * index does not have the fields.
   */
  values?(namespaceId: string, question: ValuesOf): Promise<FieldValues[]>
  /** Where words of the query occur in a text, by the same analysis as `search`. Pure. */
  highlights(query: Sought, text: string): Highlight[]
}
