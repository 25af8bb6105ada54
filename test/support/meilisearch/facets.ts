/** Ids of documents by the values of one attribute. */
export interface Facet {
  strings: Map<string, Set<string>>
  numbers: Map<number, Set<string>>
  present: Set<string>
}

const longestString = 468

/** Meilisearch ignores case, accent encoding and outer space when it compares strings, and truncates them. */
export const facetString = (value: string): string =>
  Buffer.from(value.normalize('NFKD').trim().toLowerCase()).subarray(0, longestString).toString()

export function addFacet(facet: Facet, id: string, value: unknown): void {
  each(facet, value, (ids) => ids.add(id))
  if (value !== undefined) facet.present.add(id)
}

export function removeFacet(facet: Facet, id: string, value: unknown): void {
  each(facet, value, (ids) => ids.delete(id))
  facet.present.delete(id)
}

export const newFacet = (): Facet => ({ strings: new Map(), numbers: new Map(), present: new Set() })

function each(facet: Facet, value: unknown, change: (ids: Set<string>) => void): void {
  for (const one of Array.isArray(value) ? value : [value]) {
    if (typeof one === 'number') change(idsOf(facet.numbers, one))
    else if (typeof one === 'string' || typeof one === 'boolean') change(idsOf(facet.strings, facetString(`${one}`)))
  }
}

function idsOf<K>(map: Map<K, Set<string>>, key: K): Set<string> {
  const ids = map.get(key) ?? new Set()
  map.set(key, ids)
  return ids
}
