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

export type MetadataValue = string | number | boolean | readonly string[]
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
