import { pathOf } from './filter.ts'

/** Columns of a Unit that results are grouped and sorted by, and that facets count. */
export type FieldColumn = 'plane' | 'modality' | 'scope' | 'docId' | 'mime' | 'createdAt' | 'updatedAt'

/** A column, or a path into the metadata, as filters write it. */
export type UnitField = FieldColumn | `metadata.${string}`

const prefix = 'metadata.'

/** The keys of a path into the metadata; null for a column, and for a path with an empty key. */
export const metadataPath = (field: string): readonly string[] | null =>
  field.startsWith(prefix) ? pathOf(field.slice(prefix.length)) : null
