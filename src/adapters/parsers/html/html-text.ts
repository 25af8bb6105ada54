import { type DefaultTreeAdapterTypes, defaultTreeAdapter as tree } from 'parse5'
import type { TextBuilder } from '../document/text-builder.ts'
import { collapsed, descendants, spaced, textOf } from './nodes.ts'

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
    else if (tagName === 'table' && isData(element)) addBlock(() => out.add(rowsOf(element), 'table'))
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

/** A line each row, cells between ` | `. */
const rowsOf = (table: Element) => {
  const caption = descendants(table).find(({ tagName }) => tagName === 'caption')
  const rows = descendants(table)
    .filter(({ tagName }) => tagName === 'tr')
    .toArray()
  const cells = (row: Element) =>
    row.childNodes.filter(tree.isElementNode).map((cell) => collapsed(textOf(cell)).replaceAll('\n', ' '))
  const lines = rows.map((row) => cells(row).join(' | ')).filter((line) => /[^\s|]/.test(line))
  const title = caption ? collapsed(textOf(caption)).replaceAll('\n', ' ') : ''
  return [...(title === '' ? [] : [title]), ...lines].join('\n')
}
