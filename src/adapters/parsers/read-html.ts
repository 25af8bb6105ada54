import { type DefaultTreeAdapterTypes, parse, defaultTreeAdapter as tree } from 'parse5'
import type { OpenFile, Structure } from '../../ports/format.ts'
import type { Attachment } from '../../ports/parser.ts'
import { isLarge } from './picture-size.ts'
import type { Cell } from './table.ts'
import { oneLine, TextBuilder } from './text-builder.ts'

/** A page: its main text as a reader sees it, with the pictures that stand in it as `data:` addresses. */
export async function readHtml(file: OpenFile): Promise<Structure> {
  const { text: source, charset } = await file.readText()
  const page = parse(source)
  const main = await mainTextOf(page, source)
  const { text, blocks } = main
  return { mime: 'text/html', text, textIsFile: false, charset, blocks, units: [], attachments: picturesIn(page) }
}

/** The library keeps a tree of its own, of many times the size. Characters. */
const maxArticle = 1_000_000
/** A main text of less than this share of what a page has besides its frame is not all of it. */
const minShare = 0.6

/**
 * What a page says: its `main` or `article`, else what the library takes for the article, else all but navigation,
 * headers, footers and notices; a page that is nothing but those is read as a whole.
 */
async function mainTextOf(page: Document, source: string): Promise<TextBuilder> {
  const hidden = hiddenBy(page)
  const isBody = (element: Element) => !isFrame(element)
  const read = (root: Node, isRead: (element: Element) => boolean) => {
    const out = new TextBuilder()
    const title = descendants(page).find(({ tagName }) => tagName === 'title')
    const hasHeading = descendants(root).some((element) => element.tagName === 'h1' && isRead(element))
    if (title && !hasHeading) out.enter(0, collapsed(textOf(title)))
    addHtml(root, out, (element) => isRead(element) && !hidden(element))
    return out
  }
  const body = read(page, isBody)
  const whole = read(page, () => true)
  if (body.text.length < whole.text.length * 0.1) return whole
  let inLinks = 0
  for (const node of walk(page, isBody))
    if (tree.isElementNode(node) && node.tagName === 'a') inLinks += textOf(node).length
  const isMuch = ({ text }: TextBuilder) => text.length >= (body.text.length - inLinks) * minShare
  const named = descendants(page).filter(isMain).take(2).toArray()
  const [only] = named
  const main = only && named.length === 1 ? read(only, isBody) : null
  if (main && isMuch(main)) return main
  // Without a frame and lists of links there is nothing to find the article in.
  const isPlain = body.text.length > whole.text.length * 0.95 && inLinks < body.text.length * 0.3
  if (main || isPlain || source.length > maxArticle) return body
  const article = await articleOf(source)
  const found = article === null ? null : read(parse(article), () => true)
  return found && isMuch(found) ? found : body
}

async function articleOf(source: string): Promise<string | null> {
  const [{ Readability }, { parseHTML }] = await Promise.all([import('@mozilla/readability'), import('linkedom')])
  try {
    return new Readability(parseHTML(source).document as never).parse()?.content ?? null
  } catch {
    return null
  }
}

const isMain = (element: Element) => /^(main|article)$/.test(element.tagName) || attribute(element, 'role') === 'main'

const frameRole = /^(navigation|banner|contentinfo|complementary|search|dialog|alertdialog|menu|menubar)$/
const frameName =
  /(^|[\s_-])(nav|navbar|navigation|menu|sidebar|breadcrumbs?|footer|cookies?|consent|gdpr|newsletter|subscribe|share|social|promo|advert|ads?)([\s_-]|$)/i

/** What stands around the text of a page. The header and the footer of an article are a part of it. */
function isFrame(element: Element): boolean {
  const { tagName } = element
  if (/^(nav|aside|dialog)$/.test(tagName) || frameRole.test(attribute(element, 'role'))) return true
  if (/^(header|footer)$/.test(tagName)) return !ancestors(element).some(isMain) && !hasTag(element, 'h1')
  const isNamed = /^(div|section|ul|ol|form)$/.test(tagName)
  const name = isNamed ? `${attribute(element, 'id')} ${attribute(element, 'class')}` : ''
  return frameName.test(name) && !hasTag(element, 'h1') && !descendants(element).some(isMain)
}

const hasTag = (element: Element, name: string) => descendants(element).some(({ tagName }) => tagName === name)

function* ancestors(element: Element): Generator<Element, undefined> {
  for (let at = element.parentNode; at && tree.isElementNode(at); at = at.parentNode) yield at
}

const unseen = /display\s*:\s*none|visibility\s*:\s*hidden/i

/** Tells elements that are not shown: by an attribute, by their style, by a class or id in a style sheet of the page. */
function hiddenBy(page: Node): (element: Element) => boolean {
  const sheets = descendants(page).filter(({ tagName }) => tagName === 'style')
  const names = new Set<string>()
  for (const sheet of sheets) {
    const rules = textIn(sheet).slice(0, 200_000)
    // Not those of a medium: what is not printed is read.
    for (const rule of rules.replace(/@[^{}]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, '').split('}')) {
      const [selectors = '', style = ''] = rule.split('{')
      if (!unseen.test(style)) continue
      for (const selector of selectors.split(',')) if (/^[.#][\w-]+$/.test(selector.trim())) names.add(selector.trim())
    }
  }
  const isNamed = (element: Element) =>
    names.has(`#${attribute(element, 'id')}`) ||
    attribute(element, 'class')
      .split(/\s+/)
      .some((name) => names.has(`.${name}`))
  return (element) => isHidden(element) || (names.size > 0 && isNamed(element))
}

const isHidden = (element: Element) =>
  element.attrs.some(({ name, value }) => name === 'hidden' || (name === 'style' && unseen.test(value)))

const textIn = (element: Element) =>
  element.childNodes.map((node) => (tree.isTextNode(node) ? node.value : '')).join('')

type Document = DefaultTreeAdapterTypes.Document
type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

const left = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'head',
  'svg',
  'annotation',
  'iframe',
  'object',
  'select',
])
const inline = new Set(
  (
    'a abbr acronym b bdi bdo big button cite code data del dfn em font i img input ins kbd label mark meter nobr ' +
    'math mfrac mi mn mo mrow ms msqrt msub msup mtext semantics output progress q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'
  ).split(' '),
)

/** Adds what a reader of a page sees: paragraphs, items of lists, rows of tables, preformatted text, headings. */
export function addHtml(root: Node, out: TextBuilder, isRead = (element: Element) => !isHidden(element)): void {
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
    if (left.has(tagName) || !isRead(element)) return
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
  for (const node of walk(
    root,
    (element) => !/^(script|style|template|annotation)$/.test(element.tagName) && !isHidden(element),
  )) {
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
