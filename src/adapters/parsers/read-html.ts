import { type DefaultTreeAdapterTypes, parse, defaultTreeAdapter as tree } from 'parse5'
import type { OpenFile, Structure } from '../../ports/format.ts'
import type { Attachment } from '../../ports/parser.ts'
import { readLongPage } from './long-page.ts'
import {
  collapsed,
  frameRole,
  hiddenNames,
  isMainBy,
  isUnseen,
  left,
  PageText,
  pictureOf,
  spaced,
} from './page-text.ts'
import { TextBuilder } from './text-builder.ts'
import { withoutInstructions } from './text-formats.ts'

/** A page: its main text as a reader sees it, with the pictures that stand in it as `data:` addresses. */
export async function readHtml(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const source = withoutInstructions(text)
  if (source.length > maxTree) {
    const { out, pictures } = readLongPage(source, minBody)
    return { ...out.structure('text/html', pictures), charset }
  }
  const page = parse(source)
  return { ...(await mainTextOf(page, source)).structure('text/html', picturesIn(page)), charset }
}

/** A tree takes thirty times its page. Characters. */
const maxTree = 4_000_000
/** The library keeps a tree of its own, of many times the size. Characters. */
const maxArticle = 1_000_000
/** A main text of less than this share of what a page has besides its frame is not all of it. */
const minShare = 0.6
/** A page with less than this share of its text outside of its frame is nothing but that. */
const minBody = 0.1

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
  const { whole, body, links, main } = lengthsOf(page, (element) => !left.has(element.tagName) && !hidden(element))
  if (body < whole * minBody) return read(page, () => true)
  const enough = (body - links) * minShare
  const [only] = main
  if (only && main.length === 1 && only.length >= enough) return read(only.element, isBody)
  // Without a frame and lists of links there is nothing to find the article in.
  const isPlain = body > whole * 0.95 && links < body * 0.3
  if (main.length === 1 || isPlain || source.length > maxArticle) return read(page, isBody)
  const article = await articleOf(source)
  const found = article === null ? null : read(parse(article), () => true)
  return found && found.text.length >= enough ? found : read(page, isBody)
}

interface Lengths {
  whole: number
  /** Outside of the frame … */
  body: number
  /** … and of it in links. */
  links: number
  main: { element: Element; length: number }[]
}

/** Characters of what is shown, without white space between. */
function lengthsOf(page: Document, isShown: (element: Element) => boolean): Lengths {
  const found: Lengths = { whole: 0, body: 0, links: 0, main: [] }
  interface Place {
    isBody: boolean
    isLink: boolean
    main: readonly Lengths['main'][number][]
  }
  const stack: { node: Node; place: Place }[] = [{ node: page, place: { isBody: true, isLink: false, main: [] } }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node } = next
    let { place } = next
    if (tree.isTextNode(node)) {
      const { length } = spaced(node.value).trim()
      found.whole += length
      if (!place.isBody) continue
      found.body += length
      if (place.isLink) found.links += length
      for (const each of place.main) each.length += length
    } else if (tree.isElementNode(node)) {
      if (!isShown(node)) continue
      const isLink = place.isLink || node.tagName === 'a'
      place = { ...place, isBody: place.isBody && !isFrame(node), isLink }
      if (isMain(node)) {
        const own = { element: node, length: 0 }
        found.main.push(own)
        place.main = [...place.main, own]
      }
    }
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) stack.push({ node: child, place })
  }
  return found
}

async function articleOf(source: string): Promise<string | null> {
  const [{ Readability }, { parseHTML }] = await Promise.all([import('@mozilla/readability'), import('linkedom')])
  try {
    return new Readability(parseHTML(source).document as never).parse()?.content ?? null
  } catch {
    return null
  }
}

const isMain = (element: Element) => isMainBy(element.tagName, attribute(element, 'role'))

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

/** Tells elements that are not shown. */
function hiddenBy(page: Node): (element: Element) => boolean {
  const sheets = descendants(page).filter(({ tagName }) => tagName === 'style')
  const names = new Set(sheets.flatMap((sheet) => hiddenNames(textIn(sheet))))
  return (element) => isHidden(element, names)
}

const none: ReadonlySet<string> = new Set()

const isHidden = (element: Element, names = none) =>
  isUnseen(
    element.attrs.some(({ name }) => name === 'hidden'),
    (name) => attribute(element, name),
    names,
  )

const textIn = (element: Element) =>
  element.childNodes.map((node) => (tree.isTextNode(node) ? node.value : '')).join('')

type Document = DefaultTreeAdapterTypes.Document
type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/** Adds what a reader of a page sees. Without recursion: pages may be deep. */
export function addHtml(root: Node, out: TextBuilder, isRead = (element: Element) => !isHidden(element)): void {
  const page = new PageText(out)
  // The end of an element is on the stack as its name.
  const stack: (Node | string)[] = [root]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') page.close(next)
    else if (tree.isTextNode(next)) page.text(next.value)
    else {
      if (tree.isElementNode(next)) {
        const element = next
        if (left.has(element.tagName) || !isRead(element)) continue
        page.open(element.tagName, (name) => attribute(element, name))
        stack.push(element.tagName)
      }
      if ('childNodes' in next) pushAll(stack, next.childNodes)
    }
  }
  page.end()
}

function pushAll<T>(stack: T[], nodes: readonly T[]): void {
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i]
    if (node !== undefined) stack.push(node)
  }
}

const attribute = (element: Element, name: string) => element.attrs.find((other) => other.name === name)?.value ?? ''

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

/** The pictures that a page carries in itself. */
export function picturesIn(page: Node): Attachment[] {
  const found: Attachment[] = []
  for (const element of descendants(page)) {
    const picture = element.tagName === 'img' ? pictureOf((name) => attribute(element, name), found.length) : null
    if (picture) found.push(picture)
  }
  return found
}

/** Addresses of pictures, with what the page shows in their place. */
export const alternativesIn = (page: DefaultTreeAdapterTypes.Node): { source: string; text: string }[] =>
  descendants(page)
    .filter(({ tagName }) => tagName === 'img')
    .map(({ attrs }) => Object.fromEntries(attrs.map(({ name, value }) => [name, value])))
    .flatMap(({ src, alt = '' }) => (src && alt.trim() !== '' ? [{ source: src, text: alt.trim() }] : []))
    .toArray()
