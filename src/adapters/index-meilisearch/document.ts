import type { MetadataCondition, NumberRange, SearchFilters } from '../../model/search.ts'
import type { Metadata, MetadataValue } from '../../model/unit.ts'
import type { IndexClause, IndexedUnit, IndexFilter } from '../../ports/indexes/index-filter.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import { lengthClass } from './bm25.ts'
import { documentId, metadataToken, numberTokens, orderOf, rangeTokens, textFields, valueToken } from './fields.ts'

/** The value in `readers` for everyone who sees the scope. */
const everyone = 'everyone'

/** A Unit as a Meilisearch document. Strings that filters compare are tokens; so are the words of the text. */
export function documentOf(namespaceId: string, unit: IndexedUnit, analysis: TextAnalysis): Record<string, unknown> {
  const { unitId, acl, locator } = unit
  const time = locator?.kind === 'time_range' ? locator : null
  const optional = (kind: string, value: string | null) => (value === null ? null : valueToken(kind, value))
  const { terms, stops, bag, length } = textFields(unit, analysis)
  return {
    id: documentId(namespaceId, unitId),
    unit_id: unitId,
    order: orderOf(unitId),
    seq: unit.seq,
    namespace: valueToken('namespace', namespaceId),
    plane: unit.plane,
    scope: valueToken('scope', unit.scopeId),
    owner: valueToken('owner', acl.owner),
    readers: [valueToken('owner', acl.owner), ...acl.groups.map(readersToken)],
    modality: unit.modality,
    doc: optional('doc', unit.docId),
    external: optional('external', unit.externalId),
    source: optional('source', unit.sourceUri),
    mime: optional('mime', unit.mime),
    created: unit.createdAt,
    time_start: time?.tStartMs ?? null,
    time_end: time?.tEndMs ?? null,
    metadata: metadataTokens(unit.metadata),
    length,
    length_class: length === 0 ? null : lengthClass(length),
    bag,
    ...terms,
    stops,
  }
}

const readersToken = (group: string) => (group === '*' ? everyone : valueToken('group', group))

function metadataTokens(metadata: Metadata): string[] {
  const tokens = Object.entries(metadata).flatMap(([key, value]) => [
    ...listed(value).map((one) => metadataToken(key, one)),
    ...(typeof value === 'number' ? numberTokens(key, value) : []),
  ])
  return [...new Set(tokens)]
}

const listed = (value: MetadataValue) => (typeof value === 'object' ? value : [value])

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
