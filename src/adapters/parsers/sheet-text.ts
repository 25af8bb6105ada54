import { parseLimits } from '../../model/parse-limits.ts'
import type { Block, Span, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { lastUpTo } from './lines.ts'
import { isNumber, oneLine, titleLine } from './text-builder.ts'

/** A row that holds something. Its cells are one string: a large workbook has millions of them. */
export interface SheetRow {
  /** As the workbook numbers it, from 1. */
  number: number
  /** Those of cells that are not empty, from 0, in their order. Rows of the same columns share them. */
  columns: readonly number[]
  /** What they show, tab-separated. */
  text: string
}

type Cells = readonly (readonly [column: number, text: string])[]

let lastColumns: readonly number[] = []

/** The texts are single lines without tabs. */
export function sheetRow(number: number, cells: Cells): SheetRow {
  const isSame = cells.length === lastColumns.length && cells.every(([column], i) => lastColumns[i] === column)
  if (!isSame) lastColumns = cells.map(([column]) => column)
  return { number, columns: lastColumns, text: cells.map(([, text]) => text).join('\t') }
}

const cellsOf = ({ columns, text }: SheetRow): [number, string][] =>
  text.split('\t').map((cell, i) => [columns[i] ?? 0, cell])

interface Place {
  /** From 0. */
  column: number
  /** From 1. */
  row: number
}

/** Cells that are shown as one: both corners are a part of it. */
export interface Merge {
  from: Place
  to: Place
}

/** What is written on a sheet beside its cells. */
export interface SheetNote {
  row: number
  lines: readonly string[]
}

/**
 * What the header or footer of a printed sheet says, without what a program puts there, such as the number of the page
 * (ECMA-376 part 1, 18.3.1.46).
 */
export function printedLines(code: string): string[] {
  return code.split(/&[LCR]/).flatMap((part) => {
    const isNumbered = /&[PN]/.test(part)
    const text = part.replace(/&(?:"[^"]*"|K(?:[\dA-F]{6}|\d\d[-+]\d{3})|\d{1,3}|[^&])/gi, ' ').replaceAll('&&', '&')
    return text
      .split(/[\r\n]+/)
      .map(oneLine)
      .filter((line) => isPrintedText(line, isNumbered))
  })
}

/** `Page of` says nothing. */
export const isPrintedText = (line: string, isNumbered: boolean): boolean =>
  /\p{L}/u.test(line) && (!isNumbered || line.split(' ').length > 2)

export interface Sheet {
  name: string
  isHidden: boolean
  rows: readonly SheetRow[]
  merges: readonly Merge[]
  notes: readonly SheetNote[]
}

interface Line extends Span {
  /** Of the row in the workbook. */
  row: number
}

interface Table {
  /** Lines of one cell above a table. */
  title: SheetRow[]
  header: SheetRow[]
  body: SheetRow[]
}

/** Puts the rows of sheets together: the text, and tables with their headers. */
export class SheetText {
  readonly #lines: Line[] = []
  readonly #parts: string[] = []
  readonly #blocks: Block[] = []
  #at = 0

  /** Errors: `too_large` above 64 MiB of text. */
  add({ name, isHidden, rows: written, merges, notes }: Sheet): void {
    const { rows, isOver } = withMerged(written, merges)
    const places = new Map([...columnsOf(rows)].sort((a, b) => a - b).map((column, i) => [column, i]))
    const place = { headings: name === '' ? [] : [name], metadata: { sheet: name, ...(isHidden && { hidden: true }) } }
    const addRow = (row: SheetRow) => {
      const from = places.get(row.columns[0] ?? 0) ?? 0
      const to = places.get(row.columns.at(-1) ?? 0) ?? 0
      const isFull = to - from === row.columns.length - 1
      return this.#addLine(row.number, '\t'.repeat(from) + (isFull ? row.text : spaced(row, places)))
    }
    for (const { title, header, body } of tablesOf(rows, isOver)) {
      for (const row of title) this.#blocks.push({ kind: 'prose', ...addRow(row), ...place })
      const heads = header.map(addRow)
      const [first, last] = [heads[0], heads.at(-1)]
      const head = first && last && { start: first.start, end: last.end + 1 }
      if (body.length === 0) for (const line of heads) this.#blocks.push({ kind: 'table', ...line, ...place })
      for (const row of body)
        this.#blocks.push({ kind: 'table', ...addRow(row), ...place, ...(head && { header: head }) })
    }
    for (const { row, lines } of notes)
      for (const line of lines) this.#blocks.push({ kind: 'prose', ...this.#addLine(row, line), ...place })
  }

  /** `title` is that of the file's properties: where the text does not have it, it is the last line. */
  structure(mime: string, attachments: readonly Attachment[] = [], title = ''): Structure {
    let text = this.#parts.join('')
    const line = titleLine(title, text)
    if (line !== '') {
      this.#blocks.push({ kind: 'prose', headings: [], ...this.#addLine(0, line) })
      text += `${line}\n`
    }
    const [blocks, locate] = [this.#blocks, locateIn(this.#lines)]
    return { mime, text, blocks, locate, textIsFile: false, charset: null, units: [], attachments }
  }

  #addLine(row: number, text: string): Span {
    const start = this.#at
    const end = start + text.length
    this.#lines.push({ start, end, row })
    this.#parts.push(text, '\n')
    this.#at = end + 1
    if (this.#at > parseLimits.textBytes)
      throw new ParseError('too_large', 'The workbook has more than 64 MiB of text.')
    return { start, end }
  }
}

/** With a tab for each empty place between cells. */
function spaced(row: SheetRow, places: ReadonlyMap<number, number>): string {
  let at = places.get(row.columns[0] ?? 0) ?? 0
  return cellsOf(row)
    .map(([column, text]) => {
      const tabs = (places.get(column) ?? at) - at
      at += tabs
      return '\t'.repeat(tabs) + text
    })
    .join('')
}

/** Merged cells beyond this many places are not repeated. */
const maxPlaces = 1_000_000

/**
 * The rows with merged cells in all their places, but for one that is alone in its row, which is a title. `isOver`: rows
 * that have merged cells.
 */
function withMerged(written: readonly SheetRow[], merges: readonly Merge[]) {
  const isOver = new Set<number>()
  if (merges.length === 0) return { rows: written, isOver }
  const rows = new Map(written.map((row) => [row.number, row]))
  const changed = new Map<number, Map<number, string>>()
  let places = 0
  // Forms are drawn on a grid of narrow columns: where no cell begins, there is nothing to repeat a value for.
  const used = columnsOf(written)
  for (const { from, to } of merges) {
    const first = rows.get(from.row)
    const cells = first ? cellsOf(first) : []
    const text = cells.find(([column]) => column === from.column)?.[1]
    if (text === undefined || (cells.length === 1 && from.row === to.row)) continue
    isOver.add(from.row)
    for (let row = from.row; row <= to.row && places < maxPlaces; row++) {
      places++
      const own = rows.get(row)
      if (!own) continue
      const grid = changed.get(row) ?? new Map(cellsOf(own))
      changed.set(row, grid)
      for (let column = from.column; column <= to.column && places < maxPlaces; column++, places++)
        if (used.has(column)) grid.set(column, text)
    }
  }
  return {
    isOver,
    rows: written.map((row) => {
      const grid = changed.get(row.number)
      return grid
        ? sheetRow(
            row.number,
            [...grid].sort(([a], [b]) => a - b),
          )
        : row
    }),
  }
}

/** The columns that any of these rows has a cell in. */
function columnsOf(rows: readonly SheetRow[]): Set<number> {
  const columns = new Set<number>()
  let last: readonly number[] = []
  for (const row of rows) {
    if (row.columns !== last) for (const column of row.columns) columns.add(column)
    last = row.columns
  }
  return columns
}

/**
 * The tables of a sheet: after an empty row a new one begins where the next row could be its header, which is text
 * without a number. A header with merged cells continues in the next row.
 */
function tablesOf(rows: readonly SheetRow[], isOver: ReadonlySet<number>): Table[] {
  const found: Table[] = []
  let last: SheetRow | undefined
  for (const row of rows) {
    const begins = last === undefined || (row.number > last.number + 1 && isHeader(row))
    if (begins) found.push({ title: [], header: [], body: [] })
    const table = found.at(-1)
    const above = table?.header.at(-1)
    const goesOn = above && table?.body.length === 0 && isOver.has(above.number) && isHeader(row)
    if (above && !goesOn) table?.body.push(row)
    else if (!above && row.columns.length === 1) table?.title.push(row)
    else table?.header.push(row)
    last = row
  }
  return found
}

const isHeader = ({ text }: SheetRow) => text.split('\t').every((cell) => !isNumber(cell))

/** Lines count from 1; `rows` are those of the workbook: `7` or `7-12`. */
function locateIn(lines: readonly Line[]): NonNullable<Structure['locate']> {
  const lineAt = (offset: number) =>
    Math.max(
      0,
      lastUpTo(lines, offset, (line) => line.start),
    )
  return ({ start, end }) => {
    const [first, last] = [lineAt(start), lineAt(end - 1)]
    const [from, to] = [lines[first]?.row ?? 0, lines[last]?.row ?? 0]
    return {
      locator: { kind: 'line_range', start: first + 1, end: last + 1 },
      ...(from > 0 && { metadata: { rows: from === to ? String(from) : `${from}-${to}` } }),
    }
  }
}
