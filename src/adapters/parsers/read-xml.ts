import type { Block, OpenFile, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'

/** XML in chunks that end with elements. Nothing is expanded or fetched. */
export async function readXml(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const ends = elementEnds(text)
  const blocks = [...ends, text.length].map(
    (end, i): Block => ({ kind: 'data', start: ends[i - 1] ?? 0, end, headings: [] }),
  )
  return { mime: 'application/xml', text, textIsFile: true, charset, blocks, units: [], attachments: [] }
}

const name = /[^\s/>=<"'&]+/y

/**
 * Where the elements below the root end. Errors: `malformed` unless tags are balanced around one root. Entities are
 * not expanded.
 */
export function elementEnds(text: string): number[] {
  const ends: number[] = []
  const open: string[] = []
  let roots = 0
  for (let at = text.indexOf('<'); at !== -1; ) {
    const special = skipped(text, at)
    let next = special
    if (special === null) {
      const closes = text[at + 1] === '/'
      name.lastIndex = at + (closes ? 2 : 1)
      const tag = name.exec(text)?.[0]
      const end = endOfTag(text, at + 1)
      if (tag === undefined || end === -1) throw malformed()
      if (closes) {
        if (open.pop() !== tag) throw malformed()
      } else {
        if (open.length === 0 && ++roots > 1) throw malformed()
        if (text[end - 1] !== '/') open.push(tag)
      }
      next = end + 1
      if ((closes || text[end - 1] === '/') && open.length <= 2) ends.push(next)
    }
    at = text.indexOf('<', next ?? text.length)
    if (open.length === 0 && text.slice(next ?? 0, at === -1 ? undefined : at).trim() !== '') throw malformed()
  }
  if (roots !== 1 || open.length > 0) throw malformed()
  return ends
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
