import { parseLimits } from '../../model/parse-limits.ts'
import type { Metadata } from '../../model/unit.ts'
import type { Block, Span, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'

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

  /** A line with the notes on it, or a heading where `level` is not 0. */
  addLine(line: string, notes: readonly string[], level: number): void {
    if (level > 0 && line !== '') {
      this.addHeading(level, oneLine(line))
      this.add(notes.join('\n'))
    } else this.add([line, ...notes].filter((each) => each !== '').join('\n'))
  }

  /** A heading that is not part of the text, such as the title in a document's metadata. */
  enter(level: number, title: string): void {
    this.#outline.enter(level, title)
  }

  /** What follows is under no heading. */
  endSections(): void {
    this.#outline.enter(0, '')
  }

  /** `title` is that of the file's properties: where the text does not have it, it is the last line. */
  structure(mime: string, attachments: readonly Attachment[] = [], title = ''): Structure {
    this.metadata = undefined
    this.endSections()
    if (title !== '') this.add(titleLine(title, this.text))
    return { mime, text: this.text, textIsFile: false, charset: null, blocks: this.blocks, units: [], attachments }
  }

  get text(): string {
    return this.#parts.join('')
  }
}

/** `title` of a file's properties where it tells more than the text. PowerPoint writes "PowerPoint Presentation" itself, in each language. */
export const titleLine = (title: string, text: string): string =>
  text.includes(title) || title.includes('PowerPoint') ? '' : title

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

export const oneLine = (text: string): string => text.replace(/\s{2,}|[^\S ]/g, ' ').trim()

/** A cell of a table, and how many columns and rows it takes. `goesOn`: it is a part of the one above. */
export interface Cell {
  text: string
  columns?: number
  rows?: number
  goesOn?: boolean | undefined
}

/** Rows that are added together: the cells of a long table take more memory than its text. */
const maxRows = 500

/** A table whose rows come one after the other. One of one column is a frame around text. */
export class OpenTable {
  readonly #out: TextBuilder
  #rows: (readonly Cell[])[] = []
  /** How many of them the file marks as the header. */
  #marked = 0
  /** Where it stands in the text, once it is there. */
  #header: Span | null | undefined

  constructor(out: TextBuilder) {
    this.#out = out
  }

  add(cells: readonly Cell[], isHeader = false): void {
    if (this.#rows.length >= maxRows && !cells.some(({ goesOn }) => goesOn)) this.#addRows()
    if (isHeader && this.#marked === this.#rows.length) this.#marked++
    this.#rows.push(cells)
  }

  end(): void {
    this.#addRows()
    this.#header = undefined
    this.#marked = 0
  }

  #addRows(): void {
    const rows = this.#rows
    this.#rows = []
    if (rows.every((cells) => cells.length < 2)) for (const [cell] of rows) this.#out.add((cell?.text ?? '').trim())
    else this.#header = this.#out.addTable(rows, this.#marked, this.#header)
  }
}

/** A header that is longer stands before no row: it would be most of every chunk. Characters. */
export const maxHeader = 4_000

const maxColumns = 1_000
/** Cells that are merged over more places than this in one table are not repeated any more. */
const maxPlaces = 2_000_000
const maxHeaderRows = 5

/** The cells by row and column: a merged one stands in each of its places, but one that is a whole row only once. */
function spread(table: readonly (readonly Cell[])[]): string[][] {
  const grid: string[][] = table.map(() => [])
  let places = 0
  table.forEach((cells, r) => {
    let column = 0
    for (const { text: own, columns = 1, rows = 1, goesOn } of cells) {
      const row = grid[r] ?? []
      while (row[column] !== undefined) column++
      const text = (goesOn ? grid[r - 1]?.[column] : undefined) ?? own
      const isRow = cells.length === 1 && row.length === 0
      const width = isRow ? 1 : Math.min(Math.max(1, columns), maxColumns)
      const height = isRow ? 1 : Math.min(Math.max(1, rows), table.length - r)
      places += width * height
      const isTooMuch = places > maxPlaces
      for (let down = 0; down < (isTooMuch ? 1 : height); down++) {
        for (let right = 0; right < (isTooMuch ? 1 : width); right++) (grid[r + down] ?? [])[column + right] = text
      }
      column += isTooMuch ? 1 : width
    }
  })
  // Places that no cell takes are holes.
  return grid.map((row) => Array.from(row, (text) => text ?? ''))
}

/**
 * How many rows are the header: those that the file marks; else the first, and the next ones without a number as long as
 * merged cells stand over them. None where no row follows.
 */
function headerOf(table: readonly (readonly Cell[])[], marked = 0): number {
  let count = Math.min(Math.max(marked, 1), maxHeaderRows)
  if (marked === 0) while (count < maxHeaderRows && isOver(table, count - 1) && hasLabels(table[count])) count++
  return count < table.length ? count : 0
}

const isOver = (table: readonly (readonly Cell[])[], row: number) =>
  (table[row] ?? []).some(({ columns = 1, rows = 1 }) => columns > 1 || rows > 1) ||
  (table[row + 1] ?? []).some(({ goesOn }) => goesOn)

const hasLabels = (cells: readonly Cell[] | undefined) =>
  cells !== undefined && !cells.some(({ text }) => isNumber(text))

/** A year is a label as often as it is a value. */
export const isNumber = (text: string): boolean =>
  /^[-+\u2212(]?[\p{Sc}\s]*\d[\d.,'\s]*[\p{Sc}%)\s]*$/u.test(text) && !/^(19|20)\d\d$/.test(text)
