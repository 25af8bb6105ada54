import { posix } from 'node:path'
import type { OpenFile } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { type Archive, openArchive } from './archive.ts'
import { descendants, elements, parseXml, type XmlElement } from './parse-xml.ts'
import { isLarge } from './picture-size.ts'

/** A part that another one points at. */
export interface Relation {
  id: string
  /** The last word of its type: `slide`, `image`, `footnotes`. */
  type: string
  /** Path of the part in the package. */
  part: string
}

/** A file of Office Open XML (ISO/IEC 29500-2): parts, and what points at what. */
export interface Package {
  /** The part that the others hang on: the document, the workbook, the presentation. */
  readonly main: string
  /** Null where there is no such part. */
  xml(part: string): Promise<XmlElement | null>
  bytes(part: string): Promise<Uint8Array | null>
  relations(part: string): Promise<Relation[]>
}

/** Errors: ParseError `malformed`, `locked`, `too_large`. */
export async function openPackage(file: OpenFile): Promise<Package> {
  const archive = await openArchive(file)
  const main = (await relationsOf(archive, '')).find(({ type }) => type === 'officeDocument')?.part
  if (main === undefined || !archive.names.includes(main))
    throw new ParseError('malformed', 'The file has no document in it.')
  return {
    main,
    bytes: (part) => archive.read(part),
    xml: async (part) => {
      const bytes = await archive.read(part)
      return bytes && parseXml(bytes)
    },
    relations: (part) => relationsOf(archive, part),
  }
}

async function relationsOf(archive: Archive, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part)
  const bytes = await archive.read(posix.join(folder, '_rels', `${posix.basename(part)}.rels`))
  if (bytes === null) return []
  return elements(parseXml(bytes), 'Relationship').flatMap(
    ({ attributes: { Id = '', Type = '', Target = '', TargetMode } }) =>
      TargetMode === 'External' ? [] : [{ id: Id, type: posix.basename(Type), part: resolved(folder, Target) }],
  )
}

const resolved = (folder: string, target: string) =>
  target.startsWith('/') ? target.slice(1) : posix.normalize(posix.join(folder, target))

/** A picture that a part shows, with what its author wrote in its place. */
export interface ShownPicture {
  /** Path of the part in the package. */
  part: string
  alternative: string
}

/** The pictures that a part has relations to. */
export function picturesIn(root: XmlElement | null, relations: readonly Relation[]): ShownPicture[] {
  const alternatives = root ? alternativesIn(root) : new Map<string, string>()
  return relations
    .filter(({ type }) => type === 'image')
    .map(({ id, part }) => ({ part, alternative: alternatives.get(id) ?? '' }))
}

/** By the id of the relation. Word wraps a picture in `inline` or `anchor`, the others in `pic`. */
function alternativesIn(root: XmlElement): Map<string, string> {
  const found = new Map<string, string>()
  for (const wrap of ['inline', 'anchor', 'pic'].flatMap((name) => descendants(root, name))) {
    const id = descendants(wrap, 'blip')[0]?.attributes['r:embed']
    const [properties] = [...descendants(wrap, 'docPr'), ...descendants(wrap, 'cNvPr')]
    const text = written(properties?.attributes.descr)
    if (id !== undefined && text !== '' && !found.has(id)) found.set(id, text)
  }
  return found
}

/** Programs fill it with the name of a file or a shape. */
export const written = (description = ''): string =>
  /\.(png|jpe?g|gif|bmp|emf|wmf|tiff?)$/i.test(description) ? '' : description.replace(/\s+/g, ' ').trim()

/** Pictures that can be looked at, once each, from 64 pixels on in both directions. */
export async function attachmentsOf(source: Package, pictures: readonly ShownPicture[]): Promise<Attachment[]> {
  const found: Attachment[] = []
  for (const [part, shown] of Map.groupBy(pictures, (picture) => picture.part)) {
    const bytes = await source.bytes(part)
    if (bytes === null || !isLarge(bytes)) continue
    const alternative = shown.find((picture) => picture.alternative !== '')?.alternative
    found.push({ name: posix.basename(part), bytes, ...(alternative !== undefined && { alternative }) })
  }
  return found
}
