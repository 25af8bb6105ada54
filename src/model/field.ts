import { pathOf } from './filter.ts'

/** Columns of a Unit that results are grouped and sorted by, and that facets count. */
export const fieldColumns = ['plane', 'modality', 'scope', 'docId', 'mime', 'createdAt', 'updatedAt'] as const

export type FieldColumn = (typeof fieldColumns)[number]

/** A column, or a path into the metadata: its keys are joined by dots, and a dot in a key is `\.`. */
export type UnitField = FieldColumn | `metadata.${string}`

const metadataPrefix = 'metadata.'

/** The keys of a path into the metadata; null for a column, and for a path with an empty key. */
export const metadataPath = (field: string): readonly string[] | null =>
  field.startsWith(metadataPrefix) ? pathOf(field.slice(metadataPrefix.length)) : null
