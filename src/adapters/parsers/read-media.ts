import ExifReader from 'exifreader'
import type { IAudioMetadata, ICommonTagsResult } from 'music-metadata'
import { parseLimits } from '../../model/parse-limits.ts'
import type { Locator, Metadata } from '../../model/unit.ts'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { type FileToParse, type PagePicture, type ParsedUnit, ParseError } from '../../ports/parser.ts'
import { pictureMime, pictureSize } from './picture-size.ts'

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

/** A recording is one Unit over its whole length. Its text is its name, its tags and its sidecar. */
export async function readRecording(file: OpenFile): Promise<Structure> {
  const { format, common } = await metadataOf(file)
  const { hasVideo = false, trackInfo } = format
  // A film without sound has it in its track.
  const duration = format.duration ?? trackInfo.find((track) => track.duration !== undefined)?.duration
  // A file that is cut off after its first bytes has neither.
  if (format.codec === undefined && duration === undefined) throw damaged()
  const modality = hasVideo ? 'video_shot' : 'audio_utterance'
  const place = { modality, media: 'recording', locator: wholeLength(duration) } as const
  const units = [{ ...place, ...described(file, tags(common)) }]
  const mime = mimeOf(format.container ?? '', hasVideo)
  return { mime, text: null, textIsFile: false, charset: null, blocks: [], units, attachments: [] }
}

/** `duration` in seconds; some streams do not say it. */
function wholeLength(duration: number | undefined): Locator | null {
  return duration === undefined ? null : { kind: 'time_range', tStartMs: 0, tEndMs: Math.round(duration * 1000) }
}

async function metadataOf({ path }: OpenFile): Promise<IAudioMetadata> {
  try {
    return await (await import('music-metadata')).parseFile(path, { skipCovers: true })
  } catch {
    throw damaged()
  }
}

const damaged = () => new ParseError('malformed', 'The recording is damaged.')

function tags(common: ICommonTagsResult): string[] {
  const { title, subtitle, artist, composer, album, genre, comment, description, keywords, lyrics } = common
  const names = [title, subtitle, artist, composer, album, genre?.join(', ')]
  const texts = [...(comment ?? []), ...(lyrics ?? [])].map((each) => each.text)
  return [...names, description, keywords, texts].flat().filter((tag) => tag !== undefined)
}

/** By the container that the library names; the first that fits. */
const containers: readonly [RegExp, string][] = [
  [/^wave/i, 'wav'],
  [/^flac/i, 'flac'],
  [/^ogg/i, 'ogg'],
  [/^aif/i, 'aiff'],
  [/^adts/i, 'aac'],
  [/webm/i, 'webm'],
  [/matroska|ebml/i, 'x-matroska'],
  [/^qt\b/i, 'quicktime'],
  [/mp4|m4a|isom|iso\d|avc1|dash/i, 'mp4'],
  [/^mpeg/i, 'mpeg'],
]

function mimeOf(container: string, hasVideo: boolean): string {
  const kind = containers.find(([pattern]) => pattern.test(container))?.[1]
  if (kind === undefined) return hasVideo ? 'video/mp4' : 'audio/mpeg'
  return `${hasVideo ? 'video' : 'audio'}/${kind}`
}

/** How a picture or a recording is found: by what is written about it. */
export interface Description {
  text: string | null
  title: string | null
  metadata: Metadata
}

const maxText = 100_000
const maxTitle = 1_024

/** The words of the file's name, what the file says about itself, and what its sidecar says, a line each. */
export function described({ name, sidecar }: FileToParse, own: readonly string[]): Description {
  const beside = readSidecar(sidecar)
  const lines = [nameWords(name), ...own, beside.text ?? ''].map((line) => line.replaceAll('\0', '').trim())
  const text = [...new Set(lines)].filter((line) => line !== '').join('\n')
  return { ...beside, text: text === '' ? null : text.slice(0, maxText) }
}

/** `trips/IMG_2034-sunsetAt beach.jpg`: IMG 2034 sunset At beach. */
function nameWords(name: string): string {
  const base = name.replace(/^.*[/\\#]/, '').replace(/\.[^.]+$/, '')
  return base
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[^\p{L}\p{N}\p{M}']+/gu, ' ')
    .trim()
}

/** JSON of `{text, title, metadata}`, or a text. */
function readSidecar(sidecar: string | null): Description {
  const none = { text: sidecar, title: null, metadata: {} }
  if (sidecar === null || !sidecar.trimStart().startsWith('{')) return none
  const value = parsed(sidecar)
  if (value === null) return none
  return {
    text: typeof value.text === 'string' ? value.text : null,
    title: typeof value.title === 'string' && value.title !== '' ? value.title.slice(0, maxTitle) : null,
    metadata: givenMetadata(value.metadata),
  }
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}

/** Values that a Unit may have; others are left out. */
function givenMetadata(value: unknown): Metadata {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter(
      ([, each]) =>
        typeof each === 'string' ||
        typeof each === 'boolean' ||
        (typeof each === 'number' && Math.abs(each) <= Number.MAX_SAFE_INTEGER) ||
        (Array.isArray(each) && each.every((item) => typeof item === 'string')),
    ),
  ) as Metadata
}

/** Where the directory of each page begins (TIFF 6.0, section 2), at most `max`. Reduced pictures of a page are left out. */
export function tiffPages(data: Buffer, max: number): number[] {
  const { short, long } = numbersOf(data)
  const pages: number[] = []
  const seen = new Set<number>()
  for (let at = long(4); at > 0 && at + 2 <= data.length && !seen.has(at) && pages.length < max; ) {
    seen.add(at)
    const next = at + 2 + 12 * short(at)
    if (next > data.length) break
    const kind = entryOf(data, at, newSubfileType)
    if (kind === null || (long(kind + 8) & 1) === 0) pages.push(at)
    at = next + 4 > data.length ? 0 : long(next)
  }
  return pages
}

/** The same file with this page as its first one: decoders read that. */
export function startingAt(data: Buffer, page: number): Buffer {
  const copy = Buffer.from(data)
  if (isLittle(data)) copy.writeUInt32LE(page, 4)
  else copy.writeUInt32BE(page, 4)
  return copy
}

const newSubfileType = 254

function entryOf(data: Buffer, directory: number, tag: number): number | null {
  const { short } = numbersOf(data)
  for (let i = 0; i < short(directory); i++) if (short(directory + 2 + 12 * i) === tag) return directory + 2 + 12 * i
  return null
}

const isLittle = (data: Buffer) => data[0] === 0x49

const numbersOf = (data: Buffer) => ({
  short: (at: number) => (isLittle(data) ? data.readUInt16LE(at) : data.readUInt16BE(at)),
  long: (at: number) => (isLittle(data) ? data.readUInt32LE(at) : data.readUInt32BE(at)),
})
