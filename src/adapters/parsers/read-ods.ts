import type { OpenFile, Structure } from '../../ports/format.ts'
import { filesIn, mimeOf, openOdf, partOf, repeat, titleOf } from './odf-package.ts'
import { descendants, elements, readXmlStream, type XmlElement } from './parse-xml.ts'
import { graphicsOf, nameOf } from './read-odf.ts'
import { isPrintedText, type Merge, type SheetNote, type SheetRow, SheetText, sheetRow } from './sheet-text.ts'
import { general } from './shown-number.ts'
import { oneLine } from './text-builder.ts'

/** A workbook: one sheet after another, one row per line, as cells show them. The XML is not in memory as a whole. */
export async function readOds(file: OpenFile): Promise<Structure> {
  const archive = await openOdf(file)
  const out = new SheetText()
  const graphics = await graphicsOf(archive)
  let sheet = newSheet('', false)
  let number = 0
  let row: { repeated: number; cells: [number, string][] } = { repeated: 1, cells: [] }
  let column = 0
  let cell = { text: '', value: '', repeated: 1, columns: 1, rows: 1 }
  let note: string | null = null
  const hidden = new Set<string>()
  const printed = printedBy(await partOf(archive, 'styles.xml'))
  /** The styles of sheets, by the name of the style: how their pages look. */
  const pages = new Map<string, string>()
  let style = ''
  /** What text belongs to: 0 nothing, 1 a cell, 2 a comment or a shape. */
  let inCell = 0
  let inNote = 0
  /** Who wrote a comment, and when. */
  let isSigned = false
  await readXmlStream(archive.stream('content.xml'), {
    open: (name, attributes) => {
      if (name === 'style') {
        style = attributes['style:name'] ?? ''
        pages.set(style, attributes['style:master-page-name'] ?? '')
      } else if (name === 'table-properties' && attributes['table:display'] === 'false') hidden.add(style)
      else if (name === 'table') {
        const own = attributes['table:style-name'] ?? ''
        sheet = newSheet(attributes['table:name'] ?? '', hidden.has(own))
        const lines = printed.get(pages.get(own) ?? '') ?? []
        if (lines.length > 0) sheet.notes.push({ row: 1, lines })
        number = 1
      } else if (name === 'table-row') {
        row = { repeated: repeat(attributes['table:number-rows-repeated'], 1_048_576), cells: [] }
        column = 0
      } else if (/^(covered-)?table-cell$/.test(name)) {
        inCell++
        cell = {
          text: '',
          value: typedValue(attributes),
          repeated: repeat(attributes['table:number-columns-repeated'], 16_384),
          columns: repeat(attributes['table:number-columns-spanned'], 1_000),
          rows: repeat(attributes['table:number-rows-spanned'], 65_536),
        }
      } else if (/^(annotation|shapes|frame|custom-shape)$/.test(name)) {
        inNote++
        note ??= ''
      } else if (name === 'object') {
        const graphic = graphics.get((attributes['xlink:href'] ?? '').replace(/^\.\//, ''))
        if (graphic)
          sheet.notes.push({ row: number, lines: graphic.text.split('\n').filter((line) => line.trim() !== '') })
      }
      if (name === 'creator' || name === 'date') isSigned = inNote > 0
      if (name === 'p' || name === 's' || name === 'line-break') {
        if (inNote > 0) note = `${note ?? ''} `
        else cell.text += ' '
      }
    },
    text: (text) => {
      if (isSigned) return
      if (inNote > 0) note = (note ?? '') + text
      else if (inCell > 0) cell.text += text
    },
    close: (name) => {
      isSigned = false
      if (/^(covered-)?table-cell$/.test(name)) {
        inCell--
        const text = oneLine(cell.text) || oneLine(cell.value)
        for (let i = 0; text !== '' && i < Math.min(cell.repeated, 1_000); i++) row.cells.push([column + i, text])
        if (text !== '' && (cell.columns > 1 || cell.rows > 1))
          sheet.merges.push({
            from: { row: number, column },
            to: { row: number + cell.rows - 1, column: column + cell.columns - 1 },
          })
        column += cell.repeated
      } else if (name === 'table-row') {
        for (let i = 0; row.cells.length > 0 && i < Math.min(row.repeated, 1_000); i++)
          sheet.rows.push(sheetRow(number + i, row.cells))
        number += row.repeated
      } else if (name === 'table') {
        out.add(sheet)
      } else if (/^(annotation|shapes|frame|custom-shape)$/.test(name) && --inNote === 0) {
        const said = oneLine(note ?? '')
        if (said !== '') sheet.notes.push({ row: number, lines: [said] })
        note = null
      }
    },
  })
  return out.structure(mimeOf('spreadsheet'), await filesIn(archive), await titleOf(archive))
}

/** What the headers and footers of printed pages say, by the name of their style. */
function printedBy(styles: XmlElement | null): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const page of styles ? descendants(styles, 'master-page') : []) {
    const parts = elements(page).filter(
      ({ name, attributes }) => /^(header|footer)(-|$)/.test(name) && attributes['style:display'] !== 'false',
    )
    const lines = parts
      .flatMap((part) => descendants(part, 'p'))
      .flatMap((paragraph) => {
        const text = oneLine(withoutFields(paragraph))
        const isNumbered = descendants(paragraph, 'page-number').length > 0
        return isPrintedText(text, isNumbered) ? [text] : []
      })
    found.set(nameOf(page), [...new Set(lines)])
  }
  return found
}

/** What a cell shows whose program wrote no text for it. */
function typedValue(attributes: XmlElement['attributes']): string {
  const said = (name: string) => attributes[`office:${name}`]
  const value = said('value')
  if (value !== undefined && said('value-type') === 'percentage') return `${general(100 * Number(value))}%`
  if (value !== undefined) return `${value} ${said('currency') ?? ''}`
  const time = /^PT(\d+)H(\d+)M(\d+)/.exec(said('time-value') ?? '')
  if (time) return time.slice(1).join(':')
  return said('string-value') ?? said('date-value') ?? said('boolean-value')?.toUpperCase() ?? ''
}

const withoutFields = (parent: XmlElement): string =>
  parent.children
    .map((child) => {
      if (typeof child === 'string') return child
      if (child.name === 's') return ' '
      return /^(page-(number|count)|date|time|sheet-name|title|file-name)$/.test(child.name)
        ? ' '
        : withoutFields(child)
    })
    .join('')

const newSheet = (name: string, isHidden: boolean) => ({
  ...{ name, isHidden, rows: [] as SheetRow[], merges: [] as Merge[], notes: [] as SheetNote[] },
})
