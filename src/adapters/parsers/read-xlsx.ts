import { getFormatFromId } from 'numfmt'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { addGraphic, filesIn, openPackage, type Package, partsOf, type Related, type Relation } from './ooxml.ts'
import { descendants, element, elements, textOf, type XmlElement } from './parse-xml.ts'
import {
  type Merge,
  printedLines,
  type Sheet,
  type SheetNote,
  type SheetRow,
  SheetText,
  sheetRow,
} from './sheet-text.ts'
import { numberFormat, type Show } from './shown-number.ts'
import { oneLine, TextBuilder } from './text-builder.ts'

const mimes = {
  xml: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  bin: 'application/vnd.ms-excel.sheet.binary.macroenabled.12',
}

/** The cells of a workbook as text: a sheet after the other, a row a line, cells tab-separated. Empty rows are left out. */
export async function readXlsx(file: OpenFile): Promise<Structure> {
  const source = await openPackage(file)
  const relations = await source.relations(source.main)
  const workbook = await source.xml(source.main)
  const [strings] = partsOf(relations, 'sharedStrings')
  const [styles] = partsOf(relations, 'styles')
  const is1904 = workbook ? /^(1|true|on)$/.test(element(workbook, 'workbookPr')?.attributes.date1904 ?? '') : false
  const texts: CellTexts = {
    shared: await sharedStrings(source, strings ?? ''),
    formats: formatsOf(styles === undefined ? null : await source.xml(styles), is1904),
  }
  const out = new SheetText()
  const parts: Related[] = []
  for (const { attributes } of workbook ? descendants(workbook, 'sheet') : []) {
    const sheet = relations.find(({ id, type }) => id === attributes['r:id'] && /^(work|chart)sheet$/.test(type))
    if (!sheet) continue
    const own = await source.relations(sheet.part)
    const isHidden = (attributes.state ?? 'visible') !== 'visible'
    const cells = await readSheet(source, sheet.part, texts)
    const { rows, merges, printed } = cells
    const notes = [...printed, ...(await notesOf(source, own))]
    out.add({ name: attributes.name ?? '', isHidden, rows, merges, notes })
    parts.push([null, own])
    for (const part of partsOf(own, 'drawing')) parts.push([await source.xml(part), await source.relations(part)])
  }
  const mime = source.main.endsWith('.bin') ? mimes.bin : mimes.xml
  return out.structure(mime, await filesIn(source, parts), await source.title())
}

/** What is needed to read cells: the texts that they point at, and how their styles show numbers. */
interface CellTexts {
  shared: SharedStrings
  formats: readonly Show[]
}

type Cells = Pick<Sheet, 'rows' | 'merges'> & { printed: SheetNote[] }

/**
 * The rows of a sheet that hold something, its merged cells, and the headers and footers of its pages. The XML is not in
 * memory as a whole.
 */
async function readSheet(source: Package, part: string, texts: CellTexts): Promise<Cells> {
  const rows: SheetRow[] = []
  const merges: Merge[] = []
  const printed = new Set<string>()
  let code: string | null = null
  let number = 0
  let cells: [number, string][] = []
  let cell = { column: -1, type: '', style: 0, value: '' }
  let isValue = false
  let isReading = false
  await source.read(part, {
    open: (name, attributes) => {
      if (name === 'row') {
        number = Number(attributes.r ?? number + 1)
        cells = []
        cell.column = -1
      } else if (name === 'c') {
        const column = attributes.r === undefined ? cell.column + 1 : placeOf(attributes.r).column
        cell = { column, type: attributes.t ?? 'n', style: Number(attributes.s ?? 0), value: '' }
      } else if (name === 'mergeCell') merges.push(mergeOf(attributes.ref ?? ''))
      if (name === 'rPh') isReading = true
      if (isHeaderOrFooter(name)) code = ''
      isValue = (name === 'v' || name === 't') && !isReading
    },
    text: (text) => {
      if (code !== null) code += text
      if (isValue) cell.value += text
    },
    close: (name) => {
      if (code !== null && isHeaderOrFooter(name)) {
        for (const line of printedLines(code)) printed.add(line)
        code = null
      }
      if (name === 'c') {
        const text = oneLine(shown(cell, texts))
        if (text !== '') cells.push([cell.column, text])
      }
      if (name === 'row' && cells.length > 0) rows.push(sheetRow(number, cells))
      if (name === 'rPh') isReading = false
      isValue = false
    },
  })
  return { rows, merges, printed: printed.size === 0 ? [] : [{ row: 1, lines: [...printed] }] }
}

const isHeaderOrFooter = (name: string) => /^(odd|even|first)(Header|Footer)$/.test(name)

function shown({ type, style, value }: { type: string; style: number; value: string }, texts: CellTexts): string {
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  const show = texts.formats[style] ?? general
  if (type === 's') return show(texts.shared.at(Number(value)))
  const number = type === 'n' && value.trim() !== '' ? Number(value) : Number.NaN
  return show(Number.isFinite(number) ? number : value)
}

