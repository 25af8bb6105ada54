import ExifReader from 'exifreader'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { described } from './described.ts'
import { pictureMime, pictureSize } from './picture-size.ts'

/** A picture is one Unit. Its text is what is written about it: its name, its own descriptions, its sidecar. */
export async function readPicture(file: OpenFile): Promise<Structure> {
  const bytes = await file.readAll()
  const mime = pictureMime(file.head)
  if (mime === null || pictureSize(bytes) === null) throw new ParseError('malformed', 'The picture is damaged.')
  const locator = { kind: 'bbox', x: 0, y: 0, w: 1, h: 1 } as const
  const units = [{ modality: 'image', media: 'picture', locator, ...described(file, descriptions(bytes)) } as const]
  return { mime, text: null, textIsFile: false, charset: null, blocks: [], units, attachments: [] }
}

/** Names of EXIF, IPTC, XMP and PNG for what people write about a picture. */
const written = new Set(
  (
    'imagedescription usercomment xptitle xpcomment xpsubject xpkeywords title description headline subject keywords ' +
    'caption/abstract caption objectname comment label alttextaccessibility extdescraccessibility'
  ).split(' '),
)

function descriptions(bytes: Uint8Array): string[] {
  const found: string[] = []
  for (const group of Object.values(tagsOf(bytes))) {
    if (typeof group !== 'object' || group === null) continue
    for (const [name, tag] of Object.entries(group as Record<string, unknown>)) {
      if (!written.has(name.toLowerCase().replace(/[\s_-]/g, ''))) continue
      for (const each of Array.isArray(tag) ? tag : [tag]) {
        const text = (each as { description?: unknown } | null)?.description
        if (typeof text === 'string' && /[\p{L}\p{N}]/u.test(text) && !/^\[.*\]$/.test(text)) found.push(text)
      }
    }
  }
  return [...new Set(found)]
}

/** A picture whose descriptions are damaged can still be looked at. */
function tagsOf(bytes: Uint8Array): object {
  try {
    return ExifReader.load(Buffer.from(bytes), { expanded: true })
  } catch {
    return {}
  }
}
