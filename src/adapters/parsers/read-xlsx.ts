import { parseLimits } from '../../model/parse-limits.ts'
import type { Block, OpenFile, Span, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { attachmentsOf, openPackage, type Package, picturesIn, type ShownPicture } from './ooxml.ts'
import { descendants, element, elements, parseXml, readXml, type XmlElement } from './parse-xml.ts'

const mime = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** The cells of a workbook as text: a sheet after the other, a row a line, cells tab-separated. Empty rows are left out. */
export async function readXlsx(file: OpenFile): Promise<Structure> {
  const source = await openPackage(file)
  const relations = await source.relations(source.main)
  const workbook = await source.xml(source.main)
  const texts = await cellTexts(source, relations)
  const out = sheetBlocks()
  const pictures: ShownPicture[] = []
  let characters = 0
  for (const { attributes } of workbook ? descendants(workbook, 'sheet') : []) {
    const sheet = relations.find(({ id, type }) => id === attributes['r:id'] && type === 'worksheet')
    const bytes = sheet && (await source.bytes(sheet.part))
    if (!sheet || !bytes) continue
    const rows = readSheet(bytes, texts)
    characters += rows.reduce((sum, row) => sum + lengthOf(row), 0)
    if (characters > parseLimits.textBytes)
      throw new ParseError('too_large', 'The workbook has more than 64 MiB of text.')
    out.add(attributes.name ?? '', rows)
    pictures.push(...(await picturesOn(source, sheet.part)))
  }
  const attachments = await attachmentsOf(source, pictures)
  return { mime, ...out.finish(), textIsFile: false, charset: null, units: [], attachments }
}

const lengthOf = ({ cells }: SheetRow) => [...cells.values()].reduce((sum, cell) => sum + cell.length + 1, 0)

async function cellTexts(source: Package, relations: readonly { type: string; part: string }[]): Promise<CellTexts> {
  const bytesOf = async (type: string) => {
    const part = relations.find((relation) => relation.type === type)?.part
    return part === undefined ? null : await source.bytes(part)
  }
  const strings = await bytesOf('sharedStrings')
  const styles = await bytesOf('styles')
  return { shared: strings ? sharedStrings(strings) : [], dates: styles ? dateStyles(parseXml(styles)) : new Set() }
}

async function picturesOn(source: Package, sheet: string): Promise<ShownPicture[]> {
  const found: ShownPicture[] = []
  for (const drawing of (await source.relations(sheet)).filter(({ type }) => type === 'drawing')) {
    found.push(...picturesIn(await source.xml(drawing.part), await source.relations(drawing.part)))
  }
  return found
}

/** What is needed to read cells: the texts that they point at, and the styles that make dates of numbers. */
interface CellTexts {
  shared: readonly string[]
  dates: ReadonlySet<number>
}

interface SheetRow {
  /** As the workbook numbers it, from 1. */
  number: number
  /** By column, from 0; without empty cells. */
  cells: Map<number, string>
}

/** The rows of a sheet that hold something. */
export function readSheet(bytes: Uint8Array, texts: CellTexts): SheetRow[] {
  const rows: SheetRow[] = []
  let row: SheetRow = { number: 0, cells: new Map() }
  let cell = { column: -1, type: '', style: -1, value: '' }
  let isValue = false
  readXml(bytes, {
    open: (name, attributes) => {
      if (name === 'row') row = { number: Number(attributes.r ?? row.number + 1), cells: new Map() }
      if (name === 'c') {
        const column = attributes.r === undefined ? cell.column + 1 : columnOf(attributes.r)
        cell = { column, type: attributes.t ?? 'n', style: Number(attributes.s ?? -1), value: '' }
      }
      isValue = name === 'v' || name === 't'
    },
    text: (text) => {
      if (isValue) cell.value += text
    },
    close: (name) => {
      if (name === 'c') {
        const text = shown(cell, texts).replace(/\s+/g, ' ').trim()
        if (text !== '') row.cells.set(cell.column, text)
      }
      if (name === 'row') {
        if (row.cells.size > 0) rows.push(row)
        cell.column = -1
      }
      isValue = false
    },
  })
  return rows
}

function shown(
  { type, style, value }: { type: string; style: number; value: string },
  { shared, dates }: CellTexts,
): string {
  if (type === 's') return shared[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  if (type !== 'n' || value.trim() === '') return value
  const number = Number(value)
  if (!Number.isFinite(number)) return value
  // Workbooks show 15 digits: 0.1 + 0.2 is 0.3.
  return dates.has(style) ? dateText(number) : String(Number(number.toPrecision(15)))
}

/** `A1` is column 0, `AA1` column 26. */
function columnOf(reference: string): number {
  let column = 0
  for (const letter of reference.replace(/[^A-Z]/gi, '').toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

const builtIn = (format: number) => (format >= 14 && format <= 22) || (format >= 45 && format <= 47)

/** The styles, by number, that show a cell's number as a date or time (ECMA-376 part 1, 18.8.30). */
export function dateStyles(styles: XmlElement): Set<number> {
  const own = new Set(
    descendants(styles, 'numFmt')
      .filter(({ attributes: { formatCode = '' } }) =>
        /[ymdhs]/i.test(formatCode.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '')),
      )
      .map(({ attributes: { numFmtId } }) => Number(numFmtId)),
  )
  const formats = element(styles, 'cellXfs')
  const dates = new Set<number>()
  for (const [i, format] of (formats ? elements(formats, 'xf') : []).entries()) {
    const id = Number(format.attributes.numFmtId)
    if (builtIn(id) || own.has(id)) dates.add(i)
  }
  return dates
}

const dayMs = 86_400_000
/** Day 0, so that days after February 1900 are right: the format takes 1900 for a leap year. */
const epoch = Date.UTC(1899, 11, 30)

/** `2024-05-01`, `2024-05-01 13:30:00`, or `13:30:00` for a time without a day. */
export function dateText(days: number): string {
  const date = new Date(epoch + Math.round((days * dayMs) / 1000) * 1000)
  if (Number.isNaN(date.getTime())) return String(days)
  const [day = '', time = ''] = date.toISOString().slice(0, 19).split('T')
  if (days < 1) return time
  return time === '00:00:00' ? day : `${day} ${time}`
}

/** The texts that cells point at by number. Readings of Japanese characters (`rPh`) are not part of them. */
export function sharedStrings(bytes: Uint8Array): string[] {
  const strings: string[] = []
  let text = ''
  let isText = false
  let reading = 0
  readXml(bytes, {
    open: (name) => {
      if (name === 'si') text = ''
      if (name === 'rPh') reading++
      isText = name === 't' && reading === 0
    },
    text: (part) => {
      if (isText) text += part
    },
    close: (name) => {
      if (name === 'si') strings.push(text)
      if (name === 'rPh') reading--
      isText = false
    },
  })
  return strings
}

interface Line extends Span {
  /** Of the row in the workbook. */
  row: number
}

/** Puts the rows of sheets together: the text, and tables with their headers. */
export function sheetBlocks() {
  const lines: Line[] = []
  const parts: string[] = []
  const blocks: Block[] = []
  let at = 0

  const addLine = (row: SheetRow, columns: readonly number[]): Line => {
    const text = columns
      .map((column) => row.cells.get(column) ?? '')
      .join('\t')
      .trimEnd()
    const line = { start: at, end: at + text.length, row: row.number }
    lines.push(line)
    parts.push(text, '\n')
    at = line.end + 1
    return line
  }

  return {
    add(sheet: string, rows: readonly SheetRow[]): void {
      const columns = [...new Set(rows.flatMap((row) => [...row.cells.keys()]))].sort((a, b) => a - b)
      const place = { headings: sheet === '' ? [] : [sheet], metadata: { sheet } }
      for (const { title, header, body } of tables(rows)) {
        for (const row of title) blocks.push({ kind: 'prose', ...span(addLine(row, columns)), ...place })
        const first = header && addLine(header, columns)
        const head = first && { start: first.start, end: first.end + 1 }
        if (first && body.length === 0) blocks.push({ kind: 'table', ...span(first), ...place })
        for (const row of body) {
          blocks.push({ kind: 'table', ...span(addLine(row, columns)), ...place, ...(head && { header: head }) })
        }
      }
    },
    finish(): Pick<Structure, 'text' | 'blocks' | 'locate'> {
      return { text: parts.join(''), blocks, locate: locateIn(lines) }
    },
  }
}

const span = ({ start, end }: Span): Span => ({ start, end })

interface Table {
  /** Lines of one cell above a table. */
  title: SheetRow[]
  header: SheetRow | null
  body: SheetRow[]
}

/**
 * The tables of a sheet: after an empty row a new one begins where the next row could be its header, which is text
 * without a number.
 */
function tables(rows: readonly SheetRow[]): Table[] {
  const found: Table[] = []
  let last: SheetRow | undefined
  for (const row of rows) {
    const begins = last === undefined || (row.number > last.number + 1 && isHeader(row))
    if (begins) found.push({ title: [], header: null, body: [] })
    const table = found.at(-1)
    if (table?.header) table.body.push(row)
    else if (table && row.cells.size === 1) table.title.push(row)
    else if (table) table.header = row
    last = row
  }
  return found
}

const isHeader = ({ cells }: SheetRow) => [...cells.values()].every((cell) => !/^[-+\d.,%\s]+$/.test(cell))

/** Lines count from 1; `rows` are those of the workbook: `7` or `7-12`. */
function locateIn(lines: readonly Line[]): Structure['locate'] {
  const lineAt = (offset: number) => {
    let [low, high] = [0, lines.length]
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((lines[middle]?.start ?? 0) <= offset) low = middle
      else high = middle
    }
    return low
  }
  return ({ start, end }) => {
    const [first, last] = [lineAt(start), lineAt(end - 1)]
    const [from, to] = [lines[first]?.row ?? 0, lines[last]?.row ?? 0]
    return {
      locator: { kind: 'line_range', start: first + 1, end: last + 1 },
      metadata: { rows: from === to ? String(from) : `${from}-${to}` },
    }
  }
}
