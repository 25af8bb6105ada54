import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { embeddedObjects, isCompound, openCompound } from './ole.ts'
import { addSeries } from './ooxml.ts'
import { printedLines, type SheetNote, type SheetRow, SheetText, sheetRow } from './sheet-text.ts'
import { general, numberFormat, type Show } from './shown-number.ts'
import { oneLine, TextBuilder } from './text-builder.ts'

/** A workbook of Excel 2 to 2003, like those of XLSX. */
export async function readSpreadsheet(file: OpenFile): Promise<Structure> {
  const bytes = await file.readAll()
  const stream = await streamOf(bytes)
  const drawings = stream ? drawingsOf(stream) : { notes: [], hasComments: false, graph: null }
  const mime = 'application/vnd.ms-excel'
  if (drawings.graph) return drawings.graph.structure(mime)
  const book = await opened(bytes)
  const out = new SheetText()
  const is1904 = book.Workbook?.WBProps?.date1904 === true
  const formats = new Map<string, Show>()
  const shown = (cell: CellObject) => {
    if (cell.t !== 'n' || typeof cell.v !== 'number')
      return cell.t === 'b' ? String(cell.v).toUpperCase() : String(cell.w ?? cell.v ?? '')
    const code = String(cell.z ?? 'General')
    const format = formats.get(code) ?? numberFormat(code, { is1904, isLocal: localCodes.has(code) })
    formats.set(code, format)
    return format(cell.v)
  }
  for (const [i, name] of book.SheetNames.entries()) {
    const whole: WorkSheet = book.Sheets[name] ?? {}
    // Of a chart that is a sheet of its own, the library has the numbers as cells. They stand in the notes, with names.
    const sheet: WorkSheet = whole['!type'] === 'chart' ? {} : whole
    const { rows, notes } = rowsOf(sheet, shown, !drawings.hasComments)
    notes.push(...(drawings.notes[i] ?? []))
    const place = ({ r, c }: { r: number; c: number }) => ({ row: r + 1, column: c })
    const merges = (sheet['!merges'] ?? []).map(({ s, e }) => ({ from: place(s), to: place(e) }))
    out.add({ name, isHidden: (book.Workbook?.Sheets?.[i]?.Hidden ?? 0) > 0, rows, merges, notes })
  }
  return out.structure(mime, await embeddedObjects(bytes), book.Props?.Title)
}

/** Null in a file of records alone, as Excel wrote it before 5.0. */
async function streamOf(bytes: Uint8Array): Promise<Buffer | null> {
  if (!isCompound(bytes)) return null
  const compound = await openCompound(bytes)
  const stream = compound.stream('/Workbook') ?? compound.stream('/Book')
  return stream && Buffer.from(stream)
}

/** How the library writes dates in the form of a country. */
const localCodes = new Set([
  'm/d/yy',
  'm/d/yyyy',
  'd-mmm-yy',
  'd-mmm',
  'mmm-yy',
  'm/d/yy h:mm',
  'h:mm',
  'h:mm:ss',
  'h:mm AM/PM',
  'h:mm:ss AM/PM',
])

async function opened(bytes: Uint8Array): Promise<WorkBook> {
  const { read } = await import('@e965/xlsx')
  try {
    return read(bytes, { type: 'array', dense: true, cellNF: true, cellHTML: false, cellFormula: false, nodim: true })
  } catch (error) {
    if (error instanceof Error && /password-protected/i.test(error.message))
      throw new ParseError('locked', 'The workbook opens only with a password.')
    throw new ParseError('malformed', 'The workbook is damaged.')
  }
}

function rowsOf(sheet: WorkSheet, shown: (cell: CellObject) => string, withComments: boolean) {
  const rows: SheetRow[] = []
  const notes: SheetNote[] = []
  const data: (CellObject | undefined)[][] = sheet['!data'] ?? []
  data.forEach((row, r) => {
    const cells: [number, string][] = []
    row.forEach((cell, c) => {
      if (!cell) return
      const text = oneLine(shown(cell))
      if (text !== '') cells.push([c, text])
      const said = ((withComments && cell.c) || []).map(({ t = '' }) => oneLine(t)).filter((line) => line !== '')
      if (said.length > 0) notes.push({ row: r + 1, lines: said })
    })
    if (cells.length > 0) rows.push(sheetRow(r + 1, cells))
  })
  return { rows, notes }
}

