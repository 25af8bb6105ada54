import type { Span } from '../../ports/format.ts'
import type { Attachment } from '../../ports/parser.ts'
import { numeral } from './list-numbers.ts'
import { isLarge } from './picture-size.ts'
import { type Cell, oneLine, type TextBuilder } from './text-builder.ts'

/** The value of an attribute of an element; empty without it. */
export type Attribute = (name: string) => string

const inline = new Set(
  (
    'a abbr acronym b bdi bdo big button cite code data del dfn em font i img input ins kbd label mark meter nobr ' +
    'math mfrac mi mn mo mrow ms msqrt msub msup mtext semantics output progress q rp rt ruby s samp small span strike strong sub sup textpath textPath time tspan tt u var wbr'
  ).split(' '),
)
/** Each begins a line in the text of a heading, of a cell or of preformatted text. */
const breaks = /^(br|p|div|li|tr|h[1-6]|dt|dd)$/

/** A heading or preformatted text, up to its end: `depth` elements of its name are open. */
interface Held {
  tag: string
  depth: number
  text: string
}

interface OpenTable {
  caption: string
  rows: { cells: (Cell & { isHeader: boolean })[]; isHead: boolean }[]
  isHead: boolean
  /** The header of a long table whose first rows stand in the text already. */
  header?: Span | null
  /** Where text goes. */
  place: 'cell' | 'caption' | null
}

/** A list that is open. `next` is null in one without numbers. */
interface OpenList {
  next: number | null
  format: string
}

/**
 * Puts together what a reader of a page sees, out of its elements in their order: paragraphs, items of lists, rows of
 * tables, preformatted text, headings. A table with headings or tables in it lays out a page: it is not a table.
 */
export class PageText {
  readonly #out: TextBuilder
  #line = ''
  #mark = ''
  #held: Held | null = null
  #table: OpenTable | null = null
  readonly #lists: OpenList[] = []

  constructor(out: TextBuilder) {
    this.#out = out
  }

  open(tag: string, attribute: Attribute): void {
    if (isList(tag)) this.#lists.push(openList(tag, attribute))
    if (tag === 'img') this.#add(` ${attribute('alt')} `)
    else if (this.#held) {
      if (tag === this.#held.tag) this.#held.depth++
      if (breaks.test(tag)) this.#held.text += '\n'
      else if (/^t[dh]$/.test(tag)) this.#held.text += ' '
    } else if (this.#table && (tag === 'table' || isHeading(tag))) {
      this.#endLayout(this.#table)
      this.open(tag, attribute)
    } else if (this.#table) this.#openInTable(this.#table, tag, attribute)
    else if (tag === 'br') this.#line += '\n'
    else if (isHeading(tag) || tag === 'pre') this.#held = { tag, depth: 1, text: '' }
    else if (tag === 'table') this.#table = { caption: '', rows: [], isHead: false, place: null }
    else if (!inline.has(tag)) {
      this.#flush()
      if (tag === 'li') this.#mark = this.#nextMark(attribute)
    }
  }

  text(source: string): void {
    this.#add(this.#held?.tag === 'pre' ? source : spaced(source))
  }

  close(tag: string): void {
    if (isList(tag)) this.#lists.pop()
    if (this.#held) {
      if (tag === this.#held.tag && --this.#held.depth === 0) this.#endHeld(this.#held)
    } else if (this.#table) this.#closeInTable(this.#table, tag)
    else if (tag !== 'br' && !inline.has(tag)) this.#flush()
  }

  /** Ends what is open. */
  end(): void {
    if (this.#held) this.#endHeld(this.#held)
    if (this.#table) this.#closeInTable(this.#table, 'table')
    this.#flush()
  }

  #add(text: string): void {
    const cell = this.#table?.place === 'cell' ? this.#table.rows.at(-1)?.cells.at(-1) : undefined
    if (this.#held) this.#held.text += text
    else if (cell) cell.text += text
    else if (this.#table?.place === 'caption') this.#table.caption += text
    else this.#line += text
  }

  #flush(): void {
    const text = collapsed(this.#line)
    this.#line = ''
    if (text === '') return
    this.#out.add(this.#mark + text, 'prose', this.#mark === '' ? '\n\n' : '\n')
    this.#mark = ''
  }

  /** What stands before an item of a list: its number as the page shows it, or a dash. */
  #nextMark(attribute: Attribute): string {
    const list = this.#lists.at(-1)
    if (!list || list.next === null) return '- '
    const number = Number.parseInt(attribute('value'), 10)
    const count = Number.isNaN(number) ? list.next : number
    list.next = count + 1
    return `${numeral(count, list.format)}. `
  }

  #endBlock(): void {
    this.#flush()
    this.#mark = ''
  }

  #endHeld({ tag, text }: Held): void {
    this.#held = null
    this.#endBlock()
    if (tag === 'pre') this.#out.add(text.replace(/^\s*\n/, '').trimEnd(), 'code')
    else this.#out.addHeading(Number(tag[1]), collapsed(text).replaceAll('\n', ' '))
  }

  #openInTable(table: OpenTable, tag: string, attribute: Attribute): void {
    if (tag === 'tr') {
      if (table.rows.length > maxHeldRows && !isMerged(table)) this.#addRows(table)
      table.rows.push({ cells: [], isHead: table.isHead })
      table.place = null
    } else if (/^t[dh]$/.test(tag)) {
      table.rows.at(-1)?.cells.push({
        text: '',
        columns: Number.parseInt(attribute('colspan'), 10) || 1,
        // To the end of the table for 0.
        rows: Number.parseInt(attribute('rowspan') || '1', 10) || maxRows,
        isHeader: tag === 'th',
      })
      table.place = 'cell'
    } else if (tag === 'caption') table.place = 'caption'
    else if (tag === 'thead') table.isHead = true
    else if (breaks.test(tag)) {
      const mark = tag === 'li' ? this.#nextMark(attribute) : ''
      this.#add(mark === '- ' ? '\n' : `\n${mark}`)
    }
  }

  #closeInTable(table: OpenTable, tag: string): void {
    if (/^(t[dh]|caption)$/.test(tag)) table.place = null
    else if (tag === 'thead') table.isHead = false
    else if (tag === 'table') {
      this.#table = null
      this.#addRows(table)
    }
  }

  #addRows(table: OpenTable): void {
    this.#endBlock()
    if (table.header === undefined) this.#out.add(oneLine(table.caption))
    const rows = table.rows.filter(({ cells }) => cells.length > 0)
    const body = rows.findIndex(({ cells, isHead }) => !isHead && !cells.every(({ isHeader }) => isHeader))
    for (const { cells } of rows) for (const cell of cells) cell.text = oneLine(cell.text)
    const cells = rows.map((row) => row.cells)
    table.header = this.#out.addTable(cells, Math.max(0, body), table.header)
    table.rows = []
  }

  /** What has been read of a table that turns out to be none, and what follows in it, are paragraphs. */
  #endLayout({ caption, rows }: OpenTable): void {
    this.#table = null
    this.#endBlock()
    for (const text of [caption, ...rows.flatMap(({ cells }) => cells.map((cell) => cell.text))])
      this.#out.add(collapsed(text).replaceAll('\n', '\n\n'))
  }
}

