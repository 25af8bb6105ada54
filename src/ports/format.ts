import type { Locator, Metadata } from '../model/unit.ts'
import type { Attachment, FileFormat, FileToParse, ParsedUnit } from './parser.ts'

/** A file under a format's hands. Methods throw ParseErrors. */
export interface OpenFile extends FileToParse {
  /** Of the name, in lower case, without the dot; empty without one. */
  readonly extension: string
  readonly size: number
  /** The first bytes, at most 64 KiB. */
  readonly head: Uint8Array
  /** The same as text, without the BOM and escape sequences of terminals. Null where they can't be one. */
  readonly headText: string | null
  /** Bytes from `offset`; fewer at the file's end. */
  read(offset: number, length: number): Promise<Uint8Array>
  /** The whole file. Errors: `too_large` above 256 MiB. */
  readAll(): Promise<Uint8Array>
  /** The whole file as text. Errors: `too_large` above 64 MiB, `malformed` where it is binary. */
  readText(): Promise<DecodedText>
}

export interface DecodedText {
  /** Without the BOM; line breaks as in the file. */
  text: string
  /** IANA name of the file's encoding. */
  charset: string
}

/** UTF-16 offsets, end exclusive. */
export interface Span {
  start: number
  end: number
}

/** A stretch of the text that belongs together. Blocks come in the order of the text and do not overlap. */
export interface Block extends Span {
  /**
   * `heading`: in the path of the blocks after it, not in their text. `prose`: split between paragraphs, sentences,
   * words. `table` and `code`: split between lines only, unless a line has more than 8,000 characters. `data`: split
   * between lines, then after brackets and commas.
   */
  kind: 'heading' | 'prose' | 'table' | 'code' | 'data'
  /** The path of headings above it, outermost first. */
  headings: readonly string[]
  /**
   * The header lines with their line breaks, put before the rows of each chunk of a table: the block begins with them, or
   * they stand above it.
   */
  header?: Span
  /** A chunk joins only blocks of equal metadata: of one page, of one sheet. */
  metadata?: Metadata
}

/** A file in an archive, whose bytes are unpacked as they are read. */
export interface PackedFile {
  name: string
  content: AsyncIterable<Uint8Array>
}

/** What a format reads out of a file. The chunker makes Units of `blocks`; `units` are taken as they are. */
export interface Structure {
  /** What the bytes are. */
  mime: string
  text: string | null
  /** What `blocks` and `locate` index, if it isn't `text`: what is read of a file whose rendition is the file itself. */
  chunked?: string
  /** `text` is the file itself, decoded from `charset`. */
  textIsFile: boolean
  charset: string | null
  blocks: readonly Block[]
  /** Where a chunk is; default: its `char_span`. Its `metadata` come on top of the block's. */
  locate?(span: Span): { locator: Locator; metadata?: Metadata }
  units: readonly ParsedUnit[]
  attachments: readonly Attachment[]
  /** Of an archive or a mail store, which is nothing else: its files, one after the other. */
  members?: AsyncIterable<PackedFile>
}

/** A row in the table of formats. A file that has one of its extensions and isn't such a file is `malformed`. */
export interface Format extends FileFormat {
  /** A text format reads files without binary content only. */
  kind: 'text' | 'binary'
  /** Recognizes a file by its content. Without it, only the extension decides. */
  claims?(file: OpenFile): boolean | Promise<boolean>
  /** Loads the reader where it is needed. It throws ParseErrors, `malformed` first. */
  load(): Promise<(file: OpenFile) => Promise<Structure>>
}
