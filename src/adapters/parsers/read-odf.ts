import { posix } from 'node:path'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { countLists, type Level, type ListNumbers, levelsOfOdf } from './list-numbers.ts'
import { described, filesIn, mimeOf, openOdf, partOf, repeat, titleOf } from './odf-package.ts'
import { descendants, element, elements, textOf, type XmlElement } from './parse-xml.ts'
import { type Cell, oneLine, TextBuilder } from './text-builder.ts'
import type { Archive } from './zip.ts'

/** A text of OpenDocument (ISO/IEC 26300): notes and comments at their places, then headers and footers, each once. */
export async function readOdt(file: OpenFile): Promise<Structure> {
  const archive = await openOdf(file)
  const [content, styles] = [await partOf(archive, 'content.xml'), await partOf(archive, 'styles.xml')]
  const out = new TextBuilder()
  const reader = new OdfReader(out, await graphicsOf(archive), [content, styles])
  const body = element(content ?? undefined, 'body', 'text')
  if (body) reader.add(body)
  out.endSections()
  reader.addOnce(['header', 'footer'].flatMap((name) => (styles ? descendants(styles, name) : [])))
  return out.structure(mimeOf('text'), await filesIn(archive, content), await titleOf(archive))
}

/**
 * A presentation, slide by slide, with the notes: `page` is the slide's number. What stands on every slide comes once, at
 * the end.
 */
export async function readOdp(file: OpenFile): Promise<Structure> {
  const archive = await openOdf(file)
  const [content, styles] = [await partOf(archive, 'content.xml'), await partOf(archive, 'styles.xml')]
  const out = new TextBuilder()
  const reader = new OdfReader(out, await graphicsOf(archive), [content, styles])
  const body = element(content ?? undefined, 'body')
  const pages = body ? descendants(body, 'page') : []
  for (const [i, page] of pages.entries()) {
    out.endSections()
    out.metadata = { page: i + 1, ...(reader.isHidden(page.attributes['draw:style-name']) && { hidden: true }) }
    const title = elements(page, 'frame').find((frame) => frame.attributes['presentation:class'] === 'title')
    const text = title ? oneLine(reader.textOf(title)) : ''
    if (text !== '') out.addHeading(1, text)
    for (const child of elements(page)) if (child !== title) reader.add(around(child))
  }
  out.endSections()
  out.metadata = undefined
  reader.addOnce(repeatedOn(pages, body, styles))
  return out.structure(mimeOf('presentation'), await filesIn(archive, content), await titleOf(archive))
}

const around = (child: XmlElement): XmlElement => ({ name: '', attributes: {}, children: [child] })

/** What the masters of these pages show, without the places that pages fill, and the headers and footers of the pages. */
function repeatedOn(pages: readonly XmlElement[], body: XmlElement | undefined, styles: XmlElement | null) {
  const used = new Set(
    pages.flatMap(({ attributes }) =>
      ['draw:master-page-name', 'presentation:use-header-name', 'presentation:use-footer-name'].map(
        (name) => attributes[name],
      ),
    ),
  )
  const masters = styles ? descendants(styles, 'master-page').filter((master) => used.has(nameOf(master))) : []
  const lines = ['header-decl', 'footer-decl']
    .flatMap((name) => (body ? descendants(body, name) : []))
    .filter(({ attributes }) => used.has(attributes['presentation:name']))
  return [
    ...masters
      .flatMap((master) => elements(master))
      .filter(({ name, attributes }) => name !== 'notes' && attributes['presentation:class'] === undefined),
    ...lines.map((line) => ({ ...line, name: 'p' })),
  ].map(around)
}

/** Charts and formulas are documents in the document: what they say, by their folder. */
export async function graphicsOf(archive: Archive): Promise<Map<string, TextBuilder>> {
  const found = new Map<string, TextBuilder>()
  for (const name of archive.names) {
    if (!/^[^/]+\/content\.xml$/.test(name)) continue
    const root = await partOf(archive, name)
    const body = root && element(root, 'body')
    const text = new TextBuilder()
    const chart = body && element(body, 'chart', 'chart')
    if (chart) {
      for (const title of descendants(chart, 'title')) text.add(oneLine(textOf(title)))
      for (const table of descendants(chart, 'table'))
        text.addTable(rowsOf(table).map((row) => cellsOf(row, (cell) => textOf(cell))))
    } else if (body) new OdfReader(text, new Map(), [root]).add(body)
    found.set(posix.dirname(name), text)
  }
  return found
}