const maxRows = 65_534
/** A table of more rows is added a part at a time. */
const maxHeldRows = 5_000

/** Whether a cell continues in rows that follow. */
const isMerged = ({ rows }: OpenTable) =>
  rows.some(({ cells }, i) => cells.some((cell) => i + (cell.rows ?? 1) > rows.length))

/** Elements that show no text of the page, or of a drawing in it. */
export const left = new Set(
  'script style template noscript head title annotation iframe object select desc metadata defs symbol'.split(' '),
)

export const isMainBy = (tag: string, role: string): boolean => /^(main|article)$/.test(tag) || role === 'main'

export const frameRole = /^(navigation|banner|contentinfo|complementary|search|dialog|alertdialog|menu|menubar)$/

const unseen = /display\s*:\s*none|visibility\s*:\s*hidden/i

/** Whether an element is not shown: by an attribute, by its style, by a class or id that a style sheet hides. */
export function isUnseen(isHidden: boolean, attribute: Attribute, names: ReadonlySet<string>): boolean {
  if (isHidden || unseen.test(attribute('style'))) return true
  if (names.size === 0) return false
  const classes = attribute('class').split(/\s+/)
  return names.has(`#${attribute('id')}`) || classes.some((name) => names.has(`.${name}`))
}

/** The classes and ids that a style sheet hides, with their mark. */
export function hiddenNames(sheet: string): string[] {
  // Not those of a medium: what is not printed is read.
  const rules = sheet.slice(0, 200_000).replace(/@[^{}]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, '')
  return rules.split('}').flatMap((rule) => {
    const [selectors = '', style = ''] = rule.split('{')
    const names = unseen.test(style) ? selectors.split(',').map((selector) => selector.trim()) : []
    return names.filter((name) => /^[.#][\w-]+$/.test(name))
  })
}

const address = /^data:image\/(png|jpeg|gif|webp|avif);base64,/i

/** The picture that a page carries in itself in place of an address. Smaller ones are icons. */
export function pictureOf(attribute: Attribute, before: number): Attachment | null {
  const source = attribute('src')
  const type = address.exec(source.slice(0, 40))?.[1]?.toLowerCase()
  const bytes = type ? Buffer.from(source.slice(source.indexOf(',') + 1), 'base64') : null
  const alternative = attribute('alt').trim()
  return bytes && isLarge(bytes)
    ? { name: `picture-${before + 1}.${type}`, bytes, ...(alternative !== '' && { alternative }) }
    : null
}

const isList = (tag: string) => /^(ol|ul|menu)$/.test(tag)

function openList(tag: string, attribute: Attribute): OpenList {
  const style = /list-style(?:-type)?\s*:[^;]*?(none|(?:lower|upper)-(?:alpha|latin|roman))/i.exec(
    attribute('style'),
  )?.[1]
  const start = Number.parseInt(attribute('start'), 10)
  const isNumbered = tag === 'ol' && style !== 'none'
  return {
    next: isNumbered ? (Number.isNaN(start) ? 1 : start) : null,
    format: style ? (listStyles[style.toLowerCase()] ?? '1') : attribute('type'),
  }
}

const listStyles: Readonly<Record<string, string>> = {
  ...{ 'lower-alpha': 'a', 'lower-latin': 'a', 'lower-roman': 'i' },
  ...{ 'upper-alpha': 'A', 'upper-latin': 'A', 'upper-roman': 'I' },
}

const isHeading = (tag: string) => /^h[1-6]$/.test(tag)

/** A line break in the source is a space on the page. Most white space is one space already, and stays in its place. */
export const spaced = (source: string): string => source.replace(/\s{2,}|[^\S ]/g, ' ')

/** White space as a browser shows it. Line breaks of `br` stay. */
export const collapsed = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/[^\S\u00a0]{2,}|[^\S\u00a0 ]/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
