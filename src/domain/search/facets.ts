import type { Facet } from '../../model/doc.ts'
import type { Located } from '../../ports/indexes/index-filter.ts'
import type { RankingDeps } from './legs.ts'
import type { Plan } from './plan.ts'
import { wireNameOf } from './unit-fields.ts'

/**
 * Counts values of these Units, which the caller may read: in the index where it holds what the catalog does, because that
 * takes milliseconds.
 */
export async function countFacets(
  { catalog, texts }: RankingDeps,
  { query, visibility, scopes }: Plan,
  among: readonly Located[],
  isCurrent: boolean,
): Promise<Facet[]> {
  const asked = { fields: query.facets, limit: query.facetsLimit }
  const counted =
    isCurrent && texts.facets
      ? (await texts.facets(visibility.namespaceId, { ...asked, among })).map((facet) => withPaths(facet, scopes))
      : (await catalog.docs.facets(visibility, { ...asked, among: among.map(({ unitId }) => unitId), filters: [] }))
          .facets
  return counted.map((facet, i) => ({ ...facet, field: wireNameOf(query.facets[i] ?? 'plane') }))
}

/** The index knows scopes by their ids. */
function withPaths(facet: Facet, scopes: Plan['scopes']): Facet {
  if (facet.field !== 'scope') return facet
  return {
    ...facet,
    values: facet.values.map(({ value, count }) => ({ value: scopes.get(`${value}`) ?? value, count })),
  }
}