/** The rows of a table, those of its header first. */
const rowsOf = (table: XmlElement): XmlElement[] =>
  elements(table).flatMap((child) => {
    if (child.name === 'table-row') return [child]
    return /^table-(header-rows|rows|row-group)$/.test(child.name) ? rowsOf(child) : []
  })

/** Places that a merged cell takes beside its first are in the file too, as `covered-table-cell`. */
const cellsOf = (row: XmlElement, read: (cell: XmlElement) => string): Cell[] =>
  elements(row, 'table-cell').flatMap((cell) => {
    const { attributes } = cell
    const found: Cell = {
      text: read(cell),
      columns: repeat(attributes['table:number-columns-spanned'], 1_000),
      rows: repeat(attributes['table:number-rows-spanned'], 65_536),
    }
    return Array.from({ length: repeat(attributes['table:number-columns-repeated'], 100) }, () => ({ ...found }))
  })

/** A list that is read: where it continues another one, with the numbers of that one. */
interface OpenList {
  style: string
  numbers: ListNumbers
}

const outline = 'outline'

class OdfReader {
  readonly #out: TextBuilder
  readonly #graphics: ReadonlyMap<string, TextBuilder>
  readonly #hidden = new Set<string>()
  readonly #lists = new Map<string, ReadonlyMap<number, Level>>()
  /** The lists by their ids, and the last of each style. */
  readonly #byId = new Map<string, OpenList>()
  readonly #last = new Map<string, OpenList>()
  readonly #headings: ListNumbers
  #notes: string[] = []
  #noteCount = 0

  constructor(out: TextBuilder, graphics: ReadonlyMap<string, TextBuilder>, roots: readonly (XmlElement | null)[]) {
    this.#out = out
    this.#graphics = graphics
    const all = (name: string) => roots.flatMap((root) => (root ? descendants(root, name) : []))
    for (const style of all('style')) if (hides(style)) this.#hidden.add(nameOf(style))
    for (const list of all('list-style')) this.#lists.set(nameOf(list), levelsOfOdf(list, 'bullet'))
    for (const list of all('outline-style')) this.#lists.set(outline, levelsOfOdf(list, 'none'))
    this.#headings = this.#count(outline)
  }

  isHidden(style: string | undefined): boolean {
    return style !== undefined && this.#hidden.has(style)
  }

  /** Adds paragraphs, headings, lists, tables and frames in the order of the file. */
  add(parent: XmlElement): void {
    for (const child of elements(parent)) {
      const { name, attributes } = child
      if (name === 'h') this.#addHeading(child)
      else if (name === 'p') this.#addParagraph(child, attributes['text:style-name'] === 'Title' ? 1 : 0)
      else if (name === 'list') this.#addList(child, this.#openList(attributes), 0)
      else if (name === 'table') this.#addTable(child)
      else if (name === 'object') this.#addObject(child)
      else if (!left.has(name) && attributes['text:display'] !== 'none') {
        if (isDrawn.test(name)) this.#out.add(inBrackets(child).trim())
        this.add(child)
      }
    }
  }

  /** Parts that say something, each text once. */
  addOnce(parts: readonly XmlElement[]): void {
    const seen = new Set<string>()
    for (const part of parts) {
      const text = textOf(part)
      if (/\p{L}/u.test(text) && !seen.has(text)) this.add(part)
      seen.add(text)
    }
  }

  textOf(parent: XmlElement): string {
    return this.#withNotes(parent, []).text
  }

  #withNotes(parent: XmlElement, frames: XmlElement[]): { text: string; notes: readonly string[] } {
    this.#notes = []
    return { text: this.#read(parent, frames), notes: this.#notes }
  }

