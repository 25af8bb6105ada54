import { decodeXML } from 'entities'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { readXmlText } from './parse-xml.ts'
import { oneLine, TextBuilder } from './text-builder.ts'
import { withoutInstructions } from './text-formats.ts'

/** XML by its text: a line for each value, a paragraph for each element with text. Nothing is expanded or fetched. */
export async function readXml(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const out = new TextBuilder()
  const lines: Line[] = []
  const open: Frame[] = []
  const flush = () => out.add(lines.splice(0).map(shown).join('\n'), 'data')
  readTokens(text, {
    open: (name, attributes) => {
      const parent = open.at(-1)
      if (parent) parent.isLeaf = false
      open.push({ name, from: lines.length, isLeaf: true, isMixed: false })
      for (const [, key = '', , value = ''] of attributes.matchAll(attribute)) {
        const read = oneLine(decoded(value))
        if (!isTechnical.test(key) && read !== '' && !isPacked(read))
          lines.push({ label: local(key), text: read, isValue: true })
      }
    },
    text: (part) => {
      const frame = open.at(-1)
      if (!frame || (part.trim() === '' && !frame.isMixed) || isPacked(part)) return
      frame.isMixed = true
      lines.push({ label: '', text: part, isValue: false })
    },
    close: () => {
      const frame = open.pop()
      if (frame?.isMixed) {
        const own = lines.splice(frame.from)
        const content = own.map((line) => (line.isValue ? '' : line.text)).join('')
        // Around an inline element, the text of its parent is one paragraph with it.
        lines.push({ label: frame.isLeaf ? local(frame.name) : '', text: content, isValue: false })
        if (frame.isLeaf) lines.push(...own.filter(({ isValue }) => isValue))
      }
      // A record, unless it stands within the text of the root.
      if (open.length <= 1 && open[0]?.isMixed !== true) flush()
    },
  })
  const { text: read, blocks } = out
  return { mime: 'application/xml', text: read, textIsFile: false, charset, blocks, units: [], attachments: [] }
}

const pageTag =
  /^\s*(<!--((?!-->).)*-->\s*)*<(p|div|span|section|article|main|header|table|[ou]l|dl|h[1-6]|head|body|pre|form|center)\b/is

/** Tags without a declaration: XML, else a part of a page, as templates have it. */
export async function readMarkup(file: OpenFile): Promise<Structure> {
  const { readHtml } = await import('./read-html.ts')
  if (pageTag.test(withoutInstructions(file.headText ?? ''))) return readHtml(file)
  try {
    return await readXml(file)
  } catch (error) {
    if (error instanceof ParseError && error.reason === 'malformed') return readHtml(file)
    throw error
  }
}

/** Bytes in base64, such as a picture in a book or a list of properties. */
const isPacked = (text: string): boolean =>
  text.length > 100 && /^\s*(data:[^,]*,)?([A-Za-z\d+/]{60,}\s+)*[A-Za-z\d+/]+={0,2}\s*$/.test(text.slice(0, 1_000))

interface Line {
  label: string
  text: string
  /** Of an attribute. */
  isValue: boolean
}

interface Frame {
  name: string
  /** Where its lines begin. */
  from: number
  isLeaf: boolean
  /** It has text of its own. */
  isMixed: boolean
}

const attribute = /([^\s=/"']+)\s*=\s*(["'])([^"']*)\2/g
/** Attributes that say how an element is read or shown. */
const isTechnical = /^(xmlns|xml:|xsi:|class$|style$)/

const local = (name: string) => name.slice(name.indexOf(':') + 1)
const decoded = (text: string) => (text.includes('&') ? decodeXML(text) : text)

const maxValue = 100

/** A value alone says little, a paragraph says enough. */
function shown({ label, text }: Line): string {
  const line = oneLine(text)
  return label !== '' && line.length <= maxValue ? `${label}: ${line}` : line
}

interface XmlTokens {
  open(name: string, attributes: string): void
  /** References to characters are decoded. Entities of the file's own stay as they are. */
  text(text: string): void
  close(): void
}

