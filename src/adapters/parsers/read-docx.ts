import type { OpenFile, Structure } from '../../ports/format.ts'
import { attachmentsOf, openPackage, type Package, picturesIn, written } from './ooxml.ts'
import { descendants, element, elements, type XmlElement } from './parse-xml.ts'
import { oneLine, TextBuilder, tableText } from './text-builder.ts'

const mime = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

/** The text of a Word document: its body, then notes, comments, headers and footers, each once. */
export async function readDocx(file: OpenFile): Promise<Structure> {
  const source = await openPackage(file)
  const relations = await source.relations(source.main)
  const partOf = (type: string) => relations.find((relation) => relation.type === type)?.part
  const styles = partOf('styles')
  const levels = headingStyles(styles === undefined ? null : await source.xml(styles))
  const document = await source.xml(source.main)
  const out = new TextBuilder()
  const body = element(document ?? undefined, 'body')
  if (body) addBody(body, levels, out)
  out.endSections()
  for (const note of await notesOf(source, relations)) addBody(note, new Map(), out)
  const attachments = await attachmentsOf(source, picturesIn(document, relations))
  const { text, blocks } = out
  return { mime, text, blocks, textIsFile: false, charset: null, units: [], attachments }
}

async function notesOf(source: Package, relations: readonly { type: string; part: string }[]): Promise<XmlElement[]> {
  const found: XmlElement[] = []
  for (const type of ['footnotes', 'endnotes', 'comments', 'header', 'footer']) {
    const seen = new Set<string>()
    for (const { part } of relations.filter((relation) => relation.type === type)) {
      const root = await source.xml(part)
      if (root === null) continue
      const notes = type === 'header' || type === 'footer' ? [root] : elements(root).filter(isWritten)
      for (const note of notes) {
        // Each section of a document may repeat them.
        const text = descendants(note, 't')
          .flatMap((run) => run.children)
          .join('')
        if (/\p{L}/u.test(text) && !seen.has(text)) found.push(note)
        seen.add(text)
      }
    }
  }
  return found
}

/** Notes of a type are the lines above them. */
const isWritten = ({ attributes }: XmlElement) =>
  attributes['w:type'] === undefined || attributes['w:type'] === 'normal'

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

/** Levels of headings, from 1, by the ids of the styles; a document's title is level 1 too. */
export function headingStyles(styles: XmlElement | null): Map<string, number> {
  const own = new Map<string, { level: number | null; basedOn: string | undefined }>()
  for (const style of styles ? elements(styles, 'style') : []) {
    const id = style.attributes['w:styleId']
    const name = element(style, 'name')?.attributes['w:val'] ?? ''
    const outline = element(style, 'pPr', 'outlineLvl')?.attributes['w:val']
    const named = /^heading (\d)$/i.exec(name)?.[1] ?? (/^title$/i.test(name) ? '1' : null)
    const level = named ? Number(named) : levelOf(outline)
    if (id !== undefined) own.set(id, { level, basedOn: element(style, 'basedOn')?.attributes['w:val'] })
  }
  const levels = new Map<string, number>()
  for (const id of own.keys()) {
    let style = own.get(id)
    for (let steps = 0; style && style.level === null && steps < 10; steps++) style = own.get(style.basedOn ?? '')
    if (style?.level) levels.set(id, style.level)
  }
  return levels
}

/** Of an outline level as the file counts them: from 0, and 9 for body text. */
export function levelOf(outline: string | undefined): number | null {
  return outline === undefined || Number(outline) > 8 ? null : Number(outline) + 1
}

interface ParagraphText {
  text: string
  /** Text boxes that hang on the paragraph: they hold paragraphs of their own. */
  boxes: XmlElement[]
}

const left = new Set([
  'pPr',
  'rPr',
  'del',
  'moveFrom',
  'instrText',
  'delText',
  'fldData',
  'sdtPr',
  'ctrlPr',
  'Fallback',
])

/** What a reader sees of a paragraph; deleted text and the codes of fields are not part of it. */
export function paragraphText(paragraph: XmlElement): ParagraphText {
  const boxes: XmlElement[] = []
  return { text: read(paragraph, boxes).trim(), boxes }
}

function read(parent: XmlElement, boxes: XmlElement[]): string {
  let text = ''
  for (const child of elements(parent)) text += readOne(child, boxes)
  return text
}

function readOne(child: XmlElement, boxes: XmlElement[]): string {
  switch (child.name) {
    case 't':
      return child.children.filter((part) => typeof part === 'string').join('')
    case 'tab':
    case 'ptab':
      return '\t'
    case 'br':
    case 'cr':
      return '\n'
    case 'noBreakHyphen':
      return '-'
    case 'txbxContent':
      boxes.push(child)
      return ''
    case 'AlternateContent':
      return read(element(child, 'Choice') ?? element(child, 'Fallback') ?? child, boxes)
    case 'sym':
    case 'softHyphen':
      return ''
    case 'f':
      return `${part(child, 'num', boxes)}/${part(child, 'den', boxes)}`
    case 'sSup':
      return `${part(child, 'e', boxes)}^${part(child, 'sup', boxes)}`
    case 'sSub':
      return `${part(child, 'e', boxes)}_${part(child, 'sub', boxes)}`
    case 'sSubSup':
      return `${part(child, 'e', boxes)}_${part(child, 'sub', boxes)}^${part(child, 'sup', boxes)}`
    case 'd':
      return `(${elements(child, 'e')
        .map((each) => read(each, boxes))
        .join(', ')})`
    case 'rad':
      return `√(${part(child, 'e', boxes)})`
    case 'nary':
      return `${nary(child)}${part(child, 'sub', boxes)} ${part(child, 'sup', boxes)} ${part(child, 'e', boxes)}`
    case 'docPr':
      return alternative(child)
    default:
      return left.has(child.name) ? '' : read(child, boxes)
  }
}

/** A part of a formula; one of several characters stands in brackets. */
function part(formula: XmlElement, name: string, boxes: XmlElement[]): string {
  const inner = element(formula, name)
  const text = inner ? read(inner, boxes).trim() : ''
  return text.length > 1 && name !== 'e' ? `(${text})` : text
}

const nary = (formula: XmlElement) => element(formula, 'naryPr', 'chr')?.attributes['m:val'] ?? '∫'

/** What an author wrote about a picture. */
function alternative({ attributes }: XmlElement): string {
  const text = written(attributes.descr)
  return text === '' ? '' : ` [${text}] `
}
