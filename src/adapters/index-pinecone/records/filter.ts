import type { Reader } from '../../../model/acl.ts'
import type { MetadataCondition, NumberRange, SearchFilters } from '../../../model/search.ts'
import type { IndexFilter } from '../../../ports/indexes/index-filter.ts'
import type { VectorQuery } from '../../../ports/indexes/vector-index.ts'
import { field, modelTerm } from './record.ts'
import { numberField, pair, term } from './terms.ts'

/** A filter in Pinecone's language. */
export type PineconeFilter = Record<string, unknown>

/** Pinecone's limit of values in `$in`. */
const maxValues = 10_000

/**
 * What a search may see, in Pinecone's filter language, applied before scoring. Several filters if there are several
 * readers or more scopes than one filter takes; none if nothing can match. Uses only operators on single strings and
 * numbers, and list membership: Pinecone's documents disagree about `$ne` on a list.
 */
export function filtersOf(query: VectorQuery, { clauses, filters }: IndexFilter): PineconeFilter[] {
  const conditions = conditionsOf(filters)
  if (conditions === null) return []
  const without = (query.without ?? []).map(modelTerm)
  const model = [
    { [field.model]: { $eq: modelTerm(query.model) } },
    ...(without.length > 0 ? [{ [field.otherModel]: { $nin: without } }] : []),
  ]
  return clauses.flatMap(({ reader, scopeIds }) =>
    runsOf(scopeIds.get(query.plane) ?? [], maxValues).map((run) => ({
      $and: [...model, { [field.scope]: { $in: run } }, ...readable(reader), ...conditions],
    })),
  )
}

function readable(reader: Reader): PineconeFilter[] {
  if (reader === 'unlimited') return []
  return [reader, ...(reader.also ? [reader.also] : [])].map(({ principalId, groups }) => {
    const open = [...new Set(['*', ...groups])].map(term)
    return { $or: [{ [field.owner]: { $eq: term(principalId) } }, { [field.groups]: { $in: open } }] }
  })
}

/** Null if nothing can match. */
function conditionsOf(filters: SearchFilters): PineconeFilter[] | null {
  const { createdAfter, createdBefore, timeRange } = filters
  const lists: [string, readonly string[] | undefined][] = [
    [field.modality, filters.modality],
    [field.docId, filters.docId],
    [field.externalId, filters.externalId],
    [field.sourceUri, filters.sourceUri],
    [field.mime, filters.mime],
    [field.owner, filters.aclOwner],
  ]
  const metadata = Object.entries(filters.metadata ?? {}).map(([key, condition]) => metadataCondition(key, condition))
  if (lists.some(([, values]) => values?.length === 0) || metadata.includes(null)) return null
  return [
    ...lists.flatMap(([name, values]) => (values ? [{ [name]: { $in: values.map(term) } }] : [])),
    ...(createdAfter === undefined ? [] : [{ [field.createdAt]: { $gte: createdAfter } }]),
    ...(createdBefore === undefined ? [] : [{ [field.createdAt]: { $lte: createdBefore } }]),
    ...(timeRange
      ? [{ [field.start]: { $lte: timeRange.tEndMs } }, { [field.end]: { $gte: timeRange.tStartMs } }]
      : []),
    ...metadata.filter((condition) => condition !== null),
  ]
}

/** Null if nothing can match. A Unit whose metadata is not stored passes: the catalog checks all proposed Units. */
function metadataCondition(key: string, condition: MetadataCondition): PineconeFilter | null {
  const leftOut = { [field.metadataLeftOut]: { $eq: true } }
  if (isRange(condition)) {
    const bounds = [
      { [numberField(key)]: { $gte: Math.max(condition.gte ?? -Infinity, -Number.MAX_VALUE) } },
      { [numberField(key)]: { $lte: Math.min(condition.lte ?? Infinity, Number.MAX_VALUE) } },
    ]
    return { $or: [{ $and: bounds }, leftOut] }
  }
  const wanted = (isList(condition) ? condition : [condition]).map((value) => pair(key, value))
  return wanted.length === 0 ? null : { $or: [{ [field.metadata]: { $in: wanted } }, leftOut] }
}

const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value)
const isRange = (value: MetadataCondition): value is NumberRange => typeof value === 'object' && !Array.isArray(value)

const runsOf = <T>(items: readonly T[], max: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / max) }, (_, i) => items.slice(i * max, (i + 1) * max))
