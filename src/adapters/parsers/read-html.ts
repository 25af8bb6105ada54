import { type DefaultTreeAdapterTypes, parse, defaultTreeAdapter as tree } from 'parse5'
import type { OpenFile, Structure } from '../../ports/format.ts'
import type { Attachment } from '../../ports/parser.ts'
import { isLarge } from './picture-size.ts'
import type { Cell } from './table.ts'
import { oneLine, TextBuilder } from './text-builder.ts'

/** A page: its visible text, with the pictures that stand in it as `data:` addresses. */
export async function readHtml(file: OpenFile): Promise<Structure> {
  const { text: source, charset } = await file.readText()
  const page = parse(source)
  const out = new TextBuilder()
  const title = descendants(page).find(({ tagName }) => tagName === 'title')
  const hasHeading = descendants(page).some(({ tagName }) => tagName === 'h1')
  if (title && !hasHeading) out.enter(0, collapsed(textOf(title)))
  addHtml(page, out)
  const { text, blocks } = out
  return { mime: 'text/html', text, textIsFile: false, charset, blocks, units: [], attachments: picturesIn(page) }
}

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

const left = new Set(['script', 'style', 'template', 'noscript', 'head', 'svg', 'math', 'iframe', 'object', 'select'])
const inline = new Set(
  (
    'a abbr acronym b bdi bdo big button cite code data del dfn em font i img input ins kbd label mark meter nobr ' +
    'output progress q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'
  ).split(' '),
)

/** Adds what a reader of a page sees: paragraphs, items of lists, rows of tables, preformatted text, headings. */
export function addHtml(root: Node, out: TextBuilder): void {
  let line = ''
  let mark = ''
  const flush = () => {
    const text = collapsed(line)
    line = ''
    if (text === '') return
    out.add(mark + text, 'prose', mark === '' ? '\n\n' : '\n')
    mark = ''
  }
  // The way out of an element is on the stack as a function: a recursion would not survive a deep page.
  const stack: (Node | (() => void))[] = [root]
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (typeof next === 'function') next()
    else if (tree.isTextNode(next)) line += spaced(next.value)
    else if (tree.isElementNode(next)) visit(next)
    else pushChildren(next)
  }
  flush()

  function visit(element: Element): void {
    const { tagName } = element
    const level = /^h([1-6])$/.exec(tagName)?.[1]
    if (left.has(tagName) || element.attrs.some(({ name }) => name === 'hidden')) return
    if (tagName === 'br') line += '\n'
    else if (tagName === 'img') line += ` ${attribute(element, 'alt')} `
    else if (inline.has(tagName)) pushChildren(element)
    else if (level) addBlock(() => out.addHeading(Number(level), collapsed(textOf(element)).replaceAll('\n', ' ')))
    else if (tagName === 'pre') addBlock(() => out.add(trimmedLines(textOf(element, true)), 'code'))
    else if (tagName === 'table' && isData(element)) addBlock(() => addTable(element, out))
    else {
      flush()
      if (tagName === 'li') mark = '- '
      stack.push(flush)
      pushChildren(element)
    }
  }

  function addBlock(add: () => void): void {
    flush()
    mark = ''
    add()
  }

  function pushChildren(node: Node): void {
    if (!('childNodes' in node)) return
    for (let i = node.childNodes.length - 1; i >= 0; i--) {
      const child = node.childNodes[i]
      if (child) stack.push(child)
    }
  }
}

const attribute = (element: Element, name: string) => element.attrs.find((other) => other.name === name)?.value ?? ''

const trimmedLines = (text: string) => text.replace(/^\s*\n/, '').trimEnd()

/** A table that lays out a page holds headings or further tables. */
const isData = (table: Element) =>
  !descendants(table).some((node) => node !== table && /^(table|h[1-6])$/.test(node.tagName))