/** What a workbook (MS-XLS) has beside its cells, and what a chart of Microsoft Graph (MS-OGRAPH) says. */
interface Drawings {
  /**
   * The texts of shapes, charts, headers and footers, by the number of the sheet. Where they stand is not read: they come
   * with its first row. Comments stand at theirs.
   */
  notes: SheetNote[][]
  /** Since Excel 97; of comments before, the library has the texts, and of later ones what follows them, too. */
  hasComments: boolean
  /** Of Microsoft Graph, which has no sheets. */
  graph: TextBuilder | null
}

/** Types of records (MS-XLS 2.3, MS-OGRAPH 2.3). */
const type = {
  ...{ start: 0x809, end: 0x0a, sheet: 0x85, object: 0x5d, text: 0x1b6, more: 0x3c, comment: 0x1c },
  ...{ series: 0x1003, open: 0x1033, close: 0x1034, name: 0x100d, part: 0x1065, number: 0x203, label: 0x204 },
  ...{ graphNumber: 3, graphLabel: 4, header: 0x14, footer: 0x15 },
}
/** Of what begins at a record `start`. */
const kinds = { chart: 0x20, graph: 0x8000 }
/** Of an object that is a comment. */
const comment = 0x19
/** Of a chart's numbers: what follows are the categories. */
const categories = 2

const maxPoints = 20_000

export function drawingsOf(book: Buffer): Drawings {
  const places: number[] = []
  const found: Drawings = { notes: [], hasComments: false, graph: null }
  const add = (lines: readonly string[]) => {
    const written = lines.filter((line) => line.trim() !== '')
    if (written.length > 0) found.notes[sheet]?.push({ row: 1, lines: written })
  }
  let sheet = -1
  let chart: Chart | null = null
  let [isComment, object] = [false, 0]
  /** By the number of the object. */
  const comments = new Map<number, string[]>()
  /** Since Excel 97. */
  let isUnicode = true
  let [shown, left] = ['', 0]
  for (let at = 0; at + 4 <= book.length; ) {
    const record = book.readUInt16LE(at)
    const data = book.subarray(at + 4, at + 4 + book.readUInt16LE(at + 2))
    if (record === type.sheet && data.length >= 4) {
      places.push(data.readUInt32LE(0))
      places.sort((a, b) => a - b)
      found.notes.push([])
    } else if (record === type.start && data.length >= 4) {
      if (places.includes(at)) sheet = places.indexOf(at)
      const kind = data.readUInt16LE(2)
      isUnicode = data.readUInt16LE(0) >= 0x600
      found.hasComments ||= isUnicode
      if (places.includes(at)) comments.clear()
      chart = kind === kinds.chart || kind === kinds.graph ? new Chart(isUnicode) : null
      if (kind === kinds.graph) found.graph = new TextBuilder()
    } else if (record === type.end && chart) {
      const text = new TextBuilder()
      chart.write(found.graph ?? text)
      add(text.text.split('\n'))
      chart = null
    } else if (record === type.object && data.length >= 8)
      [isComment, object] = [data.readUInt16LE(4) === comment, data.readUInt16LE(6)]
    else if (record === type.text && data.length >= 12) [shown, left] = ['', data.readUInt16LE(10)]
    else if (record === type.comment && data.length >= 8) {
      const lines = comments.get(data.readUInt16LE(6)) ?? []
      if (lines.length > 0) found.notes[sheet]?.push({ row: data.readUInt16LE(0) + 1, lines })
    } else if (record === type.more && left > 0 && data.length > 0) {
      const part = characters(data)
      shown += part.slice(0, left)
      left -= Math.min(left, part.length)
      const lines = left > 0 ? [] : shown.split(/[\r\n]+/).map(oneLine)
      if (isComment && left === 0)
        comments.set(
          object,
          [oneLine(lines.join(' '))].filter((line) => line !== ''),
        )
      else add(lines)
    } else if (record === type.header || record === type.footer) {
      if (!chart && data.length > 2) add(printedLines(textIn(data, 0, isUnicode ? 2 : 1, isUnicode)))
    } else chart?.take(record, data)
    at += 4 + data.length
  }
  return found
}

