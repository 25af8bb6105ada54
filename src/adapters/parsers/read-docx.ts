import { parse as parseHtml } from 'parse5'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { formulaText } from './formula.ts'
import { type ListNumbers, listNumbers } from './list-numbers.ts'
import { addGraphic, filesIn, openPackage, type Package, partsOf, type Relation, written } from './ooxml.ts'
import { decodeText } from './open-file.ts'
import { descendants, element, elements, parseXml, textOf, type XmlElement } from './parse-xml.ts'
import { isLarge } from './picture-size.ts'
import { addHtml } from './read-html.ts'
import { type Cell, oneLine, TextBuilder } from './text-builder.ts'
import { isOn, levelOf, type StyleFacts, styleFacts, value } from './word-styles.ts'

const mime = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

/** The text of a Word document: its body with notes and comments at their places, then headers and footers, each once. */
export async function readDocx(file: OpenFile): Promise<Structure> {
  const source = await openPackage(file)
  const relations = await source.relations(source.main)
  const xmlOf = async (type: string) => {
    const part = relations.find((relation) => relation.type === type)?.part
    return part === undefined ? null : source.xml(part)
  }
  const styles = await xmlOf('styles')
  const document = await source.xml(source.main)
  const notes = new Map<string, XmlElement>()
  for (const [type, mark] of noteKinds) {
    const root = await xmlOf(type)
    for (const note of root ? elements(root).filter(isWritten) : [])
      notes.set(`${mark} ${note.attributes['w:id']}`, note)
  }
  const graphics = new Map<string, TextBuilder>()
  for (const relation of relations) {
    const text = new TextBuilder()
    await addGraphic(source, relation, text)
    if (relation.type === 'aFChunk') await addChunk(source, relation, text)
    graphics.set(relation.id, text)
  }
  const out = new TextBuilder()
  const reader = new BodyReader(
    { ...styleFacts(styles), numbers: listNumbers(await xmlOf('numbering')), notes, graphics },
    out,
  )
  const body = element(document ?? undefined, 'body')
  if (body) reader.add(body)
  out.endSections()
  for (const note of await pageLines(source, relations)) reader.add(note)
  const own = relations.filter(({ id, type }) => type !== 'aFChunk' || graphics.get(id)?.text === '')
  return out.structure(mime, await filesIn(source, [[document, own]]), await source.title())
}