const name = /[^\s/>=<"'&]+/y

/** Errors: `malformed` unless tags are balanced around one root. */
function readTokens(text: string, events: XmlTokens): void {
  const open: string[] = []
  let roots = 0
  for (let at = text.indexOf('<'); at !== -1; ) {
    const special = skipped(text, at)
    let next = special ?? 0
    if (special !== null) {
      if (text.startsWith('<![CDATA[', at)) events.text(text.slice(at + 9, special - 3))
    } else {
      const closes = text[at + 1] === '/'
      name.lastIndex = at + (closes ? 2 : 1)
      const tag = name.exec(text)?.[0]
      const end = endOfTag(text, at + 1)
      if (tag === undefined || end === -1) throw malformed()
      if (closes) {
        if (open.pop() !== tag) throw malformed()
        events.close()
      } else {
        if (open.length === 0 && ++roots > 1) throw malformed()
        events.open(tag, text.slice(at + 1 + tag.length, end))
        if (text[end - 1] === '/') events.close()
        else open.push(tag)
      }
      next = end + 1
    }
    at = text.indexOf('<', next)
    const between = text.slice(next, at === -1 ? undefined : at)
    if (open.length > 0) events.text(decoded(between))
    else if (between.trim() !== '') throw malformed()
  }
  if (roots !== 1 || open.length > 0) throw malformed()
}

/** The end of a comment, a CDATA section, an instruction or a document type. */
function skipped(text: string, at: number): number | null {
  const after = (end: string, from: number) => {
    const found = text.indexOf(end, from)
    if (found === -1) throw malformed()
    return found + end.length
  }
  if (text.startsWith('<!--', at)) return after('-->', at + 4)
  if (text.startsWith('<![CDATA[', at)) return after(']]>', at + 9)
  if (text.startsWith('<?', at)) return after('?>', at + 2)
  if (!text.startsWith('<!', at)) return null
  const tag = endOfTag(text, at + 1)
  const subset = text.indexOf('[', at)
  if (subset === -1 || (tag !== -1 && tag < subset)) return tag === -1 ? after('>', at) : tag + 1
  return after('>', after(']', subset))
}

/** The `>` of a tag; one in a quoted value does not count. */
function endOfTag(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const character = text[i]
    if (character === '>') return i
    if (character === '<') return -1
    if (character !== '"' && character !== "'") continue
    i = text.indexOf(character, i + 1)
    if (i === -1) return -1
  }
  return -1
}

const malformed = () => new ParseError('malformed', 'The file is not well-formed XML.')

const texts = new Set(['title', 'desc', 'text', 'foreignObject'])

const isUndrawn = ({ display, visibility, style }: Readonly<Record<string, string>>) =>
  display === 'none' || visibility === 'hidden' || /(^|[;\s])(display:\s*none|visibility:\s*hidden)/.test(style ?? '')

/** What is written in a drawing: its title, its descriptions, its labels. */
export async function readSvg(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const out = new TextBuilder()
  let label = ''
  let inside = 0
  let left = 0
  readXmlText(text.replace(/<!DOCTYPE[^>[]*(\[[^\]]*\]\s*)?>/i, ''), {
    open: (name, attributes) => {
      // An element that is not drawn leaves out all that is in it.
      if (left > 0 || name === 'style' || name === 'script' || isUndrawn(attributes)) left++
      if (texts.has(name)) inside++
      // Parts of a label with a place of their own, and what a page in the drawing has on lines of its own.
      const isPlaced = name === 'tspan' && ['x', 'y', 'dx'].some((each) => Object.hasOwn(attributes, each))
      if (isPlaced || /^(div|p|li|br|td)$/.test(name)) label += ' '
    },
    text: (part) => {
      if (inside > 0 && left === 0) label += part
    },
    close: (name) => {
      if (left > 0) left--
      if (!texts.has(name) || --inside > 0) return
      out.add(oneLine(label), 'prose', '\n')
      label = ''
    },
  })
  return { ...out.structure('image/svg+xml'), charset }
}
