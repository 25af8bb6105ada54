import { charsetOfPage } from '../../model/charset.ts'
import { parseLimits } from '../../model/parse-limits.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { isLarge } from './picture-size.ts'
import { oneLine } from './text-builder.ts'

/** A compound file (MS-CFB): streams by their path. */
export interface CompoundFile {
  /** Paths such as `/WordDocument`, in the order of the file. */
  readonly paths: readonly string[]
  has(path: string): boolean
  stream(path: string): Uint8Array | null
  /** Of its properties; empty without one. */
  title(): string
}

/** What the library does not declare. */
interface Library {
  read(bytes: Buffer, options: { type: 'buffer' }): Container
  write(file: Container, options: { type: 'buffer' }): Buffer
  utils: {
    cfb_new(): Container
    cfb_add(file: Container, path: string, content: Buffer): void
  }
}

interface Container {
  FullPaths: string[]
  FileIndex: { content?: ArrayLike<number> }[]
}

export const isCompound = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(0, 8)).toString('hex') === 'd0cf11e0a1b11ae1'

export const isTnef = (head: Uint8Array): boolean => Buffer.from(head.subarray(0, 4)).toString('hex') === '789f3e22'

/** Errors: ParseError `malformed`. */
export async function openCompound(bytes: Uint8Array): Promise<CompoundFile> {
  const { CFB }: { CFB: Library } = await import('@e965/xlsx')
  try {
    const file = CFB.read(Buffer.from(bytes), { type: 'buffer' })
    const paths = file.FullPaths.map((path) => path.replace(/^[^/]*/, ''))
    // Programs write the names in capitals or not.
    const contents = new Map(paths.map((path, i) => [path.toLowerCase(), file.FileIndex[i]?.content]))
    const stream = (path: string) => {
      const content = contents.get(path.toLowerCase())
      return content ? Uint8Array.from(content) : null
    }
    const title = () => titleIn(Buffer.from(stream('/\u0005SummaryInformation') ?? []))
    return { paths, has: (path) => contents.has(path.toLowerCase()), stream, title }
  } catch {
    throw new ParseError('malformed', 'The file is damaged.')
  }
}

/** The property 2 of a set of them, in the encoding of the property 1 (MS-OLEPS 2.21). */
function titleIn(set: Buffer): string {
  try {
    const start = set.readUInt32LE(44)
    const count = Math.min(set.readUInt32LE(start + 4), 100)
    const places = new Map(
      Array.from({ length: count }, (_, i) => {
        const at = start + 8 + 8 * i
        return [set.readUInt32LE(at), start + set.readUInt32LE(at + 4)]
      }),
    )
    const [page, at] = [places.get(1), places.get(2)]
    if (at === undefined) return ''
    const length = set.readUInt32LE(at + 4)
    const [bytes, charset] =
      set.readUInt32LE(at) === wideString
        ? [2 * length, 'utf-16le']
        : [length, charsetOfPage(page === undefined ? 1252 : set.readUInt16LE(page + 4))]
    const text = new TextDecoder(charset).decode(set.subarray(at + 8, at + 8 + bytes))
    return oneLine(text.replace(/\0.*/s, ''))
  } catch (error) {
    if (error instanceof RangeError) return ''
    throw error
  }
}

const wideString = 31

/** The streams that make a compound file what it is, and the extension of such files. */
const kinds = [
  ['/WordDocument', 'doc'],
  ['/Workbook', 'xls'],
  ['/Book', 'xls'],
  ['/PowerPoint Document', 'ppt'],
  ['/__properties_version1.0', 'msg'],
] as const

const kindOf = (file: CompoundFile): string | null => kinds.find(([path]) => file.has(path))?.[1] ?? null

/** The file in an OLE object (MS-OLEDS 2.3.6): one of another program, or an Office document. Null where there is none. */
export async function embeddedFile(bytes: Uint8Array, part: string): Promise<Attachment | null> {
  if (!isCompound(bytes)) return null
  try {
    const object = await openCompound(bytes)
    const native = object.stream('/\u0001Ole10Native')
    if (native) return nativeFile(Buffer.from(native))
    const whole = object.stream('/Package') ?? object.stream('/CONTENTS')
    const base = part.replace(/\.[^.]*$/, '')
    if (whole) return { name: base, bytes: whole }
    const kind = kindOf(object)
    return kind === null ? null : { name: `${base}.${kind}`, bytes }
  } catch {
    return null
  }
}

