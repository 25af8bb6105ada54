import { posix } from 'node:path'
import type { OpenFile } from '../../../ports/format.ts'
import { ParseError } from '../../../ports/parser.ts'
import { type Archive, openArchive } from '../archive/archive.ts'
import { elements, parseXml, type XmlElement } from '../xml-tree/parse-xml.ts'

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