/** Adds the caption, then the rows. */
function addTable(table: Element, out: TextBuilder): void {
  const caption = descendants(table).find(({ tagName }) => tagName === 'caption')
  if (caption) out.add(oneLine(textOf(caption)))
  const rows = descendants(table)
    .filter(({ tagName }) => tagName === 'tr')
    .map((row) => ({ row, cells: row.childNodes.filter(tree.isElementNode) }))
    .filter(({ cells }) => cells.length > 0)
    .toArray()
  const isHeader = ({ row, cells }: (typeof rows)[number]) =>
    (tree.isElementNode(row.parentNode ?? row) && (row.parentNode as Element).tagName === 'thead') ||
    cells.every(({ tagName }) => tagName === 'th')
  const body = rows.findIndex((row) => !isHeader(row))
  out.addTable(
    rows.map(({ cells }) => cells.map(cellOf)),
    Math.max(0, body),
  )
}

const cellOf = (cell: Element): Cell => ({
  text: oneLine(textOf(cell)),
  columns: Number.parseInt(attribute(cell, 'colspan'), 10) || 1,
  // To the end of the table for 0.
  rows: Number.parseInt(attribute(cell, 'rowspan') || '1', 10) || maxRows,
})

const maxRows = 65_534

/** The elements below a node and itself, in the order of the page. Without recursion: pages may be deep. */
export const descendants = (root: Node): IteratorObject<Element> => walk(root).filter(tree.isElementNode)

/** The text below a node; a line break or a block separates words. `asIs` keeps the white space of the source. */
export function textOf(root: Node, asIs = false): string {
  let text = ''
  for (const node of walk(root, (element) => !/^(script|style|template)$/.test(element.tagName))) {
    if (tree.isTextNode(node)) text += asIs ? node.value : spaced(node.value)
    else if (tree.isElementNode(node)) {
      if (/^(br|p|div|li|tr|h[1-6]|dt|dd)$/.test(node.tagName)) text += '\n'
      if (/^t[dh]$/.test(node.tagName)) text += ' '
      if (node.tagName === 'img') text += ` ${node.attrs.find(({ name }) => name === 'alt')?.value ?? ''} `
    }
  }
  return text
}

function* walk(root: Node, enter: (element: Element) => boolean = () => true): Generator<Node, undefined> {
  const stack = [root]
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (tree.isElementNode(node) && !enter(node)) continue
    yield node
    if (!('childNodes' in node)) continue
    for (let i = node.childNodes.length - 1; i >= 0; i--) {
      const child = node.childNodes[i]
      if (child) stack.push(child)
    }
  }
}

/** A line break in the source is a space on the page. */
export const spaced = (source: string): string => source.replace(/\s+/g, ' ')

/** White space as a browser shows it. Line breaks of `br` stay. */
export const collapsed = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/[^\S\u00a0]+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')

const address = /^data:image\/(png|jpeg|gif|webp|avif);base64,/i

/** The pictures that a page carries in itself. Smaller ones are icons. */
export function picturesIn(page: DefaultTreeAdapterTypes.Node): Attachment[] {
  const sources = descendants(page).filter(({ tagName }) => tagName === 'img')
  const found = sources.flatMap(({ attrs }) => {
    const { value = '' } = attrs.find(({ name }) => name === 'src') ?? {}
    const type = address.exec(value.slice(0, 40))?.[1]?.toLowerCase()
    const bytes = type ? Buffer.from(value.slice(value.indexOf(',') + 1), 'base64') : null
    const alt = attrs.find(({ name }) => name === 'alt')?.value.trim()
    return type && bytes && isLarge(bytes) ? [{ type, bytes, ...(alt && { alternative: alt }) }] : []
  })
  return found.toArray().map(({ type, ...picture }, i) => ({ name: `picture-${i + 1}.${type}`, ...picture }))
}

/** Addresses of pictures, with what the page shows in their place. */
export const alternativesIn = (page: DefaultTreeAdapterTypes.Node): { source: string; text: string }[] =>
  descendants(page)
    .filter(({ tagName }) => tagName === 'img')
    .map(({ attrs }) => Object.fromEntries(attrs.map(({ name, value }) => [name, value])))
    .flatMap(({ src, alt = '' }) => (src && alt.trim() !== '' ? [{ source: src, text: alt.trim() }] : []))
    .toArray()
