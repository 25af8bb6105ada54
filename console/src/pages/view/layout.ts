import { type Piece, pieceAt } from './lines.ts'
import { type Placed, spansOf } from './places.ts'

/** How a text is shown: by its content type, and by where its Units lie. */
export type Layout = 'sheets' | 'slides' | 'mail' | 'code' | 'pages' | 'text'

interface LaidOut extends Placed {
  metadata: unknown
}

const slides = /presentation|powerpoint/
const sheets = /spreadsheet|excel|^text\/(?:csv|tab-separated-values)$/
const mail = /^message\/rfc822$|outlook/

export function layoutOf(mime: string | null | undefined, units: readonly Placed[]): Layout {
  const type = mime ?? ''
  if (type === 'application/pdf') return 'pages'
  if (slides.test(type)) return 'slides'
  if (sheets.test(type)) return 'sheets'
  if (mail.test(type)) return 'mail'
  const isByLine = units.some(({ locator }) => locator?.__typename === 'LineRange')
  return isByLine && type !== 'text/markdown' ? 'code' : 'text'
}

/** A slide or a sheet: its name and its part of the text. Offsets are UTF-16, `end` exclusive. */
export interface Part {
  name: string
  start: number
  end: number
}

/** The parts of a text that its Units name. What stands between two parts, a title, belongs to the second. */
export function partsOf(
  units: readonly LaidOut[],
  text: string,
  pieces: readonly Piece[],
  key: 'page' | 'sheet',
): Part[] {
  const named = new Map(units.map(({ unitId, metadata }) => [unitId, nameIn(metadata, key)]))
  const parts: Part[] = []
  for (const { unitId, end } of spansOf(units, pieces, text.length)) {
    const name = named.get(unitId) ?? ''
    const last = parts.at(-1)
    if (last?.name === name) last.end = Math.max(last.end, end)
    else parts.push({ name, start: last?.end ?? 0, end })
  }
  const last = parts.at(-1)
  if (last) last.end = text.length
  return parts.length > 0 ? parts : [{ name: '', start: 0, end: text.length }]
}

function nameIn(metadata: unknown, key: string): string {
  const value = (metadata as Record<string, unknown> | null)?.[key]
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}

/** A row of a sheet: its cells as places in the text. */
export interface Row {
  /** Of the line, from 1. */
  number: number
  start: number
  end: number
  cells: { start: number; end: number }[]
}

/** The lines of a part as rows. */
export function rowsOf(part: Part, text: string, pieces: readonly Piece[], separator: string): Row[] {
  const rows: Row[] = []
  for (let i = pieceAt(pieces, part.start); i < pieces.length; i += 1) {
    const piece = pieces[i]
    if (piece === undefined || piece.start >= part.end) break
    if (piece.end <= part.start) continue
    rows.push({ ...piece, number: rows.length + 1, cells: cellsOf(text, piece, separator) })
  }
  return rows
}

/** Cells in quotes may hold the separator, and a quote twice. */
function cellsOf(text: string, { start, end }: Piece, separator: string): Row['cells'] {
  const cells: Row['cells'] = []
  let from = start
  let isQuoted = false
  for (let at = start; at <= end; at += 1) {
    if (separator !== '\t' && text[at] === '"') isQuoted = !isQuoted
    if (at < end && (isQuoted || text[at] !== separator)) continue
    const isInQuotes = separator !== '\t' && at - from > 1 && text[from] === '"' && text[at - 1] === '"'
    cells.push(isInQuotes ? { start: from + 1, end: at - 1 } : { start: from, end: at })
    from = at + 1
  }
  return cells
}

/** What divides the cells: a tab, or what the first line has most of. */
export function separatorOf(mime: string | null | undefined, text: string): string {
  if (mime !== 'text/csv') return '\t'
  const line = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n'))
  const counts = [',', ';', '\t', '|'].map((sign) => [sign, line.split(sign).length] as const)
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0]
}

/** The subject of a message, the lines of its header, and where its body begins. Null where the text has another form. */
export function mailOf(text: string): { subject: Part; header: (Part & { value: number })[]; body: number } | null {
  const match = /^(?:(?!From: |To: |Cc: |Date: )(.*)\n\n)?((?:(?:From|To|Cc|Date): .*(?:\n|$))+)/.exec(text)
  if (match === null) return null
  const [whole, subject = '', lines = ''] = match
  let at = whole.length - lines.length
  const header = lines.split('\n').flatMap((line) => {
    const start = at
    at += line.length + 1
    if (line === '') return []
    const value = start + line.indexOf(': ') + 2
    return [{ name: line.slice(0, line.indexOf(':')), start, value, end: start + line.length }]
  })
  return { subject: { name: 'Subject', start: 0, end: subject.length }, header, body: whole.length }
}

/** The number of the row that holds an offset, from 0; 0 if none does. */
export const rowAt = (rows: readonly Row[], offset: number): number =>
  Math.max(
    0,
    rows.findLastIndex(({ start }) => start <= offset),
  )

/** The name of a column in a spreadsheet: A to Z, then AA. */
export function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter
}
