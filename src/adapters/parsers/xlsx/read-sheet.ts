import { readXml } from '../xml-tree/parse-xml.ts'
import { dateText } from './dates.ts'

/** What is needed to read cells: the texts that they point at, and the styles that make dates of numbers. */
export interface CellTexts {
  shared: readonly string[]
  dates: ReadonlySet<number>
}

export interface SheetRow {
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
