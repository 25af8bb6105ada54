import { parseLimits } from '../../model/parse-limits.ts'
import type { Metadata } from '../../model/unit.ts'
import type { Block, Span, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { type Cell, headerOf, maxHeader, spread } from './table.ts'

/** Puts together the text of a document that is not text itself, and its blocks. */
export class TextBuilder {
  readonly blocks: Block[] = []
  /** Of the blocks that follow: the page that they stand on. */
  metadata: Metadata | undefined
  readonly #outline = new Outline()
  readonly #parts: string[] = []
  #length = 0

  /** `separator` stands between this block and the one before it. Errors: `too_large` above 64 MiB. */
  add(text: string, kind: Block['kind'] = 'prose', separator = '\n\n', headerLength = 0): void {
    const hasHeader = headerLength > 0 && headerLength < text.length
    this.#addBlock(text, kind, separator, (start) => (hasHeader ? { start, end: start + headerLength } : undefined))
  }

  #addBlock(
    text: string,
    kind: Block['kind'],
    separator: string,
    headerAt: (start: number) => Span | null | undefined,
  ): void {
    if (text === '') return
    const before = this.#length === 0 ? '' : separator
    this.#parts.push(before, text)
    const start = this.#length + before.length
    this.#length = start + text.length
    if (this.#length > parseLimits.textBytes) {
      throw new ParseError('too_large', 'The file has more than 64 MiB of text.')
    }
    const header = headerAt(start)
    const block: Block = { kind, start, end: this.#length, headings: this.#outline.path }
    this.blocks.push({ ...block, ...(this.metadata && { metadata: this.metadata }), ...(header && { header }) })
  }

  /**
   * Rows of cells: a line each row, cells tab-separated. Rows without text are left out. `marked`: rows of the header. Its
   * place is returned, for the rows that are added after these by `above`.
   */
  addTable(rows: readonly (readonly Cell[])[], marked = 0, above?: Span | null): Span | null {
    const headerRows = above !== undefined ? 0 : headerOf(rows, marked)
    const lines = spread(rows).map((cells) => cells.map(oneLine).join('\t').trimEnd())
    const written = (some: readonly string[]) => some.filter((line) => line !== '').map((line) => `${line}\n`)
    const { length } = written(lines.slice(0, headerRows)).join('')
    this.#addBlock(written(lines).join('').trimEnd(), 'table', above === undefined ? '\n\n' : '\n', (start) =>
      length === 0 || length > maxHeader ? above : { start, end: start + length },
    )
    return above ?? this.blocks.at(-1)?.header ?? null
  }

  /** What another one has put together, under the present headings. */
  addAll({ text, blocks }: TextBuilder): void {
    for (const { start, end, kind, header } of blocks)
      this.add(text.slice(start, end), kind === 'heading' ? 'prose' : kind, '\n\n', header && header.end - header.start)
  }

  /** The outermost level is 1. A document's title has level 0. */
  addHeading(level: number, text: string): void {
    this.#outline.enter(level, text)
    this.add(text, 'heading')
  }

  /** A heading that is not part of the text, such as the title in a document's metadata. */
  enter(level: number, title: string): void {
    this.#outline.enter(level, title)
  }

  /** What follows is under no heading. */
  endSections(): void {
    this.#outline.enter(0, '')
  }

  structure(mime: string, attachments: readonly Attachment[] = []): Structure {
    return { mime, text: this.text, textIsFile: false, charset: null, blocks: this.blocks, units: [], attachments }
  }

  get text(): string {
    return this.#parts.join('')
  }
}

/** The path of headings above the place that is being read. Levels need not follow each other. */
export class Outline {
  #open: { level: number; title: string }[] = []

  /** A heading ends those of its level and below. */
  enter(level: number, title: string): void {
    this.#open = this.#open.filter((heading) => heading.level < level)
    if (title !== '') this.#open.push({ level, title })
  }

  get path(): string[] {
    return this.#open.map(({ title }) => title)
  }
}

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