/** The files that stand in a document of an old format: one for each storage that holds one. */
export async function embeddedObjects(bytes: Uint8Array): Promise<Attachment[]> {
  if (!isCompound(bytes)) return []
  const document = await openCompound(bytes)
  const { CFB }: { CFB: Library } = await import('@e965/xlsx')
  const storages = Map.groupBy(
    document.paths.filter((path) => path.lastIndexOf('/') > 0 && !path.endsWith('/')),
    (path) => path.slice(0, path.lastIndexOf('/')),
  )
  const found: Attachment[] = []
  for (const [storage, paths] of storages) {
    const object = CFB.utils.cfb_new()
    for (const path of paths)
      CFB.utils.cfb_add(object, path.slice(storage.length), Buffer.from(document.stream(path) ?? []))
    const file = await embeddedFile(CFB.write(object, { type: 'buffer' }), `object-${found.length + 1}.bin`)
    if (file) found.push(file)
  }
  return found
}

/** Instances of records that hold a JPEG or PNG, and their types (MS-ODRAW 2.2.27, 2.2.28). The odd ones have a second checksum. */
const [blipInstances, blipTypes] = [new Set([0x46a, 0x46b, 0x6e0, 0x6e1, 0x6e2, 0x6e3]), [0x1d, 0x1e, 0x2a]]

/**
 * The pictures from 64 pixels on in the streams of a document of an old format, once each, with its other files. As many as may stand in
 * one: without them it can still be read.
 */
export function withPictures(streams: readonly (Uint8Array | null)[], files: readonly Attachment[]): Attachment[] {
  const found = new Map<string, Attachment>()
  for (const stream of streams) {
    const data = Buffer.from(stream ?? [])
    const starts = blipTypes.flatMap((type) => placesOf(data, Buffer.from([type, 0xf0])))
    for (const at of starts.toSorted((a, b) => a - b)) {
      const [head, size] =
        at >= 2 && at + 6 <= data.length ? [data.readUInt16LE(at - 2), data.readUInt32LE(at + 2)] : [0, 0]
      if ((head & 0xf) !== 0 || !blipInstances.has(head >>> 4)) continue
      const start = at + 6
      const bytes = data.subarray(start + (((head >>> 4) & 1) === 1 ? 33 : 17), start + size)
      const checksum = data.toString('hex', start, start + 16)
      if (start + size > data.length || found.has(checksum) || !isLarge(bytes)) continue
      found.set(checksum, { name: `picture-${found.size + 1}.${bytes[0] === 0x89 ? 'png' : 'jpg'}`, bytes })
    }
  }
  return [...found.values()].slice(0, Math.max(0, parseLimits.attachments - files.length)).concat(files)
}

function placesOf(data: Buffer, bytes: Buffer): number[] {
  const places: number[] = []
  for (let at = data.indexOf(bytes); at >= 0; at = data.indexOf(bytes, at + 1)) places.push(at)
  return places
}

/** An object as old programs and RTF write it (MS-OLEDS 2.2.5): the name of its class, then its data. */
export async function packagedObject(object: Buffer, name: string): Promise<Attachment | null> {
  try {
    let at = 8
    // Class, topic and item.
    for (let i = 0; i < 3; i++) at += 4 + object.readUInt32LE(at)
    const data = object.subarray(at + 4, at + 4 + object.readUInt32LE(at))
    return isCompound(data)
      ? await embeddedFile(data, `${name}.bin`)
      : nativeFile(Buffer.concat([Buffer.alloc(4), data]))
  } catch {
    return null
  }
}

/** Two bytes, then its label and its path, each ended by a zero, then where it was, and the file itself. */
function nativeFile(data: Buffer): Attachment | null {
  let at = 6
  const string = () => {
    const end = data.indexOf(0, at)
    if (end === -1) throw new Error('cut off')
    const text = data.toString('latin1', at, end)
    at = end + 1
    return text
  }
  const label = string()
  const path = string()
  at += 4
  at += 4 + data.readUInt32LE(at)
  const size = data.readUInt32LE(at)
  const bytes = data.subarray(at + 4, at + 4 + size)
  const name = (label || path).replace(/^.*[/\\]/, '')
  return bytes.length === 0 || bytes.length < size ? null : { name: name || 'object', bytes }
}
