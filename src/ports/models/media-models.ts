import type { Cue } from '../../model/speech.ts'

export interface Picture {
  /** IANA type. */
  mime: string
  bytes: Uint8Array
}

/** A recording in a local file, so that a large one is never whole in memory. */
export interface Recording {
  path: string
  /** Its extension counts where a provider asks for one. */
  name: string
  mime: string
}

/** A line of the text in a picture. */
export interface TextLine {
  /** UTF-16 offsets into the text, end exclusive. */
  start: number
  end: number
  /** The box around it, in fractions 0..1 of the picture as it is shown. */
  x: number
  y: number
  w: number
  h: number
}

export interface PictureText {
  /** Empty where a picture has none. */
  text: string
  /** In the order of the text. Empty where the model does not say where it found what. */
  lines: readonly TextLine[]
  /** One sentence: why this picture cannot be read, now or later. */
  problem?: string
}

/** The text in a picture, in reading order. Throws as `ReadPicture`. */
export type ReadText = (picture: Picture, stop: AbortSignal) => Promise<PictureText>

/**
 * What a model says of a picture; empty where it finds nothing, and where the provider does not take such a picture.
 * Throws when the provider fails, or `stop` aborts.
 */
export type ReadPicture = (picture: Picture, stop: AbortSignal) => Promise<string>

/**
 * What is said in a recording, in order. A provider that knows no times gives one stretch of speech with `endMs` 0. Empty
 * where nothing is said, and where the provider does not take such a recording. Throws as `ReadPicture`.
 */
export type Transcribe = (recording: Recording, stop: AbortSignal) => Promise<Cue[]>

/** Models that read pictures and recordings; null where none is configured. */
export interface MediaModels {
  /** The text in a picture. */
  ocr: ReadText | null
  /** What a picture shows. */
  caption: ReadPicture | null
  transcribe: Transcribe | null
}