/** A byte of flags, then two bytes a character, or the lower one alone. */
const characters = (data: Buffer) => ((data[0] ?? 0) & 1 ? data.toString('utf16le', 1) : data.toString('latin1', 1))

/** A text from `at`, after its length of one byte or two. */
function textIn(data: Buffer, at: number, bytes: number, isUnicode: boolean): string {
  const length = data.readUIntLE(at, bytes)
  const text = data.subarray(at + bytes)
  return (isUnicode ? characters(text) : text.toString('latin1')).slice(0, length)
}

/** Titles, and the points of each series as they were last shown. */
class Chart {
  readonly #isUnicode: boolean
  readonly #titles: string[] = []
  readonly #names: string[] = []
  /** By series or, in Microsoft Graph, by row. */
  readonly #values: string[][] = []
  readonly #categories: string[] = []
  #isGraph = false
  #part = 0
  #depth = 0
  /** How deep the series stands that is being read. */
  #series: number | null = null
  #points = 0

  constructor(isUnicode: boolean) {
    this.#isUnicode = isUnicode
  }

  take(record: number, data: Buffer): void {
    if (record === type.open) this.#depth++
    else if (record === type.close) {
      if (--this.#depth === this.#series) this.#series = null
    } else if (record === type.series) {
      this.#series = this.#depth
      this.#names.push('')
    } else if (record === type.name && data.length > 3) {
      const name = this.#text(data, 2, 1)
      if (this.#series === null) this.#titles.push(name)
      else this.#names[this.#names.length - 1] ||= name
    } else if (record === type.part && data.length >= 2) this.#part = data.readUInt16LE(0)
    else if (record === type.number && data.length >= 14) this.#add(data, general(data.readDoubleLE(6)))
    else if (record === type.label && data.length >= 8) this.#add(data, this.#text(data, 6, 2))
    else if (record === type.graphNumber && data.length >= 15) this.#addToGrid(data, general(data.readDoubleLE(7)))
    else if (record === type.graphLabel && data.length >= 8) this.#addToGrid(data, this.#text(data, 7, 1))
  }

  #text(data: Buffer, at: number, bytes: number): string {
    return oneLine(textIn(data, at, bytes, this.#isUnicode))
  }

  #add(data: Buffer, text: string): void {
    const [point, series] = [data.readUInt16LE(0), data.readUInt16LE(2)]
    if (this.#points++ > maxPoints || point > maxPoints || series > 255) return
    if (this.#part === categories) this.#categories[point] ??= text
    else this.#put(series, point, text)
  }

  #put(row: number, column: number, text: string): void {
    const values = this.#values[row] ?? []
    values[column] ??= text
    this.#values[row] = values
  }

  #addToGrid(data: Buffer, text: string): void {
    this.#isGraph = true
    const [row, column] = [data.readUInt16LE(0), data.readUInt16LE(2)]
    if (this.#points++ > maxPoints || row > maxPoints || column > 4_000) return
    this.#put(row, column, text)
  }

  /** A row for each category, a column for each series. */
  write(out: TextBuilder): void {
    out.add(this.#titles.join('\n'))
    if (this.#isGraph) {
      out.addTable(Array.from(this.#values, (row = []) => Array.from(row, (text = '') => ({ text }))))
      return
    }
    // A series may have no number.
    const count = Math.max(this.#categories.length, ...Array.from(this.#values, (values) => values?.length ?? 0))
    const rows = Array.from({ length: this.#values.length === 0 ? 0 : count }, (_, i) => [
      this.#categories[i],
      ...Array.from(this.#values, (values) => values?.[i]),
    ])
    addSeries(this.#names, rows, out)
  }
}
