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

/**
 * What a model reads in a picture; empty where it finds nothing, and where the provider does not take such a picture.
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
  ocr: ReadPicture | null
  /** What a picture shows. */
  caption: ReadPicture | null
  transcribe: Transcribe | null
}
