import type { Locator, Metadata, Modality } from '../model/unit.ts'

/** What a parser reads: a local file, so that a large one is never whole in memory. */
export interface FileToParse {
  /** In a folder of its own: the members of an archive are put beside it. */
  path: string
  /** As the caller named it; its extension counts where the content says too little. */
  name: string
  /** What a file beside it says about a picture or a recording. */
  sidecar: string | null
}

/** A Unit as a line of JSONL gives it: the JSON object that `POST /v1/ingest` takes, unchecked. */
export type GivenUnit = Readonly<Record<string, unknown>>

export interface ParsedUnit {
  modality: Modality
  text: string | null
  /** The path of headings joined by ` > `, at most 1,024 characters. */
  title: string | null
  locator: Locator | null
  /** What the parser knows: `page`, `sheet`, `rows`, `speaker`, `count` and the like. */
  metadata: Metadata
  given?: GivenUnit
  /**
   * What a model may read for it: the file itself, which is a picture or a recording, or the page `metadata.page`, whose
   * picture `pagePictures` gives.
   */
  media?: 'picture' | 'recording' | 'page'
}

/** An attachment or an embedded picture: a document of its own. */
export interface Attachment {
  name: string
  bytes: Uint8Array
  /** What its author wrote in place of a picture. */
  alternative?: string
}

/** A member of an archive or a mail store, which may be large: a local file. */
export interface Member {
  name: string
  path: string
}

export interface ParsedFile {
  /** What the bytes are. */
  mime: string
  /**
   * Rendition `text`, that `char_span` and `line_range` point into. Null where the file has no text, and where it is the
   * file itself in UTF-8: a long text is not handed over only to be read from the file again.
   */
  text: string | null
  /** The rendition is the file itself, decoded from `charset` without its BOM. */
  textIsFile: boolean
  /** IANA name of the encoding of a file that is text. `TextDecoder` knows it. */
  charset: string | null
  units: ParsedUnit[]
  attachments: (Attachment | Member)[]
}

/** What the pictures on a page show together: the page itself, where a scanner made it. */
export interface PagePicture {
  /** Of a PDF a gray PNG of at most 2,000 pixels each way, upright as the page is shown; else a picture that begins with the page. */
  mime: 'image/png' | 'image/tiff'
  bytes: Uint8Array
  /** Where it stands, in fractions of the page as it is shown. */
  box: { x: number; y: number; w: number; h: number }
}

export type ParseReason =
  | 'unsupported'
  | 'empty'
  | 'locked'
  | 'malformed'
  | 'too_large'
  | 'too_many_units'
  | 'timeout'
  | 'out_of_memory'
  | 'internal'

/** A file that could not be parsed. `detail` is one sentence without internals. */
export class ParseError extends Error {
  override readonly name = 'ParseError'
  readonly reason: ParseReason
  readonly detail: string

  constructor(reason: ParseReason, detail: string) {
    super(`${reason}: ${detail}`)
    this.reason = reason
    this.detail = detail
  }
}

/** A format of files that is read. */
export interface FileFormat {
  /** As a sentence names it: `a PDF document`. */
  name: string
  /** In lower case, without the dot. */
  extensions: readonly string[]
}

export interface Parser {
  /** Each has an extension. A text is read whatever its extension, and content comes before it. */
  readonly formats: readonly FileFormat[]
  /**
   * Parses a file within limits of time, memory and output. Errors: ParseError; the reason of `stop` when it aborts.
   * Calls beyond the number of workers wait for their turn; the time that they wait does not count.
   */
  parse(file: FileToParse, stop: AbortSignal): Promise<ParsedFile>
  /**
   * The pictures on each of these pages of a PDF or a TIFF, which count from 1. Null where a page has none that can be read.
   * Limits and errors are those of `parse`.
   */
  pagePictures(file: FileToParse, pages: readonly number[], stop: AbortSignal): Promise<(PagePicture | null)[]>
  close(): Promise<void>
}
