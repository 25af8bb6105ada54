import { posix } from 'node:path'
import type { Attachment } from '../../../ports/parser.ts'
import { isLarge } from '../picture/size.ts'
import { descendants, type XmlElement } from '../xml-tree/parse-xml.ts'
import type { Package, Relation } from './package.ts'

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