const general = numberFormat('')

/** Column, from 0, and row, from 1, of `B2`. */
function placeOf(reference: string): { column: number; row: number } {
  const [, letters = '', row = ''] = /^\$?([A-Z]*)\$?(\d*)/i.exec(reference) ?? []
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  return { column: column - 1, row: Number(row) }
}

function mergeOf(range: string): Merge {
  const [from = '', to = from] = range.split(':')
  return { from: placeOf(from), to: placeOf(to) }
}

/** Dates in the form of a country: the codes 14 to 22, and those of eastern Asia. */
const isLocal = (id: number) => (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)

/** From here on the workbook itself says what a number of a format means. */
const firstOwn = 164

/** How each style shows a number (ECMA-376 part 1, 18.8.30). */
function formatsOf(styles: XmlElement | null, is1904: boolean): Show[] {
  const own = new Map(
    (styles ? descendants(styles, 'numFmt') : []).map(({ attributes }) => [
      Number(attributes.numFmtId),
      attributes.formatCode ?? '',
    ]),
  )
  const formats = styles && element(styles, 'cellXfs')
  return (formats ? elements(formats, 'xf') : []).map(({ attributes }) => {
    const id = Number(attributes.numFmtId ?? 0)
    const code = own.get(id)
    return numberFormat(code ?? (id < firstOwn ? getFormatFromId(id) : null) ?? '', {
      is1904,
      isLocal: code === undefined && isLocal(id),
    })
  })
}

/** Many texts in few strings: a large workbook has a million. */
class SharedStrings {
  readonly #full: string[] = []
  readonly #ends: number[] = []
  #open: string[] = []
  #length = 0

  add(text: string): void {
    this.#open.push(text)
    this.#length += text.length
    this.#ends.push(this.#length)
    if (this.#open.length < perString) return
    this.#full.push(this.#open.join(''))
    this.#open = []
    this.#length = 0
  }

  at(index: number): string {
    const place = index % perString
    const full = this.#full[Math.floor(index / perString)]
    if (full === undefined) return index < this.#ends.length ? (this.#open[place] ?? '') : ''
    return full.slice(place === 0 ? 0 : this.#ends[index - 1], this.#ends[index])
  }
}

const perString = 4_096

/** The texts that cells point at by number. Readings of Japanese characters (`rPh`) are not part of them. */
async function sharedStrings(source: Package, part: string): Promise<SharedStrings> {
  const strings = new SharedStrings()
  let text = ''
  let isText = false
  let isReading = false
  await source.read(part, {
    open: (name) => {
      if (name === 'si') text = ''
      if (name === 'rPh') isReading = true
      isText = name === 't' && !isReading
    },
    text: (part) => {
      if (isText) text += part
    },
    close: (name) => {
      if (name === 'si') strings.add(text)
      if (name === 'rPh') isReading = false
      isText = false
    },
  })
  return strings
}

/** What stands on a sheet beside its cells, in the row that it hangs on: comments, text boxes, charts, diagrams. */
async function notesOf(source: Package, relations: readonly Relation[]): Promise<SheetNote[]> {
  const notes: SheetNote[] = []
  const threads = partsOf(relations, 'threadedComment')
  for (const part of [...threads, ...partsOf(relations, 'comments')]) {
    const root = await source.xml(part)
    for (const name of ['threadedComment', 'comment'])
      for (const comment of root ? descendants(root, name) : []) {
        const { ref = '' } = comment.attributes
        const text = oneLine(textOf(element(comment, 'text') ?? comment))
        // Older programs see a thread as a comment that says so.
        if (threads.length > 0 && text.startsWith('[')) continue
        if (text !== '') notes.push({ row: placeOf(ref).row, lines: [`${ref}: ${text}`] })
      }
  }
  for (const part of partsOf(relations, 'drawing')) {
    const root = await source.xml(part)
    const own = await source.relations(part)
    for (const anchor of root ? elements(root) : []) {
      const row = Number(textOf(element(anchor, 'from', 'row') ?? anchor) || 0) + 1 || 1
      const out = new TextBuilder()
      for (const shape of descendants(anchor, 'txBody'))
        for (const paragraph of elements(shape, 'p')) out.add(descendants(paragraph, 't').map(textOf).join(''))
      const ids = [...descendants(anchor, 'chart'), ...descendants(anchor, 'relIds')]
      for (const { attributes } of ids)
        for (const graphic of own.filter(({ id }) => id === (attributes['r:id'] ?? attributes['r:dm'])))
          await addGraphic(source, graphic, out)
      const lines = out.text.split('\n').filter((line) => line.trim() !== '')
      if (lines.length > 0) notes.push({ row, lines })
    }
  }
  return notes
}
