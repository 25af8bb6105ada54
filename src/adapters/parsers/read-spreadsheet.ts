import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { drawingsOf } from './book-drawings.ts'
import { embeddedObjects, isCompound, openCompound } from './ole.ts'
import { attachmentsOf, embeddedIn, openPackage, picturesIn } from './ooxml.ts'
import { notesOf } from './read-xlsx.ts'
import { type SheetNote, type SheetRow, SheetText, sheetRow } from './sheet-text.ts'
import { numberFormat } from './shown-number.ts'
import { oneLine } from './text-builder.ts'

/** A workbook of Excel's binary formats, like those of XLSX. */
export async function readSpreadsheet(file: OpenFile): Promise<Structure> {
  const bytes = await file.readAll()
  const stream = await streamOf(bytes)
  const drawings = stream ? drawingsOf(stream) : { notes: [], graph: null }
  const mimeOfOld = 'application/vnd.ms-excel'
  if (drawings.graph) return drawings.graph.structure(mimeOfOld)
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
  const { notesBeside, attachments } = isPackage
    ? await inPackage(file, book)
    : { notesBeside: drawings.notes, attachments: await embeddedObjects(bytes) }
  for (const [i, name] of book.SheetNames.entries()) {
    // A chart may be a sheet of its own.
    const sheet: WorkSheet = book.Sheets[name] ?? {}
    const { rows, notes } = rowsOf(sheet, shown)
    notes.push(...(notesBeside[i] ?? []))
    const place = ({ r, c }: { r: number; c: number }) => ({ row: r + 1, column: c })
    const merges = (sheet['!merges'] ?? []).map(({ s, e }) => ({ from: place(s), to: place(e) }))
    out.add({ name, isHidden: (book.Workbook?.Sheets?.[i]?.Hidden ?? 0) > 0, rows, merges, notes })
  }
  const mime = isPackage ? 'application/vnd.ms-excel.sheet.binary.macroenabled.12' : mimeOfOld
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
