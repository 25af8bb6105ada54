import { Parser } from 'htmlparser2'
import { ParseError } from '../../ports/parser.ts'
import { decodeText } from './open-file.ts'

/** An element, without the prefix of its namespace. Attributes keep theirs: `r:id` is another one than `id`. */
export interface XmlElement {
  name: string
  attributes: Readonly<Record<string, string>>
  children: (XmlElement | string)[]
}

export interface XmlEvents {
  open(name: string, attributes: Readonly<Record<string, string>>): void
  text(text: string): void
  close(name: string): void
}

const maxDepth = 1_000

/**
 * Reads XML of an office document as events. There are no DTDs in them, so entities of a file's own are not expanded
 * but refused. Errors: ParseError `malformed`.
 */
const readXml = (bytes: Uint8Array, events: XmlEvents): void => readXmlText(decodeText(bytes).text, events)

export const readXmlText = (text: string, events: XmlEvents): void => xmlParser(events).end(text)

/** The same for XML that is not in memory as a whole: a part of a package, in UTF-8 or UTF-16. */
export async function readXmlStream(pieces: AsyncIterable<Uint8Array> | null, events: XmlEvents): Promise<void> {
  const parser = xmlParser(events)
  let decoder: TextDecoder | undefined
  for await (const piece of pieces ?? []) {
    const [a, b] = piece
    decoder ??= new TextDecoder(a === 0xff || b === 0 ? 'utf-16le' : a === 0xfe || a === 0 ? 'utf-16be' : 'utf-8')
    parser.write(decoder.decode(piece, { stream: true }))
  }
  parser.end(decoder?.decode() ?? '')
}

function xmlParser(events: XmlEvents): Parser {
  let depth = 0
  return new Parser(
    {
      onopentag: (name, attributes) => {
        if (++depth > maxDepth) throw new ParseError('malformed', 'The file has elements nested too deep.')
        events.open(local(name), attributes)
      },
      ontext: (text) => events.text(text),
      onclosetag: (name) => {
        depth--
        events.close(local(name))
      },
      onprocessinginstruction: (name, declared) => {
        // One that only names itself is no more than that. One with entities ends at another place than it seems to.
        if (/^!doctype/i.test(name) && declared.includes('['))
          throw new ParseError('malformed', 'The file has a document type definition.')
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
}

/** The root element of XML. Errors: ParseError `malformed`. */
export function parseXml(bytes: Uint8Array): XmlElement {
  const [root] = elements(treeOf((events) => readXml(bytes, events)))
  if (root === undefined) throw new ParseError('malformed', 'A part of the file is not XML.')
  return root
}

/** An element without a name that has what is read in it. */
export function treeOf(read: (events: XmlEvents) => void): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, children: [] }
  const open = [root]
  read({
    open: (name, attributes) => {
      const element: XmlElement = { name, attributes, children: [] }
      open.at(-1)?.children.push(element)
      open.push(element)
    },
    text: (text) => open.at(-1)?.children.push(text),
    close: () => open.pop(),
  })
  return root
}

export function elements(parent: XmlElement, name?: string): XmlElement[] {
  return parent.children.filter(
    (child): child is XmlElement => typeof child !== 'string' && (name === undefined || child.name === name),
  )
}

export function element(parent: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  let found = parent
  for (const name of path) found = found && elements(found, name)[0]
  return found
}

/** All elements of a name at any depth, in the order of the file. */
export function descendants(parent: XmlElement, name: string): XmlElement[] {
  const found: XmlElement[] = []
  for (const child of elements(parent)) {
    if (child.name === name) found.push(child)
    found.push(...descendants(child, name))
  }
  return found
}

export function textOf(parent: XmlElement): string {
  return parent.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('')
}

const local = (name: string) => name.slice(name.indexOf(':') + 1)
