import { type DefaultTreeAdapterTypes, defaultTreeAdapter as tree } from 'parse5'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

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
