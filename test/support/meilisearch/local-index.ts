import { addFacet, type Facet, newFacet, removeFacet } from './facets.ts'
import { type WordAt, wordsOf } from './words.ts'

export type Document = Record<string, unknown>

const defaultSettings = (): Record<string, unknown> => ({
  displayedAttributes: ['*'],
  searchableAttributes: ['*'],
  filterableAttributes: [],
  sortableAttributes: [],
  foreignKeys: [],
  rankingRules: ['words', 'typo', 'proximity', 'attributeRank', 'sort', 'wordPosition', 'exactness'],
  stopWords: [],
  nonSeparatorTokens: [],
  separatorTokens: [],
  dictionary: [],
  synonyms: {},
  distinctAttribute: null,
  proximityPrecision: 'byWord',
  typoTolerance: {
    enabled: true,
    minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 },
    disableOnWords: [],
    disableOnAttributes: [],
    disableOnNumbers: false,
  },
  faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'alpha' } },
  pagination: { maxTotalHits: 1000 },
  embedders: {},
  searchCutoffMs: null,
  localizedAttributes: null,
  facetSearch: true,
  prefixSearch: 'indexingTime',
})

/** The positions of a word in documents: id -> attribute -> positions. */
type Places = Map<string, Map<string, WordAt[]>>

/** One index: its settings, its documents, and the lookup tables for searches. */
export class LocalIndex {
  readonly uid: string
  readonly createdAt: string
  primaryKey: string | null
  settings = defaultSettings()
  readonly documents = new Map<string, Document>()
  readonly words = new Map<string, Places>()
  #facets = new Map<string, Facet>()

  constructor(uid: string, primaryKey: string | null, createdAt: string) {
    this.uid = uid
    this.primaryKey = primaryKey
    this.createdAt = createdAt
  }

  /** Objects are merged; null restores the default. */
  configure(changes: Record<string, unknown>): void {
    const defaults = defaultSettings()
    for (const [name, value] of Object.entries(changes)) {
      const merged = isRecord(value) && name !== 'synonyms' && isRecord(this.settings[name])
      this.settings[name] =
        value === null ? defaults[name] : merged ? { ...Object(this.settings[name]), ...value } : value
    }
    const all = [...this.documents]
    for (const [id] of all) this.remove(id)
    this.#facets = new Map(this.list('filterableAttributes').map((name) => [name, newFacet()]))
    for (const [id, document] of all) this.put(id, document)
  }

  list(setting: string): string[] {
    const value = this.settings[setting]
    return Array.isArray(value) ? value.map(String) : []
  }

  put(id: string, document: Document): void {
    this.remove(id)
    this.documents.set(id, document)
    for (const [name, facet] of this.#facets) addFacet(facet, id, document[name])
    for (const [attribute, words] of this.#searchable(document)) {
      for (const at of words) {
        const places = this.words.get(at.word) ?? new Map<string, Map<string, WordAt[]>>()
        this.words.set(at.word, places)
        const attributes = places.get(id) ?? new Map<string, WordAt[]>()
        places.set(id, attributes)
        const here = attributes.get(attribute) ?? []
        attributes.set(attribute, here)
        here.push(at)
      }
    }
  }

  remove(id: string): void {
    const document = this.documents.get(id)
    if (!document) return
    this.documents.delete(id)
    for (const [name, facet] of this.#facets) removeFacet(facet, id, document[name])
    for (const [, words] of this.#searchable(document)) {
      for (const { word } of words) {
        this.words.get(word)?.delete(id)
        if (this.words.get(word)?.size === 0) this.words.delete(word)
      }
    }
  }

  all(): ReadonlySet<string> {
    return new Set(this.documents.keys())
  }

  facet(attribute: string): Facet | undefined {
    return this.#facets.get(attribute)
  }

  #searchable(document: Document): [string, WordAt[]][] {
    const wanted = this.list('searchableAttributes')
    return Object.entries(document).flatMap(([name, value]) =>
      typeof value === 'string' && (wanted.includes('*') || wanted.includes(name)) ? [[name, wordsOf(value)]] : [],
    )
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
