import { type Bounds, type Comparison, type Condition, type Filter, holds } from '../../model/filter.ts'
import { type Metadata, type MetadataValue, modalities, planes } from '../../model/unit.ts'
import type { IndexClause, IndexedUnit, IndexFilter } from '../../ports/indexes/index-filter.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import { lengthClass } from './bm25.ts'
import {
  documentId,
  metadataToken,
  nextNumber,
  numberTokens,
  orderOf,
  rangeTokens,
  textFields,
  valueToken,
} from './fields.ts'

/** The value in `readers` for everyone who sees the scope. */
const everyone = 'everyone'

/** A Unit as a Meilisearch document. Strings that filters compare are tokens; so are the words of the text. */
export function documentOf(namespaceId: string, unit: IndexedUnit, analysis: TextAnalysis): Record<string, unknown> {
  const { locator } = unit
  const time = locator?.kind === 'time_range' ? locator : null
  const optional = (kind: string, value: string | null) => (value === null ? null : valueToken(kind, value))
  const { terms, stops, bag, length } = textFields(unit, analysis)
  return {
    ...readersOf(namespaceId, unit),
    scope: valueToken('scope', unit.scopeId),
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

/** The part of its document that other readers change, and what removals find it by: a late request may write it again. */
export const readersOf = (
  namespaceId: string,
  { unitId, seq, plane, acl }: Pick<IndexedUnit, 'unitId' | 'seq' | 'plane' | 'acl'>,
): Record<string, unknown> => ({
  id: documentId(namespaceId, unitId),
  unit_id: unitId,
  order: orderOf(unitId),
  seq,
  namespace: valueToken('namespace', namespaceId),
  plane,
  owner: valueToken('owner', acl.owner),
  readers: [valueToken('owner', acl.owner), ...acl.groups.map(readersToken)],
})

const readersToken = (group: string) => (group === '*' ? everyone : valueToken('group', group))

/** Of what conditions compare: objects and lists in a list are not. */
function metadataTokens(metadata: Metadata): string[] {
  const tokens = new Set<string>()
  const addAt = (path: readonly string[], value: MetadataValue) => {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === 'object') continue
      tokens.add(metadataToken(path, one))
      if (typeof one === 'number') for (const token of numberTokens(path, one)) tokens.add(token)
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [key, member] of Object.entries(value)) addAt([...path, key], member)
  }
  for (const [key, value] of Object.entries(metadata)) addAt([key], value)
  return [...tokens]
}

/**
 * A filter in Meilisearch's language; null for one that lets nothing through. Callers' values appear only as tokens, so
 * no quoting is needed and no value can widen the filter. It lets through more than the conditions where tokens cannot
 * tell: the catalog decides.
 */
export function filterExpression({ namespaceId, clauses, filters }: IndexFilter): string | null {
  const open = either(clauses.map(clauseCondition).filter((condition) => condition !== null))
  const wanted = express(filters, 'more')
  if (open === null || wanted === false) return null
  return [namespaceCondition(namespaceId), open, ...(wanted === true ? [] : [wanted])].join(' AND ')
}

/** Whether its expression lets through exactly what a filter does. */
export const isExact = (filter: Filter): boolean => express(filter, 'more') === express(filter, 'less')

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

/** A condition; true for one that all Units meet, false for one that none does. */
type Expression = string | boolean

/** What lets through at least, or at most, what a filter does: the other one is needed to negate it. */
function express(filter: Filter, side: 'more' | 'less'): Expression {
  const parts = filter.map((condition) => expressOne(condition, side)).filter((part) => part !== true)
  if (parts.includes(false)) return false
  return parts.length === 0 ? true : parts.join(' AND ')
}

function expressOne(condition: Condition, side: 'more' | 'less'): Expression {
  switch (condition.kind) {
    case 'any': {
      const parts = condition.of.map((filter) => express(filter, side)).filter((part) => part !== false)
      return parts.includes(true) ? true : (either(parts.map((part) => `(${part})`)) ?? false)
    }
    case 'not': {
      const without = express(condition.of, side === 'more' ? 'less' : 'more')
      return typeof without === 'boolean' ? !without : `NOT (${without})`
    }
    case 'overlaps':
      return `time_start <= ${condition.tEndMs} AND time_end >= ${condition.tStartMs}`
    default:
      return compare(condition) ?? side === 'more'
  }
}

const tokenAttributes = {
  docId: ['doc', 'doc'],
  externalId: ['external', 'external'],
  sourceUri: ['source', 'source'],
  mime: ['mime', 'mime'],
  aclOwner: ['owner', 'owner'],
} as const

/** Null for what a document does not show: of texts it holds tokens alone. */
function compare(comparison: Comparison): Expression | null {
  const { at, kind } = comparison
  if (typeof at !== 'string') return compareMetadata(comparison, at)
  switch (at) {
    case 'modality':
    case 'plane': {
      const all: readonly string[] = at === 'modality' ? modalities : planes
      return (
        oneOf(
          at,
          all.filter((word) => holds(comparison, word)),
        ) ?? false
      )
    }
    case 'createdAt':
      return compareCreated(comparison)
    case 'updatedAt':
      return null
    default: {
      if (kind !== 'equals') return null
      const [attribute, tokenKind] = tokenAttributes[at]
      return (
        oneOf(
          attribute,
          comparison.values.map((value) => valueToken(tokenKind, `${value}`)),
        ) ?? false
      )
    }
  }
}

const signs = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function compareCreated(comparison: Comparison): Expression | null {
  if (comparison.kind === 'exists') return true
  if (comparison.kind === 'equals') return either(comparison.values.map((value) => `created = ${value}`))
  if (comparison.kind !== 'within') return null
  const bounds = Object.entries(comparison.bounds) as [keyof typeof signs, number | undefined][]
  return bounds.flatMap(([name, bound]) => (bound === undefined ? [] : `created ${signs[name]} ${bound}`)).join(' AND ')
}

function compareMetadata(comparison: Comparison, path: readonly string[]): Expression | null {
  if (comparison.kind === 'equals')
    return (
      oneOf(
        'metadata',
        comparison.values.map((value) => metadataToken(path, value)),
      ) ?? false
    )
  if (comparison.kind !== 'within') return null
  const range = rangeOf(comparison.bounds)
  return range && (oneOf('metadata', rangeTokens(path, ...range)) ?? false)
}

/** The least and the greatest number within bounds; null for bounds of texts. */
function rangeOf({ gt, gte, lt, lte }: Bounds): [number, number] | null {
  if ([gt, gte, lt, lte].some((bound) => typeof bound === 'string')) return null
  const min = Math.max(Number(gte ?? -Infinity), gt === undefined ? -Infinity : nextNumber(Number(gt), 1))
  const max = Math.min(Number(lte ?? Infinity), lt === undefined ? Infinity : nextNumber(Number(lt), -1))
  return [min, max]
}
