import type { Metadata } from '../../../model/unit.ts'
import type { Embedding, IndexedUnit } from '../../../ports/indexes/index-filter.ts'
import { numberField, pairsOf, term } from './terms.ts'

/** A field's value as Pinecone stores it. */
export type FieldValue = string | number | boolean | string[]

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
export const modelTerm = (model: string): string => `model ${term(model)}`
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
