/** Units: planes, modalities, locators, metadata, and the entity itself. */

export const planes = ['text', 'visual', 'audio', 'doc_visual'] as const
export type Plane = (typeof planes)[number]

export const modalities = [
  'text',
  'chunk',
  'caption',
  'ocr',
  'asr',
  'image',
  'image_region',
  'doc_page',
  'video_shot',
  'audio_utterance',
  'log_template',
  'detection',
] as const
export type Modality = (typeof modalities)[number]

/** Units that are a picture: their source, or the page or the moment of it that they stand for. */
export const picturedModalities: ReadonlySet<Modality> = new Set<Modality>(['image', 'doc_page', 'video_shot'])

const planeOfModality: Partial<Record<Modality, Plane>> = {
  image: 'visual',
  image_region: 'visual',
  video_shot: 'visual',
  detection: 'visual',
  audio_utterance: 'audio',
  doc_page: 'doc_visual',
}

/** The default plane of a Unit. */
export function defaultPlane(modality: Modality): Plane {
  return planeOfModality[modality] ?? 'text'
}

/** A span inside the source: milliseconds; fractions 0..1 of the page or frame; UTF-16 offsets; 1-based lines. */
export type Locator =
  | { kind: 'time_range'; tStartMs: number; tEndMs: number }
  | { kind: 'bbox'; page?: number; x: number; y: number; w: number; h: number }
  | { kind: 'char_span'; start: number; end: number }
  | { kind: 'line_range'; start: number; end: number }

export type MetadataValue =
  | string
  | number
  | boolean
  | null
  | readonly MetadataValue[]
  | { readonly [key: string]: MetadataValue }
export type Metadata = Readonly<Record<string, MetadataValue>>

/** Who may read a Unit: its owner, members of a group, or everyone in the scope when `groups` contains `*`. */
export interface Acl {
  owner: string
  groups: readonly string[]
}

/**
 * The stored fields of a Unit as its writer sent them; `null` for a field that was not sent. Each field has its own
 * column.
 */
export interface UnitContent {
  modality: Modality
  text: string | null
  /** Ranked with the text, and never quoted: the path of headings above it, joined by ` > `. */
  title: string | null
  /** Of the text, as a BCP 47 tag. It says how words are stemmed. */
  language: string | null
  sourceUri: string | null
  mime: string | null
  locator: Locator | null
  docId: string | null
  externalId: string | null
  metadata: Metadata
}

/** A live Unit as readers see it. `seq` belongs to its latest change; times are epoch milliseconds. */
export interface Unit extends UnitContent {
  unitId: string
  seq: number
  scope: string
  plane: Plane
  acl: Acl
  createdAt: number
  updatedAt: number
}

/** The vectors of a Unit by one model. They share the memory of `values`. */
export function vectorsOf({ values, count = 1 }: { values: Float32Array; count?: number }): Float32Array[] {
  const dims = values.length / count
  return Array.from({ length: count }, (_, i) => values.subarray(i * dims, (i + 1) * dims))
}

/** How far from 1 the length of a unit vector may be when its components are float32. */
const rounding = 1e-6

/**
 * The vector scaled to length 1, computed in f64: components may be as large or as small as f64 holds. One of length 1
 * stays as it is, bit by bit. Null without a direction: every component is 0, or one is not finite.
 */
export function toUnitVector(values: ArrayLike<number>): Float32Array<ArrayBuffer> | null {
  let max = 0
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i] ?? 0)
    if (!(size <= Number.MAX_VALUE)) return null
    if (size > max) max = size
  }
  if (max === 0) return null
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += ((values[i] ?? 0) / max) ** 2
  const length = Math.sqrt(squares)
  const unit = new Float32Array(values)
  if (Math.abs(length * max - 1) <= rounding) return unit
  for (let i = 0; i < unit.length; i++) unit[i] = (values[i] ?? 0) / max / length
  return unit
}
