import { posix } from 'node:path'
import type { OpenFile } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { embeddedFile } from './ole.ts'
import { descendants, element, elements, parseXml, textOf, type XmlElement } from './parse-xml.ts'
import { isLarge } from './picture-size.ts'
import { oneLine } from './text-builder.ts'
import { type Archive, openArchive } from './zip.ts'

export const mimeOf = (kind: string) => `application/vnd.oasis.opendocument.${kind}`

const parts = ['content.xml', 'styles.xml', 'meta.xml']

/** A document that is one file of XML has content, styles and properties in it. */
const flat = (file: OpenFile): Archive => ({
  names: parts,
  read: async (name) => (parts.includes(name) ? file.readAll() : null),
  stream: (name) =>
    parts.includes(name)
      ? (async function* () {
          yield await file.readAll()
        })()
      : null,
})

/** Errors: `locked`, `malformed`. */
export async function openOdf(file: OpenFile): Promise<Archive> {
  if (file.headText?.trimStart().startsWith('<')) return flat(file)
  const archive = await openArchive(file)
  const manifest = await archive.read('META-INF/manifest.xml')
  if (manifest && Buffer.from(manifest).includes('encryption-data'))
    throw new ParseError('locked', 'The document opens only with a password.')
  if (!archive.names.includes('content.xml')) throw new ParseError('malformed', 'The file has no document in it.')
  return archive
}

export async function partOf(archive: Archive, name: string): Promise<XmlElement | null> {
  const bytes = await archive.read(name)
  return bytes && parseXml(bytes)
}

/** Of its properties; empty without one. */
export async function titleOf(archive: Archive): Promise<string> {
  const title = element((await partOf(archive, 'meta.xml')) ?? undefined, 'meta', 'title')
  return title ? oneLine(textOf(title)) : ''
}

/** Pictures from 64 pixels on, and files of other programs, which stand beside the content. */
export async function filesIn(archive: Archive, content: XmlElement | null = null): Promise<Attachment[]> {
  const found: Attachment[] = []
  const alternatives = new Map<string | undefined, string>()
  for (const frame of content ? descendants(content, 'frame') : [])
    for (const { attributes } of elements(frame, 'image')) alternatives.set(attributes['xlink:href'], described(frame))
  for (const name of archive.names) {
    const object = /^(Object|OLE)[^/]*$/i.test(name) ? await archive.read(name) : null
    const file = object && (await embeddedFile(object, name))
    if (file) found.push(file)
    if (!/^(Pictures|media|Media)\/[^/]+$/.test(name)) continue
    const bytes = await archive.read(name)
    const alternative = alternatives.get(name) ?? ''
    if (bytes && isLarge(bytes))
      found.push({ name: posix.basename(name), bytes, ...(alternative !== '' && { alternative }) })
  }
  return found
}

/** What an author wrote about a picture. */
export const described = (frame: XmlElement) =>
  oneLine(
    ['title', 'desc']
      .flatMap((name) => elements(frame, name))
      .map(textOf)
      .join(' '),
  )

export const repeat = (value: string | undefined, max: number) => Math.min(Math.max(1, Number(value ?? 1) || 1), max)