/** A document as Word 2003 writes it in XML. Its notes, lists and pictures stand at their places. */
export async function readWordXml(file: OpenFile): Promise<Structure> {
  const root = parseXml(await file.readAll())
  const out = new TextBuilder()
  const facts = styleFacts(element(root, 'styles') ?? null)
  const reader = new BodyReader({ ...facts, numbers: listNumbers(null), notes: new Map(), graphics: new Map() }, out)
  const body = element(root, 'body')
  if (body) reader.add(body)
  out.endSections()
  for (const part of distinct(['hdr', 'ftr'].flatMap((name) => descendants(root, name)))) reader.add(part)
  const pictures = descendants(root, 'binData').map((data, i) => {
    const name = data.attributes['w:name']?.replace(/^wordml:\/\//, '') || `picture-${i + 1}`
    return { name, bytes: Buffer.from(textOf(data), 'base64') }
  })
  return out.structure(
    'application/xml',
    pictures.filter(({ bytes }) => isLarge(bytes)),
    oneLine(textOf(element(root, 'DocumentProperties', 'Title') ?? { name: '', attributes: {}, children: [] })),
  )
}

/** Parts that hold notes, and the elements by which the text points at them. */
const noteKinds = [
  ['footnotes', 'footnoteReference'],
  ['endnotes', 'endnoteReference'],
  ['comments', 'commentReference'],
] as const

/** Notes of a type are the lines above them. */
const isWritten = ({ attributes }: XmlElement) =>
  attributes['w:type'] === undefined || attributes['w:type'] === 'normal'

/** A page or a text that is imported at its place. Others are documents of their own. */
async function addChunk(source: Package, { part }: Relation, out: TextBuilder): Promise<void> {
  const bytes = await source.bytes(part)
  if (bytes === null || !/\.(x?html?|txt)$/i.test(part)) return
  const { text } = decodeText(bytes)
  if (part.toLowerCase().endsWith('.txt')) out.add(text.trim())
  else addHtml(parseHtml(text), out)
}

async function pageLines(source: Package, relations: readonly Relation[]): Promise<XmlElement[]> {
  const found: XmlElement[] = []
  for (const part of partsOf(relations, 'header', 'footer')) {
    const root = await source.xml(part)
    if (root !== null) found.push(root)
  }
  return distinct(found)
}

/** Each section of a document may repeat its headers and footers. A number alone says nothing. */
function distinct(parts: readonly XmlElement[]): XmlElement[] {
  const byText = Map.groupBy(parts, (part) => descendants(part, 't').map(textOf).join(''))
  return [...byText].flatMap(([text, [part]]) => (part && /\p{L}/u.test(text) ? [part] : []))
}

/** What the text of a paragraph depends on. */
interface Facts extends StyleFacts {
  numbers: ListNumbers
  /** By the kind of the reference and the id. */
  notes: ReadonlyMap<string, XmlElement>
  /** Charts, diagrams and imported texts by the id of the relation. */
  graphics: ReadonlyMap<string, TextBuilder>
}

class BodyReader {
  readonly #facts: Facts
  readonly #out: TextBuilder
  #notes = 0

  constructor(facts: Facts, out: TextBuilder) {
    this.#facts = facts
    this.#out = out
  }

  /** Adds paragraphs, headings, tables and text boxes in the order of the file. */
  add(body: XmlElement): void {
    for (const child of elements(body)) {
      if (child.name === 'p') this.#addParagraph(child)
      else if (child.name === 'tbl') this.#addTable(child)
      else if (child.name === 'altChunk') this.#addGraphic(child)
      else if (!child.name.endsWith('Pr')) this.add(child)
    }
  }

  #addGraphic({ attributes }: XmlElement): void {
    const graphic = this.#facts.graphics.get(attributes['r:id'] ?? attributes['r:dm'] ?? '')
    if (graphic) this.#out.addAll(graphic)
  }

  #addParagraph(paragraph: XmlElement): void {
    const { text, boxes, notes } = this.#read(paragraph)
    const properties = element(paragraph, 'pPr')
    const style = value(properties, 'pStyle') ?? ''
    const level = levelOf(value(properties, 'outlineLvl')) ?? this.#facts.levels.get(style)
    const number = text === '' ? '' : this.#numberOf(properties, style)
    const isCode = !level && /\bcode\b|source|preformatted/i.test(style)
    if (isCode) this.#out.add(text, 'code')
    this.#out.addLine(isCode ? '' : number === '' ? text : `${number} ${text}`, notes, level ?? 0)
    for (const box of boxes) {
      if (box.name === 'txbxContent') this.add(box)
      else this.#addGraphic(box)
    }
  }

  /** What stands before a paragraph of a list. */
  #numberOf(properties: XmlElement | undefined, style: string): string {
    const shown = element(properties, 'listPr', 't')?.attributes['wx:val']
    if (shown !== undefined) return /[\p{L}\p{N}]/u.test(shown) ? shown : '-'
    const own = element(properties, 'numPr')
    const { lists, numbers } = this.#facts
    const list = value(own, 'numId') ?? lists.get('numId')?.get(style)
    if (list === undefined || list === '0') return ''
    const level = value(own, 'ilvl') ?? numbers.levelOf(list, style) ?? lists.get('ilvl')?.get(style) ?? 0
    return numbers.next(list, Number(level))
  }

  /** A table of one column is a frame around text. */
  #addTable(table: XmlElement): void {
    const rows = within(table, 'tr').map((row) => ({ row, cells: within(row, 'tc') }))
    if (rows.every(({ cells }) => cells.length < 2))
      for (const cell of rows.flatMap(({ cells }) => cells)) this.add(cell)
    else {
      const marked = rows.findIndex(({ row }) => !element(row, 'trPr', 'tblHeader'))
      const cells = rows.map((row) => row.cells.map((cell) => this.#cellOf(cell)))
      this.#out.addTable(cells, Math.max(0, marked))
    }
  }

  #cellOf(cell: XmlElement): Cell {
    const properties = element(cell, 'tcPr')
    const merge = element(properties, 'vMerge') ?? element(properties, 'vmerge')
    const goesOn = merge !== undefined && merge.attributes['w:val'] !== 'restart'
    const columns = Number(value(properties, 'gridSpan') ?? 1) || 1
    return { text: goesOn ? '' : this.#cellText(cell), columns, goesOn }
  }

  #cellText(cell: XmlElement): string {
    const parts = elements(cell).map((child) => {
      if (child.name !== 'p') return child.name.endsWith('Pr') ? '' : this.#cellText(child)
      const { text, boxes, notes } = this.#read(child)
      const number = this.#numberOf(element(child, 'pPr'), value(child, 'pPr', 'pStyle') ?? '')
      return [text === '' ? '' : number, text, ...boxes.map((box) => this.#cellText(box)), ...notes].join(' ')
    })
    return parts.join(' ')
  }

  #read(paragraph: XmlElement): { text: string; boxes: XmlElement[]; notes: string[] } {
    const isHidden = this.#facts.hidden.has(value(paragraph, 'pPr', 'pStyle') ?? '')
    const found: Found = { boxes: [], references: [], hidden: this.#facts.hidden, isHidden }
    const text = read(paragraph, found).trim()
    const notes = found.references.flatMap((reference) => {
      const { name, attributes } = reference
      const note = /Reference$/.test(name) ? this.#facts.notes.get(`${name} ${attributes['w:id']}`) : reference
      const written = note ? oneLine(this.#cellText(note)) : ''
      return written === '' ? [] : [`[${++this.#notes}] ${written}`]
    })
    return { text, boxes: found.boxes, notes }
  }
}

/** The rows of a table and the cells of a row, also those in content controls and tracked changes. */
function within(parent: XmlElement, name: string): XmlElement[] {
  return elements(parent).flatMap((child) => {
    if (child.name === name) return [child]
    return ['sdt', 'sdtContent', 'customXml', 'ins'].includes(child.name) ? within(child, name) : []
  })
}

/** What hangs on a paragraph: text boxes and graphics, and references to notes. */
interface Found {
  boxes: XmlElement[]
  references: XmlElement[]
  /** Styles that hide. */
  hidden: ReadonlySet<string>
  /** By the style of the paragraph. */
  isHidden: boolean
}

const left = new Set('pPr rPr del moveFrom instrText delText fldData sdtPr ctrlPr Fallback'.split(' '))

/** What a reader sees of a paragraph; deleted and hidden text and the codes of fields are not part of it. */
function read(parent: XmlElement, found: Found): string {
  let text = ''
  for (const child of elements(parent)) text += readOne(child, found)
  return text
}

const isHidden = (run: XmlElement, { hidden, isHidden }: Found) =>
  isOn(element(run, 'rPr', 'vanish')) ?? (isHidden || hidden.has(value(run, 'rPr', 'rStyle') ?? ''))

function readOne(child: XmlElement, found: Found): string {
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
    case 'r':
      return isHidden(child, found) ? '' : read(child, found)
    case 'txbxContent':
    case 'chart':
    case 'relIds':
      found.boxes.push(child)
      return ''
    case 'footnoteReference':
    case 'endnoteReference':
    case 'commentReference':
    case 'footnote':
    case 'endnote':
      found.references.push(child)
      return ''
    case 'annotation':
      return annotated(child, found)
    case 'AlternateContent':
      return read(element(child, 'Choice') ?? element(child, 'Fallback') ?? child, found)
    case 'sym':
    case 'softHyphen':
      return ''
    case 'docPr':
      return alternative(child)
    case 'textpath':
      return child.attributes.string ?? ''
    case 'ddList':
      return elements(child, 'listEntry')[Number(value(child, 'result') ?? 0)]?.attributes['w:val'] ?? ''
    default:
      return left.has(child.name) ? '' : (formulaText(child, (each) => read(each, found)) ?? read(child, found))
  }
}

/** A comment or a change, as Word 2003 marks them. */
function annotated(child: XmlElement, found: Found): string {
  const type = child.attributes['w:type'] ?? ''
  if (type === 'Word.Comment') found.references.push(child)
  return /Comment|Deletion/.test(type) ? '' : read(child, found)
}

/** What an author wrote about a picture. */
function alternative({ attributes }: XmlElement): string {
  const text = written(attributes.descr)
  return text === '' ? '' : ` [${text}] `
}
