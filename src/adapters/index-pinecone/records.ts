import { createHash } from 'node:crypto'
import { type Bounds, type Comparison, type Condition, type Filter, holds, type Scalar } from '../../model/filter.ts'
import type { Reader } from '../../model/unit.ts'
import { type Metadata, type MetadataValue, modalities, toUnitVector } from '../../model/unit.ts'
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
  /** How many records the Unit has, if they are more than its models. */
  records: 'records',
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
  const pairs = new Set<string>()
  const numbers: Record<string, number> = {}
  const addAt = (path: readonly string[], value: MetadataValue) => {
    if (typeof value === 'number') numbers[numberField(path)] = value
    const isList = Array.isArray(value)
    for (const one of isList ? value : [value]) {
      if (typeof one !== 'object') pairs.add(pair(path, one))
      if (isList && typeof one === 'number') pairs.add(pair(path, null))
    }
    if (typeof value === 'object' && value !== null && !isList)
      for (const [key, member] of Object.entries(value)) addAt([...path, key], member)
  }
  for (const [key, value] of Object.entries(metadata)) addAt([key], value)
  const fields = { ...(pairs.size > 0 && { [field.metadata]: [...pairs] }), ...numbers }
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
  const wanted = express(filters, true)
  if (wanted === false) return []
  const without = (query.without ?? []).map(modelTerm)
  const model = [
    { [field.model]: { $eq: modelTerm(query.model) } },
    ...(without.length > 0 ? [{ [field.otherModel]: { $nin: without } }] : []),
  ]
  return clauses.flatMap(({ reader, scopeIds }) =>
    runsOf(scopeIds.get(query.plane) ?? [], maxValues).map((run) => ({
      $and: [...model, { [field.scope]: { $in: run } }, ...readable(reader), ...(wanted === true ? [] : [wanted])],
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

/** What is as wide as a filter, or wider; true for what all Units meet, false for what none does. */
type Expression = PineconeFilter | boolean

/**
 * What lets through at least what a filter does, or its opposite does. Where Pinecone cannot tell, that is everything: the
 * catalog decides. There is no "not" in its language, and its documents disagree about `$ne` on a list.
 */
function express(filter: Filter, isMet: boolean): Expression {
  const parts = filter.map((condition) => expressOne(condition, isMet))
  return isMet ? all(parts) : some(parts)
}

function all(parts: readonly Expression[]): Expression {
  if (parts.includes(false)) return false
  const found = parts.filter((part) => part !== true)
  return found.length === 0 ? true : { $and: found }
}

function some(parts: readonly Expression[]): Expression {
  if (parts.includes(true)) return true
  const found = parts.filter((part) => part !== false)
  return found.length === 0 ? false : { $or: found }
}

function expressOne(condition: Condition, isMet: boolean): Expression {
  switch (condition.kind) {
    case 'any': {
      const parts = condition.of.map((filter) => express(filter, isMet))
      return isMet ? some(parts) : all(parts)
    }
    case 'not':
      return express(condition.of, !isMet)
    case 'overlaps':
      return (
        !isMet || {
          $and: [{ [field.start]: { $lte: condition.tEndMs } }, { [field.end]: { $gte: condition.tStartMs } }],
        }
      )
    default:
      return compare(condition, isMet)
  }
}

const textFields = {
  docId: field.docId,
  externalId: field.externalId,
  sourceUri: field.sourceUri,
  mime: field.mime,
  aclOwner: field.owner,
} as const

function compare(comparison: Comparison, isMet: boolean): Expression {
  const { at, kind } = comparison
  if (typeof at !== 'string') return isMet ? compareMetadata(comparison, at) : true
  switch (at) {
    case 'modality': {
      const words = modalities.filter((word) => holds(comparison, word) === isMet)
      return words.length > 0 && { [field.modality]: { $in: words } }
    }
    case 'createdAt': {
      if (!isMet || kind === 'exists') return true
      if (kind === 'equals') return { [field.createdAt]: { $in: comparison.values } }
      return kind !== 'within' || all(bounded(field.createdAt, comparison.bounds))
    }
    case 'plane':
    case 'updatedAt':
      return true
    default: {
      if (kind !== 'equals') return true
      const [name, values] = [textFields[at], comparison.values.map((value) => term(`${value}`))]
      return isMet
        ? { [name]: { $in: values } }
        : { $or: [{ [name]: { $nin: values } }, { [name]: { $exists: false } }] }
    }
  }
}

/** Its numbers are those of f64. */
const bounded = (name: string, bounds: Bounds): PineconeFilter[] =>
  Object.entries(bounds).flatMap(([operator, bound]) =>
    bound === undefined ? [] : { [name]: { [`$${operator}`]: bound } },
  )

/** A Unit whose metadata is not stored passes. So does one with a list of numbers where numbers are compared. */
function compareMetadata(comparison: Comparison, path: readonly string[]): Expression {
  const leftOut = { [field.metadataLeftOut]: { $eq: true } }
  if (comparison.kind === 'equals')
    return { $or: [{ [field.metadata]: { $in: comparison.values.map((value) => pair(path, value)) } }, leftOut] }
  if (comparison.kind !== 'within' || Object.values(comparison.bounds).some((bound) => typeof bound === 'string'))
    return true
  const isListed = { [field.metadata]: { $in: [pair(path, null)] } }
  return some([all(bounded(numberField(path), comparison.bounds)), isListed, leftOut])
}

/** Whether what Pinecone lets through is exactly what a filter does, but for metadata that is not stored. */
export const isExact = (filter: Filter): boolean =>
  filter.every((condition) => {
    if (condition.kind === 'any') return condition.of.every(isExact)
    if (condition.kind === 'overlaps') return true
    return condition.kind === 'equals' && condition.at !== 'plane' && condition.at !== 'updatedAt'
  })

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

/** A path with one of its scalars, including its type: `["pages",3]`. With null, it says that a list there has numbers. */
const pair = (path: readonly string[], value: Scalar | null): string => term(JSON.stringify([...path, value]))

/** The field of a metadata number, for ranges. */
const numberField = ([key = '', ...more]: readonly string[]): string =>
  more.length === 0 ? `n:${term(key)}` : `p:${term(JSON.stringify([key, ...more]))}`

/** Mark the records of a Unit's vectors after the first, and those of the other model; no encoded id contains them. */
const marks = { vector: '#1', other: '#2' } as const
const marked = /#[12](?:\.\d+)?$/

/** Of a Unit with one model. Further ones are not stored. */
export const maxVectors = 16

/** Pinecone takes only ASCII. */
const encode = encodeURIComponent

/** The id of the record of one of a Unit's vectors, or of those of the other model. */
export function recordId(unitId: string, which: 'vector' | 'other', number = 0): string {
  if (number > 0) return `${encode(unitId)}${marks[which]}.${number}`
  return which === 'vector' ? encode(unitId) : `${encode(unitId)}${marks.other}`
}

/** The ids of which a stored Unit has at least one; the plain Unit id is not one that this service uses. */
export function firstRecordIds(unitId: string): string[] {
  const ids = [recordId(unitId, 'vector'), recordId(unitId, 'other')]
  return ids.includes(unitId) || !isAscii(unitId) ? ids : [...ids, unitId]
}

/** The ids of all records that a Unit may have in an index. */
export function recordIds(unitId: string): string[] {
  const further = Array.from({ length: maxVectors - 1 }, (_, i) => i + 1)
  const ofBoth = (['vector', 'other'] as const).flatMap((which) => further.map((n) => recordId(unitId, which, n)))
  return [...firstRecordIds(unitId), ...ofBoth]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what Pinecone takes as an id
const isAscii = (text: string) => /^[\x01-\x7f]{1,512}$/u.test(text)

/** The Unit of a record. A record of another client counts as an unknown Unit. */
export function unitIdOf(id: string): string {
  const encoded = id.replace(marked, '')
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
