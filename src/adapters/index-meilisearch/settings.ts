import type { Settings } from 'meilisearch'
import { stopField, termFields } from './fields/text-fields.ts'

/** Counts are exact up to this number, which is more than an index can hold. */
const everything = 2 ** 31 - 1

/**
 * The index is configured to match whole tokens, filter, count, and order by how many words match, then by Unit. All
 * features that guess at words are off. Only the settings here are set; others stay as they are.
 */
export const wantedSettings = {
  searchableAttributes: [...termFields, stopField],
  filterableAttributes: [
    'created',
    'doc',
    'external',
    'id',
    'length_class',
    'metadata',
    'mime',
    'modality',
    'namespace',
    'order',
    'owner',
    'plane',
    'readers',
    'scope',
    'seq',
    'source',
    'time_end',
    'time_start',
  ],
  sortableAttributes: ['order', 'seq'],
  displayedAttributes: ['bag', 'id', 'length', 'seq', 'unit_id'],
  rankingRules: ['words', 'sort'],
  stopWords: [],
  synonyms: {},
  separatorTokens: [],
  nonSeparatorTokens: [],
  dictionary: [],
  distinctAttribute: null,
  typoTolerance: { enabled: false },
  prefixSearch: 'disabled',
  proximityPrecision: 'byWord',
  facetSearch: false,
  faceting: { maxValuesPerFacet: 200 },
  pagination: { maxTotalHits: everything },
  // After this time it answers with partial results; the service stops waiting long before.
  searchCutoffMs: 60_000,
} satisfies Settings

/** The wanted settings that the index does not have, ready to send; null if it has them all. */
export function differingSettings(actual: Record<string, unknown>): Settings | null {
  const differing = Object.entries(wantedSettings).filter(([name, value]) => !holds(actual[name], value, name))
  return differing.length === 0 ? null : Object.fromEntries(differing)
}

/** Lists without a meaningful order: a server may return them in its own order. */
const unordered: ReadonlySet<string> = new Set(['filterableAttributes', 'sortableAttributes', 'displayedAttributes'])

/** An object must contain what is wanted; it may contain more. */
function holds(actual: unknown, wanted: unknown, name: string): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual)) return false
    const text = (list: readonly unknown[]) => JSON.stringify(unordered.has(name) ? [...list].sort() : list)
    return text(actual) === text(wanted)
  }
  if (typeof wanted !== 'object' || wanted === null) return actual === wanted
  if (typeof actual !== 'object' || actual === null) return false
  const members = new Map(Object.entries(actual))
  if (Object.keys(wanted).length === 0) return members.size === 0
  return Object.entries(wanted).every(([key, value]) => holds(members.get(key), value, key))
}
