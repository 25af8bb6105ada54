import { oneLine, tableText } from '../document/table-text.ts'
import type { TextBuilder } from '../document/text-builder.ts'
import { element, elements, type XmlElement } from '../xml-tree/parse-xml.ts'
import { levelOf } from './heading-styles.ts'
import { paragraphText } from './paragraph-text.ts'

/** Adds paragraphs, headings, tables and text boxes in the order of the file. */
export function addBody(body: XmlElement, levels: ReadonlyMap<string, number>, out: TextBuilder): void {
  for (const child of elements(body)) {
    if (child.name === 'p') addParagraph(child, levels, out)
    else if (child.name === 'tbl') addTable(child, levels, out)
    else if (!child.name.endsWith('Pr')) addBody(child, levels, out)
  }
}

function addParagraph(paragraph: XmlElement, levels: ReadonlyMap<string, number>, out: TextBuilder): void {
  const { text, boxes } = paragraphText(paragraph)
  if (text !== '') addText(text, element(paragraph, 'pPr'), levels, out)
  for (const box of boxes) addBody(box, levels, out)
}

function addText(
  text: string,
  properties: XmlElement | undefined,
  levels: ReadonlyMap<string, number>,
  out: TextBuilder,
): void {
  const style = element(properties, 'pStyle')?.attributes['w:val'] ?? ''
  const level = levelOf(element(properties, 'outlineLvl')?.attributes['w:val']) ?? levels.get(style)
  if (level) out.addHeading(level, oneLine(text))
  else if (/\bcode\b|source|preformatted/i.test(style)) out.add(text, 'code')
  else out.add(element(properties, 'numPr') ? `- ${text}` : text)
}

/** A table of one column is a frame around text. */
function addTable(table: XmlElement, levels: ReadonlyMap<string, number>, out: TextBuilder): void {
  const rows = within(table, 'tr').map((row) => within(row, 'tc'))
  if (rows.every((cells) => cells.length < 2)) for (const cell of rows.flat()) addBody(cell, levels, out)
  else out.add(tableText(rows.map((cells) => cells.map(cellText))), 'table')
}

function cellText(cell: XmlElement): string {
  const parts = elements(cell).map((child) => {
    if (child.name !== 'p') return child.name.endsWith('Pr') ? '' : cellText(child)
    const { text, boxes } = paragraphText(child)
    return [text, ...boxes.map(cellText)].join(' ')
  })
  return parts.join(' ')
}

/** The rows of a table and the cells of a row, also those in content controls and tracked changes. */
function within(parent: XmlElement, name: string): XmlElement[] {
  return elements(parent).flatMap((child) => {
    if (child.name === name) return [child]
    return ['sdt', 'sdtContent', 'customXml', 'ins'].includes(child.name) ? within(child, name) : []
  })
}
