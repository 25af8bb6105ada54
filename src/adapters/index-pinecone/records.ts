import { createHash } from 'node:crypto'
import type { Reader } from '../../model/acl.ts'
import type { MetadataCondition, NumberRange, SearchFilters } from '../../model/search.ts'
import { type Metadata, toUnitVector } from '../../model/unit.ts'
import type { Embedding, IndexedUnit, IndexFilter } from '../../ports/indexes/index-filter.ts'
import type { VectorQuery } from '../../ports/indexes/vector-index.ts'

/** A field's value as Pinecone stores it. */
type FieldValue = string | number | boolean | string[]

export interface PineconeRecord {
  id: string
  values: number[]
  metadata: Record<string, FieldValue>
}

/** The names of the fields, for records and for filters. */
export const field = {
  seq: 'seq',
  /** The model of the vector; `none` if the Unit has none. */
  model: 'model',
  /** The model of the Unit's other vector, in another record; usually `none`. */
  otherModel: 'other_model',
  scope: 'scope',
  owner: 'owner',
  groups: 'groups',
  modality: 'modality',
  docId: 'doc_id',
  externalId: 'external_id',
  sourceUri: 'source_uri',
  mime: 'mime',
  createdAt: 'created_at',
  start: 't_start_ms',
  end: 't_end_ms',
  /** Each value of the Unit's metadata with its key. */
  metadata: 'metadata',
  /** True if the metadata is too large to store: then only the catalog decides. */
  metadataLeftOut: 'metadata_left_out',
} as const

/** A model's stored name; it never equals the term for "none". */
const modelTerm = (model: string): string => `model ${term(model)}`
export const noModel = 'none'

/**
 * Pinecone takes 40 KB of metadata per record. This is the limit for the Unit's own metadata; the rest is at most 64
 * groups and ten short fields.
 */
const maxMetadataBytes = 30_000

/**
 * Only the fields of a Unit that searches filter by: neither its text nor anything that only readers may see. Missing
 * fields are left out, since Pinecone has no null.
 */
export function fieldsOf(
  unit: IndexedUnit,
  vector: Embedding | null,
  other: Embedding | null,
): PineconeRecord['metadata'] {
  const { locator, acl } = unit
  return {
    [field.seq]: unit.seq,
    [field.model]: vector ? modelTerm(vector.model) : noModel,
    [field.otherModel]: other ? modelTerm(other.model) : noModel,
    [field.scope]: unit.scopeId,
    [field.owner]: term(acl.owner),
    ...(acl.groups.length > 0 && { [field.groups]: acl.groups.map(term) }),
    [field.modality]: unit.modality,
    ...(unit.docId !== null && { [field.docId]: term(unit.docId) }),
    ...(unit.externalId !== null && { [field.externalId]: term(unit.externalId) }),
    ...(unit.sourceUri !== null && { [field.sourceUri]: term(unit.sourceUri) }),
    ...(unit.mime !== null && { [field.mime]: term(unit.mime) }),
    [field.createdAt]: unit.createdAt,
    ...(locator?.kind === 'time_range' && { [field.start]: locator.tStartMs, [field.end]: locator.tEndMs }),
    ...metadataFields(unit.metadata),
  }
}

function metadataFields(metadata: Metadata): PineconeRecord['metadata'] {
  const pairs = pairsOf(metadata)
  const numbers = Object.entries(metadata).flatMap(([key, value]) =>
    typeof value === 'number' ? [[numberField(key), value] as const] : [],
  )
  const fields = { ...(pairs.length > 0 && { [field.metadata]: pairs }), ...Object.fromEntries(numbers) }
  return Buffer.byteLength(JSON.stringify(fields)) <= maxMetadataBytes ? fields : { [field.metadataLeftOut]: true }
}

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

/** Longer texts are stored as a digest: they are compared whole and never read back. */
const maxBytes = 64

/**
 * A text as it is stored for comparison: unchanged if short, otherwise a digest of 132 bits. Collisions cannot be found
 * in practice; if there were one, the catalog would still distinguish the texts.
 */
function term(text: string): string {
  if (text !== '' && !text.startsWith('#') && Buffer.byteLength(text) <= maxBytes) return text
  return `#${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
}

/** A key with one of its values, including its type: `["pages",3]`. */
const pair = (key: string, value: string | number | boolean): string => term(JSON.stringify([key, value]))

/** Every value of the metadata with its key; for a list, each of its elements. */
function pairsOf(metadata: Metadata): string[] {
  const pairs = Object.entries(metadata).flatMap(([key, value]) =>
    typeof value === 'object' ? value.map((element) => pair(key, element)) : [pair(key, value)],
  )
  return [...new Set(pairs)]
}

/** The field of a metadata number, for ranges. */
const numberField = (key: string): string => `n:${term(key)}`

/** Marks the record of a Unit's other vector; no encoded id contains it. */
const otherMark = '#2'

/** Pinecone takes only ASCII. */
const encode = encodeURIComponent

/** The id of the record of a Unit's vector, or of its other vector. */
export const recordId = (unitId: string, which: 'vector' | 'other'): string =>
  which === 'vector' ? encode(unitId) : `${encode(unitId)}${otherMark}`

/** The ids of all records that a Unit may have in an index; the plain Unit id is not one that this service uses. */
export function recordIds(unitId: string): string[] {
  const ids = [recordId(unitId, 'vector'), recordId(unitId, 'other')]
  return ids.includes(unitId) || !isAscii(unitId) ? ids : [...ids, unitId]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what Pinecone takes as an id
const isAscii = (text: string) => /^[\x01-\x7f]{1,512}$/u.test(text)

/** The Unit of a record. A record of another client counts as an unknown Unit. */
export function unitIdOf(id: string): string {
  const encoded = id.endsWith(otherMark) ? id.slice(0, -otherMark.length) : id
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}

/**
 * A vector as Pinecone takes it: scaled to length 1, because Pinecone refuses values that are all below 1e-8, and
 * padded with zeros to the size of the index. Neither changes a cosine. Null for a vector without a direction.
 */
export function valuesOf(vector: Float32Array, dims: number): number[] | null {
  const unit = toUnitVector(vector)
  if (unit === null) return null
  const values = new Array<number>(dims).fill(0)
  // Eight decimals keep a cosine exact to six, and requests small.
  for (const [i, value] of unit.entries()) values[i] = Math.round(value * 1e8) / 1e8
  return values
}

/** The vector of a Unit that has none; no search uses its model. */
export const placeholder = (dims: number): number[] => [1, ...new Array<number>(dims - 1).fill(0)]
