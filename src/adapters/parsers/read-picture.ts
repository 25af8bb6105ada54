import ExifReader from 'exifreader'
import { parseLimits } from '../../model/parse-limits.ts'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { type PagePicture, type ParsedUnit, ParseError } from '../../ports/parser.ts'
import { type Description, described } from './described.ts'
import { pictureMime, pictureSize } from './picture-size.ts'
import { startingAt, tiffPages } from './tiff-pages.ts'

/** A picture is one Unit, and each page of a TIFF that has several. Its text is what is written about it: its name, its own descriptions, its sidecar. */
export async function readPicture(file: OpenFile): Promise<Structure> {
  const bytes = await file.readAll()
  const mime = pictureMime(file.head)
  if (mime === null || pictureSize(bytes) === null) throw new ParseError('malformed', 'The picture is damaged.')
  const locator = { kind: 'bbox', x: 0, y: 0, w: 1, h: 1 } as const
  const about = described(file, descriptions(bytes))
  const pages = mime === 'image/tiff' ? tiffPages(Buffer.from(bytes), parseLimits.pages + 1) : []
  if (pages.length > parseLimits.pages) throw new ParseError('too_large', 'The picture has more than 2,000 pages.')
  const units: ParsedUnit[] =
    pages.length > 1
      ? pages.map((_, i) => pageOf(i + 1, about))
      : [{ modality: 'image', media: 'picture', locator, ...about }]
  return { mime, text: null, textIsFile: false, charset: null, blocks: [], units, attachments: [] }
}

const pageOf = (page: number, { text, title, metadata }: Description): ParsedUnit => ({
  modality: 'doc_page',
  media: 'page',
  locator: { kind: 'bbox', page, x: 0, y: 0, w: 1, h: 1 },
  ...{ text, title, metadata: { ...metadata, page } },
})

/** The pages of a scan as pictures, one by one. They count from 1. */
export async function tiffPictures(file: OpenFile, pages: readonly number[]): Promise<(PagePicture | null)[]> {
  const data = Buffer.from(await file.readAll())
  const starts = tiffPages(data, parseLimits.pages)
  return pages.map((page) => {
    const start = starts[page - 1]
    if (start === undefined) return null
    return { mime: 'image/tiff', bytes: startingAt(data, start), box: { x: 0, y: 0, w: 1, h: 1 } }
  })
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
