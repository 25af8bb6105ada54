import type { Metadata } from '../../../src/model/unit.ts'
import type { ModelUnit } from './model.ts'
import type { SearchBody } from './operations.ts'

/** A second implementation of the filters of searches. */

export function isFiltered(filters: NonNullable<SearchBody['filters']>, unit: ModelUnit): boolean {
  const { modality, doc_id, external_id, source_uri, acl_owner, metadata } = filters
  return (
    (modality?.includes(unit.modality) ?? true) &&
    (doc_id?.includes(unit.docId ?? '') ?? true) &&
    (external_id?.includes(unit.externalId ?? '') ?? true) &&
    (source_uri?.includes(unit.sourceUri ?? '') ?? true) &&
    (acl_owner?.includes(unit.owner) ?? true) &&
    hasMetadata(metadata as Metadata | undefined, unit)
  )
}

type Filters = NonNullable<SearchBody['filters']>

/** A facet ignores the filter of its own field. */
export function withoutOwn({ modality, doc_id, metadata, ...rest }: Filters, field: string): Filters {
  const { tag, ...others } = metadata ?? {}
  return {
    ...rest,
    ...(modality && field !== 'modality' && { modality }),
    ...(doc_id && field !== 'docId' && { doc_id }),
    ...(metadata && { metadata: field === 'metadata.tag' || tag === undefined ? others : { ...others, tag } }),
  }
}

/** The drawn conditions: a value, or a list with at least one matching value. */
export const hasMetadata = (conditions: Metadata = {}, unit: ModelUnit) =>
  Object.entries(conditions).every(([key, wanted]) => [wanted].flat().some((value) => unit.metadata[key] === value))