  #addParagraph(paragraph: XmlElement, level: number, mark = ''): void {
    const frames: XmlElement[] = []
    const { text, notes } = this.#withNotes(paragraph, frames)
    this.#out.addLine(text.trim() === '' ? '' : mark + text.trim(), notes, level)
    for (const frame of frames) this.add(frame)
  }

  #addHeading(heading: XmlElement): void {
    const { 'text:outline-level': level = '1', 'text:is-list-header': isUnnumbered } = heading.attributes
    const number = isUnnumbered === 'true' ? '' : this.#headings.next(outline, Number(level) - 1)
    this.#addParagraph(heading, Number(level), number === '' ? '' : `${number} `)
  }

  #count(style: string): ListNumbers {
    return countLists(new Map([[style, { levels: this.#lists.get(style) ?? new Map(), counts: [] }]]))
  }

  #openList(attributes: XmlElement['attributes']): OpenList {
    const { 'text:style-name': style = '', 'text:continue-list': id, 'text:continue-numbering': goesOn } = attributes
    const before = id === undefined ? this.#last.get(style) : this.#byId.get(id)
    const isSame = before?.style === style && (id !== undefined || goesOn === 'true')
    const list = isSame ? before : { style, numbers: this.#count(style) }
    this.#last.set(style, list)
    if (attributes['xml:id'] !== undefined) this.#byId.set(attributes['xml:id'], list)
    return list
  }

  #addList(list: XmlElement, open: OpenList, level: number): void {
    for (const item of elements(list)) {
      let isFirst = item.name === 'list-item'
      for (const child of elements(item)) {
        if (child.name === 'list') {
          this.#addSublist(child, open, level + 1)
          continue
        }
        const start = Number(item.attributes['text:start-value'])
        // An item that only holds a list has no number.
        const mark = isFirst ? `${open.numbers.next(open.style, level, start || undefined) || '-'} ` : ''
        isFirst = false
        if (child.name === 'p' || child.name === 'h')
          this.#addParagraph(child, child.name === 'h' ? level + 1 : 0, mark)
        else this.add(around(child))
      }
    }
  }

  /** A list in an item counts with it, unless it has a style of its own. */
  #addSublist(list: XmlElement, open: OpenList, level: number): void {
    const own = list.attributes['text:style-name']
    if (own === undefined || own === open.style) this.#addList(list, open, level)
    else this.#addList(list, { style: own, numbers: this.#count(own) }, level)
  }

  /** A table of one column is a frame around text. */
  #addTable(table: XmlElement): void {
    const rows = rowsOf(table)
    if (rows.every((row) => elements(row, 'table-cell').length < 2)) for (const row of rows) this.add(row)
    else {
      const marked = elements(table, 'table-header-rows').flatMap(rowsOf).length
      this.#out.addTable(
        rows.map((row) => cellsOf(row, (cell) => this.#cellText(cell))),
        marked,
      )
    }
  }

  #cellText(cell: XmlElement): string {
    const frames: XmlElement[] = []
    const { text, notes } = this.#withNotes(cell, frames)
    return [text, ...frames.map((frame) => this.#cellText(frame)), ...notes].join(' ')
  }

  #addObject({ attributes }: XmlElement): void {
    const graphic = this.#graphics.get((attributes['xlink:href'] ?? '').replace(/^\.\//, ''))
    if (graphic) this.#out.addAll(graphic)
  }

  #read(parent: XmlElement, frames: XmlElement[]): string {
    let text = ''
    for (const child of parent.children) {
      if (typeof child === 'string') text += child.replace(/\s+/g, ' ')
      else text += this.#readOne(child, frames)
    }
    return text
  }

  #readOne(child: XmlElement, frames: XmlElement[]): string {
    const { name, attributes } = child
    if (left.has(name) || this.isHidden(attributes['text:style-name'])) return ''
    if (name === 's') return ' '.repeat(repeat(attributes['text:c'], 1_000))
    if (name === 'tab') return '\t'
    if (name === 'line-break') return '\n'
    if (name === 'note' || name === 'annotation') {
      const said = element(child, 'note-body') ?? child
      const words = elements(said).filter((each) => each.name !== 'creator' && !each.name.startsWith('date'))
      const note = oneLine(words.map((each) => this.#read(each, [])).join(' '))
      if (note !== '') this.#notes.push(`[${++this.#noteCount}] ${note}`)
      return ''
    }
    if (isDrawn.test(name)) {
      frames.push(child)
      return inBrackets(child)
    }
    const inner = this.#read(child, frames)
    return /^(p|h|list-item|table-cell)$/.test(name) ? `${inner}\n` : inner
  }
}

const isDrawn = /^(frame|custom-shape|g)$/

const inBrackets = (frame: XmlElement): string => described(frame).replace(/^.+$/s, ' [$&] ')

/** What is not seen, or stands elsewhere. */
const left = new Set([
  ...['tracked-changes', 'forms', 'sequence-decls', 'variable-decls', 'user-field-decls', 'table-of-content-source'],
  ...['title', 'desc', 'hidden-text', 'note-citation', 'ruby-text', 'event-listeners', 'thumbnail', 'settings'],
  'page-thumbnail',
])

export const nameOf = ({ attributes }: XmlElement) => attributes['style:name'] ?? ''

const hides = (style: XmlElement) =>
  element(style, 'text-properties')?.attributes['text:display'] === 'none' ||
  element(style, 'drawing-page-properties')?.attributes['presentation:visibility'] === 'hidden'
