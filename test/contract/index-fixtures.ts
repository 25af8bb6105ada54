import { filtersInput } from '../../src/domain/input/filters.ts'
import type { Acl, Plane } from '../../src/model/unit.ts'
import type { IndexChange, IndexClause, IndexedUnit, IndexFilter } from '../../src/ports/indexes/index-filter.ts'

export const namespaceId = 'ns_1'
export const openScope = 'scope_open'

/** A Unit that `filterFor` matches, by the word `alpha` and by any vector of model `m`. */
export function indexedUnit(unitId: string, seq: number, changed: Partial<IndexedUnit> = {}): IndexedUnit {
  return {
    unitId,
    seq,
    plane: 'text',
    scopeId: openScope,
    acl: { owner: 'someone', groups: ['*'] },
    modality: 'text',
    text: 'alpha',
    title: null,
    language: null,
    vector: { model: 'm', values: Float32Array.of(1, 0, 0, 0) },
    docId: null,
    externalId: null,
    sourceUri: null,
    mime: null,
    locator: null,
    metadata: {},
    createdAt: 1000,
    updatedAt: 1000,
    ...changed,
  }
}

export const put = (unit: IndexedUnit): IndexChange => ({ kind: 'put', unit })

export const readers = (unitId: string, seq: number, acl: Acl, updatedAt = 2000): IndexChange => ({
  ...{ kind: 'readers', unitId, seq, plane: 'text', acl, updatedAt },
})

export const remove = (unitId: string, seq: number, plane: Plane = 'text'): IndexChange => ({
  kind: 'remove',
  unitId,
  seq,
  plane,
})

/** A filter of one clause, unless it has `clauses`. `filters` is as callers send it. */
export type FilterChanges = Partial<Omit<IndexFilter, 'filters'> & IndexClause> & { filters?: object }

export function filterFor({ scopeIds, reader, filters = {}, ...changed }: FilterChanges = {}): IndexFilter {
  const clause = {
    scopeIds: scopeIds ?? new Map([['text', [openScope]] as const]),
    reader: reader ?? { principalId: 'me', groups: ['eng'] },
  }
  return { namespaceId, clauses: [clause], filters: filtersInput.parse(filters), ...changed }
}
