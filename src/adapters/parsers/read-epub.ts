import { posix } from 'node:path'
import { parse as parseHtml } from 'parse5'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { decodeText } from './open-file.ts'
import { descendants, parseXml, type XmlElement } from './parse-xml.ts'
import { isLarge } from './picture-size.ts'
import { addHtml, alternativesIn } from './read-html.ts'
import { TextBuilder } from './text-builder.ts'
import { type Archive, openArchive } from './zip.ts'

/** The chapters of a book in the order in which it is read (EPUB 3.3, 5.7), and its pictures. */
export async function readEpub(file: OpenFile): Promise<Structure> {
  const archive = await openArchive(file)
  if (archive.names.includes('META-INF/rights.xml')) throw new ParseError('locked', 'The book is protected.')
  const path = (await part(archive, 'META-INF/container.xml', 'rootfile')).find((root) => root.attributes['full-path'])
  const book = path?.attributes['full-path'] ?? ''
  const items = await part(archive, book, 'item')
  const listed = (await part(archive, book, 'itemref')).map(({ attributes }) =>
    items.find((item) => item.attributes.id === attributes.idref),
  )
  const pages = items.filter((item) => item.attributes['media-type'] === 'application/xhtml+xml')
  const fileOf = ({ attributes: { href = '' } }: XmlElement) => within(book, href)
  const locked = await lockedIn(archive)
  const out = new TextBuilder()
  const alternatives = new Map<string, string>()
  // A damaged book does not say in which order it is read.
  for (const item of listed.some((each) => each !== undefined) ? listed : pages) {
    if (item && locked.has(fileOf(item))) throw new ParseError('locked', 'The book is protected.')
    const chapter = item && (await archive.read(fileOf(item)))
    if (!chapter) continue
    out.endSections()
    const page = parseHtml(decodeText(chapter).text)
    addHtml(page, out)
    for (const { source, text } of alternativesIn(page)) alternatives.set(within(fileOf(item), source), text)
  }
  const pictures = items.filter((item) => item.attributes['media-type']?.startsWith('image/')).map(fileOf)
  return out.structure('application/epub+zip', await picturesOf(archive, pictures, alternatives))
}

async function part(archive: Archive, name: string, elements: string): Promise<XmlElement[]> {
  const bytes = await archive.read(name)
  if (bytes === null) throw new ParseError('malformed', 'The book has no list of its chapters.')
  return descendants(parseXml(bytes), elements)
}

/** Files of a book that are encrypted. Fonts often are, and nobody reads them. */
async function lockedIn(archive: Archive): Promise<ReadonlySet<string>> {
  const bytes = await archive.read('META-INF/encryption.xml')
  const references = bytes ? descendants(parseXml(bytes), 'CipherReference') : []
  return new Set(references.map(({ attributes: { URI = '' } }) => unescaped(URI)))
}

/** The path of an address in a part of the book. */
const within = (part: string, href: string) => posix.normalize(posix.join(posix.dirname(part), unescaped(href)))

function unescaped(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}

async function picturesOf(
  archive: Archive,
  names: readonly string[],
  alternatives: ReadonlyMap<string, string>,
): Promise<Attachment[]> {
  const found: Attachment[] = []
  for (const name of new Set(names)) {
    const bytes = await archive.read(name)
    const alternative = alternatives.get(name)
    if (bytes && isLarge(bytes))
      found.push({ name: posix.basename(name), bytes, ...(alternative !== undefined && { alternative }) })
  }
  return found
}
