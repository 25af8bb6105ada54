import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { embeddedObjects, isCompound, openCompound } from './ole.ts'
import { attachmentsOf, embeddedIn, openPackage, picturesIn } from './ooxml.ts'
import { notesOf } from './read-xlsx.ts'
import { type SheetNote, type SheetRow, SheetText, sheetRow } from './sheet-text.ts'
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
  const isPackage = book.bookType === 'xlsb'
  const { notesBeside, attachments } = isPackage ? await inPackage(file, book) : await inCompound(bytes)
  for (const [i, name] of book.SheetNames.entries()) {
    const sheet = book.Sheets[name]
    if (!sheet) continue
    const { rows, notes } = rowsOf(sheet, shown)
    notes.push(...(notesBeside[i] ?? []))
    const place = ({ r, c }: { r: number; c: number }) => ({ row: r + 1, column: c })
    const merges = (sheet['!merges'] ?? []).map(({ s, e }) => ({ from: place(s), to: place(e) }))
    out.add({ name, isHidden: (book.Workbook?.Sheets?.[i]?.Hidden ?? 0) > 0, rows, merges, notes })
  }
  const mime = isPackage ? 'application/vnd.ms-excel.sheet.binary.macroenabled.12' : 'application/vnd.ms-excel'
  return { mime, ...out.finish(), textIsFile: false, charset: null, units: [], attachments }
}

/** What the library leaves out: what stands on each sheet beside its cells, and the files in it. */
interface Beside {
  notesBeside: SheetNote[][]
  attachments: Attachment[]
}

/** Only cells and comments of such a package are not XML. */
async function inPackage(file: OpenFile, book: WorkBook): Promise<Beside> {
  const source = await openPackage(file)
  const sheets = await source.relations(source.main)
  const found: Beside = { notesBeside: [], attachments: [] }
  for (const properties of book.Workbook?.Sheets ?? []) {
    const { id } = properties as { id?: string }
    const part = sheets.find((relation) => relation.id === id)?.part
    const own = part ? await source.relations(part) : []
    found.attachments.push(...(await embeddedIn(source, own)))
    const drawings = own.filter(({ type }) => type === 'drawing')
    found.notesBeside.push(await notesOf(source, drawings))
    for (const drawing of drawings) {
      const pictures = picturesIn(await source.xml(drawing.part), await source.relations(drawing.part))
      found.attachments.push(...(await attachmentsOf(source, pictures)))
    }
  }
  return found
}

async function inCompound(bytes: Uint8Array): Promise<Beside> {
  const attachments = await embeddedObjects(bytes)
  const book = isCompound(bytes) ? (await openCompound(bytes)).stream('/Workbook') : null
  return { notesBeside: book ? textBoxesOf(Buffer.from(book)) : [], attachments }
}

/** Types of records (MS-XLS 2.3). */
const [start, object, text, more] = [0x809, 0x5d, 0x1b6, 0x3c]
/** Of the start of a sheet, and of an object that is a comment: the library reads those. */
const [sheetKind, commentKind] = [0x10, 0x19]

/** The texts of the shapes on each sheet. Where they stand is not read: they come with its first row. */
function textBoxesOf(book: Buffer): SheetNote[][] {
  const sheets: SheetNote[][] = []
  let isComment = false
  let [shown, left] = ['', 0]
  for (let at = 0; at + 4 <= book.length; ) {
    const type = book.readUInt16LE(at)
    const data = book.subarray(at + 4, at + 4 + book.readUInt16LE(at + 2))
    at += 4 + data.length
    if (type === start && data.length >= 4 && data.readUInt16LE(2) === sheetKind) sheets.push([])
    else if (type === object && data.length >= 6) isComment = data.readUInt16LE(4) === commentKind
    else if (type === text && data.length >= 12) [shown, left] = ['', isComment ? 0 : data.readUInt16LE(10)]
    else if (type === more && left > 0 && data.length > 0) {
      // Two bytes a character, or the lower one alone.
      const part = data[0] === 1 ? data.toString('utf16le', 1) : data.toString('latin1', 1)
      shown += part.slice(0, left)
      left -= Math.min(left, part.length)
      const lines = left > 0 ? [] : shown.split(/[\r\n]+/).map(oneLine)
      if (lines.some((line) => line !== '')) sheets.at(-1)?.push({ row: 1, lines: lines.filter((line) => line !== '') })
    }
  }
  return sheets
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
  const notes: SheetNote[] = []
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
