import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { embeddedObjects } from './ole.ts'
import { type SheetRow, SheetText, sheetRow } from './sheet-text.ts'
import { numberFormat } from './shown-number.ts'
import { oneLine } from './text-builder.ts'

/** A workbook of Excel's binary formats, like those of XLSX. */
export async function readSpreadsheet(file: OpenFile): Promise<Structure> {
  const bytes = await file.readAll()
  const book = await opened(bytes)
  const out = new SheetText()
  const is1904 = book.Workbook?.WBProps?.date1904 === true
  const formats = new Map<string, (value: number) => string>()
  const shown = (cell: CellObject) => {
    if (cell.t !== 'n' || typeof cell.v !== 'number')
      return cell.t === 'b' ? String(cell.v).toUpperCase() : String(cell.w ?? cell.v ?? '')
    const code = String(cell.z ?? 'General')
    const format = formats.get(code) ?? numberFormat(code, { is1904, isLocal: localCodes.has(code) })
    formats.set(code, format)
    return format(cell.v)
  }
  for (const [i, name] of book.SheetNames.entries()) {
    const sheet = book.Sheets[name]
    if (!sheet) continue
    const { rows, notes } = rowsOf(sheet, shown)
    const place = ({ r, c }: { r: number; c: number }) => ({ row: r + 1, column: c })
    const merges = (sheet['!merges'] ?? []).map(({ s, e }) => ({ from: place(s), to: place(e) }))
    out.add({ name, isHidden: (book.Workbook?.Sheets?.[i]?.Hidden ?? 0) > 0, rows, merges, notes })
  }
  const mime =
    book.bookType === 'xlsb' ? 'application/vnd.ms-excel.sheet.binary.macroenabled.12' : 'application/vnd.ms-excel'
  const attachments = await embeddedObjects(bytes)
  return { mime, ...out.finish(), textIsFile: false, charset: null, units: [], attachments }
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

function rowsOf(sheet: WorkSheet, shown: (cell: CellObject) => string) {
  const rows: SheetRow[] = []
  const notes: { row: number; lines: string[] }[] = []
  const data: (CellObject | undefined)[][] = sheet['!data'] ?? []
  data.forEach((row, r) => {
    const cells: [number, string][] = []
    row.forEach((cell, c) => {
      if (!cell) return
      const text = oneLine(shown(cell))
      if (text !== '') cells.push([c, text])
      const said = (cell.c ?? []).map(({ t = '' }) => oneLine(t)).filter((line) => line !== '')
      if (said.length > 0) notes.push({ row: r + 1, lines: said })
    })
    if (cells.length > 0) rows.push(sheetRow(r + 1, cells))
  })
  return { rows, notes }
}
