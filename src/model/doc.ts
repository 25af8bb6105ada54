import type { MetadataValue, Modality, Plane, ReaderView } from './unit.ts'

/** What a reader sees of the Units with one `docId`, or of one Unit without. */
export interface Doc {
  /** Null for a Unit of its own. */
  docId: string | null
  /** The first of its readable Units, which also gives title, type and source. */
  unitId: string
  title: string
  scopes: string[]
  planes: Plane[]
  modalities: Modality[]
  mime: string | null
  sourceUri: string | null
  /** Of its readable Units; null where they differ. */
  readers: ReaderView[] | null
  /** Readable Units. */
  units: number
  /** Of the first write of a readable Unit, and of the latest change. Epoch milliseconds. */
  createdAt: number
  updatedAt: number
}

/** Readable Units that follow each other under one path of headings. */
export interface Section {
  /** Null without headings. */
  title: string | null
  /** The first of them. */
  unitId: string
  units: number
}

/** A heading above readable Units of a document. */
export interface Heading {
  title: string
  /** 1 for the outermost. */
  level: number
  /** The first readable Unit under it. */
  unitId: string
  /** Readable Units under it, those under the headings within it included. */
  units: number
}

export const facetColumns = ['plane', 'modality', 'scope', 'docId', 'mime', 'createdAt'] as const
export type FacetField = (typeof facetColumns)[number] | `metadata.${string}`

/** How often the values of a field occur. A list counts for each of its values. */
export interface Facet {
  field: string
  /** The most frequent first; equal ones by value. */
  values: { value: MetadataValue; count: number }[]
  /** How often values occur that are not among `values`. */
  other: number
  /** Units without the field. */
  missing: number
  /** Of times and numbers. */
  min: number | null
  max: number | null
}

export interface Facets {
  /** Units that meet all filters. */
  count: number
  facets: Facet[]
  /** As paths of filters, the most frequent first. */
  metadataKeys: string[]
}
