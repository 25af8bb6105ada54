import type { MetadataCondition, NumberRange, SearchFilters } from '../../model/search.ts'
import type { IndexClause, IndexFilter } from '../../ports/indexes/index-filter.ts'
import { everyone } from './document.ts'
import { rangeTokens } from './fields/number-tokens.ts'
import { metadataToken, valueToken } from './fields/tokens.ts'

/**
 * A filter in Meilisearch's language; null for one that lets nothing through. Callers' values appear only as tokens, so
 * no quoting is needed and no value can widen the filter.
 */
export function filterExpression({ namespaceId, clauses, filters }: IndexFilter): string | null {
  const open = either(clauses.map(clauseCondition).filter((condition) => condition !== null))
  const conditions = [namespaceCondition(namespaceId), open, ...filterConditions(filters)]
  return conditions.includes(null) ? null : conditions.join(' AND ')
}

/** Null if there are no alternatives. */
const either = (alternatives: readonly string[]): string | null =>
  alternatives.length === 0 ? null : `(${alternatives.join(' OR ')})`

/** Null for a clause without scopes. */
function clauseCondition({ reader, scopeIds }: IndexClause): string | null {
  const scopes = scopeCondition(scopeIds)
  if (scopes === null || reader === 'unlimited') return scopes
  const readers = [reader, ...(reader.also ? [reader.also] : [])].map(readerCondition)
  return `(${[scopes, ...readers].join(' AND ')})`
}

function readerCondition({ principalId, groups }: Exclude<IndexClause['reader'], 'unlimited'>): string | null {
  // A group named `*` could not be distinguished from everyone.
  const named = groups.filter((group) => group !== '*').map((group) => valueToken('group', group))
  return oneOf('readers', [everyone, valueToken('owner', principalId), ...named])
}

export const namespaceCondition = (namespaceId: string): string =>
  `namespace = "${valueToken('namespace', namespaceId)}"`

/** Whether `attribute` is one of some tokens; null if there are none. */
export const oneOf = (attribute: string, tokens: readonly string[]): string | null =>
  tokens.length === 0 ? null : `${attribute} IN [${tokens.map((token) => `"${token}"`).join(', ')}]`

/** Planes that open the same scopes share a list, which may be long. */
function scopeCondition(scopeIds: IndexClause['scopeIds']): string | null {
  const planesOf = new Map<string, string[]>()
  for (const [plane, ids] of scopeIds) {
    const scopes = oneOf(
      'scope',
      [...ids].sort().map((id) => valueToken('scope', id)),
    )
    if (scopes !== null) planesOf.set(scopes, [...(planesOf.get(scopes) ?? []), plane])
  }
  return either([...planesOf].map(([scopes, planes]) => `(${oneOf('plane', planes)} AND ${scopes})`))
}

function filterConditions(filters: SearchFilters): (string | null)[] {
  const { modality, docId, externalId, sourceUri, mime, aclOwner, createdAfter, createdBefore, timeRange } = filters
  const among = (attribute: string, kind: string, values: readonly string[] | undefined) =>
    values === undefined
      ? []
      : [
          oneOf(
            attribute,
            values.map((value) => valueToken(kind, value)),
          ),
        ]
  return [
    ...(modality === undefined ? [] : [oneOf('modality', modality)]),
    ...among('doc', 'doc', docId),
    ...among('external', 'external', externalId),
    ...among('source', 'source', sourceUri),
    ...among('mime', 'mime', mime),
    ...among('owner', 'owner', aclOwner),
    ...(createdAfter === undefined ? [] : [`created >= ${createdAfter}`]),
    ...(createdBefore === undefined ? [] : [`created <= ${createdBefore}`]),
    ...(timeRange === undefined ? [] : [`time_start <= ${timeRange.tEndMs} AND time_end >= ${timeRange.tStartMs}`]),
    ...Object.entries(filters.metadata ?? {}).map(([key, condition]) =>
      oneOf('metadata', conditionTokens(key, condition)),
    ),
  ]
}

function conditionTokens(key: string, condition: MetadataCondition): string[] {
  if (isRange(condition)) return rangeTokens(key, condition.gte ?? -Infinity, condition.lte ?? Infinity)
  return (isList(condition) ? condition : [condition]).map((value) => metadataToken(key, value))
}

const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value)
const isRange = (value: MetadataCondition): value is NumberRange => typeof value === 'object' && !Array.isArray(value)
