import { Readable } from 'node:stream'
import { createInflateRaw, inflateRawSync } from 'node:zlib'
import { parseLimits } from '../../model/parse-limits.ts'
import type { OpenFile } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'

/** The files of a ZIP archive, unpacked one by one when they are read. */
export interface Archive {
  readonly names: readonly string[]
  /** Null where there is no such file. Errors: ParseError `malformed`, `locked`, `too_large`. */
  read(name: string): Promise<Uint8Array | null>
  /** The same a piece at a time. */
  stream(name: string): AsyncIterable<Uint8Array> | null
}

const localHeader = 30

/** Errors: ParseError `malformed` where the file isn't a ZIP archive, `too_large`. */
export async function openArchive(file: OpenFile): Promise<Archive> {
  const entries = await readDirectory(file)
  if (entries === null) throw damaged()
  const byName = new Map(entries.map((entry) => [entry.name, entry]))
  // What is written in the directory is checked first, what comes out of it while it is unpacked.
  let left: number = parseLimits.unpackedBytes
  if (entries.reduce((sum, entry) => sum + entry.unpacked, 0) > left) throw tooLarge()
  return {
    names: [...byName.keys()],
    read: async (name) => {
      const entry = byName.get(name)
      if (entry === undefined) return null
      const bytes = await unpack(file, entry, left)
      left -= bytes.length
      if (left < 0) throw tooLarge()
      return bytes
    },
    stream: (name) => {
      const entry = byName.get(name)
      return entry ? counted(unpacked(file, entry)) : null
    },
  }

  async function* counted(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      left -= piece.length
      if (left < 0) throw tooLarge()
      yield piece
    }
  }
}

/** Where the packed bytes of an entry start. */
async function startOf(file: OpenFile, entry: Entry): Promise<number> {
  if (entry.encrypted) throw new ParseError('locked', 'The file opens only with a password.')
  const header = Buffer.from(await file.read(entry.offset, localHeader))
  const start = entry.offset + localHeader
  if (header.length < localHeader || (entry.method !== 0 && entry.method !== 8)) throw damaged()
  const packed = start + header.readUInt16LE(26) + header.readUInt16LE(28)
  if (packed + entry.packed > file.size) throw damaged()
  return packed
}

async function unpack(file: OpenFile, entry: Entry, max: number): Promise<Uint8Array> {
  const packed = await file.read(await startOf(file, entry), entry.packed)
  if (entry.method === 0) return packed
  if (max <= 0) throw tooLarge()
  try {
    return inflateRawSync(packed, { maxOutputLength: max })
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : damaged()
  }
}

const pieceBytes = 256 * 1024

async function* unpacked(file: OpenFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const start = await startOf(file, entry)
  const packed = async function* () {
    for (let at = 0; at < entry.packed; at += pieceBytes)
      yield await file.read(start + at, Math.min(pieceBytes, entry.packed - at))
  }
  if (entry.method === 0) return yield* packed()
  const unpacked = Readable.from(packed()).pipe(createInflateRaw({ chunkSize: pieceBytes }))
  try {
    yield* unpacked
  } catch {
    throw damaged()
  }
}

const damaged = () => new ParseError('malformed', 'The file is damaged.')
const tooLarge = () => new ParseError('too_large', 'The file unpacks to more than 256 MiB.')

/** A file inside a ZIP archive, by its central directory (PKWARE APPNOTE 6.3.10, section 4.3.12). Sizes in bytes. */
export interface Entry {
  name: string
  /** 0 stored, 8 deflated. */
  method: number
  encrypted: boolean
  packed: number
  unpacked: number
  /** Where its local header begins in the archive. */
  offset: number
}

const endMark = 0x06054b50
const entryMark = 0x02014b50
const endBytes = 22
const maxComment = 65_535

/** The entries of a ZIP archive, or null where the file isn't one. Errors: `too_large` for more than 10,000 entries. */
export async function readDirectory(file: Pick<OpenFile, 'head' | 'size' | 'read'>): Promise<Entry[] | null> {
  if (file.head[0] !== 0x50 || file.head[1] !== 0x4b) return null
  const tailAt = Math.max(0, file.size - endBytes - maxComment)
  const tail = Buffer.from(await file.read(tailAt, file.size - tailAt))
  const at = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (at < 0 || at + endBytes > tail.length || tail.readUInt32LE(at) !== endMark) return null
  const end = (await largeEnd(file, tail, at)) ?? {
    count: tail.readUInt16LE(at + 10),
    bytes: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  }
  const { count, bytes, offset } = end
  if (count > parseLimits.archiveEntries) throw new ParseError('too_large', 'The archive has more than 10,000 entries.')
  if (offset + bytes > file.size) return null
  return entriesOf(Buffer.from(await file.read(offset, bytes)), count)
}

/** The end of a directory with numbers beyond 32 bits (ZIP64), which a locator before the usual end points at. */
async function largeEnd(file: Pick<OpenFile, 'read'>, tail: Buffer, at: number) {
  if (at < 20 || tail.readUInt32LE(at - 20) !== 0x07064b50) return null
  const record = Buffer.from(await file.read(Number(tail.readBigUInt64LE(at - 12)), 56))
  if (record.length < 56 || record.readUInt32LE(0) !== 0x06064b50) return null
  const number = (place: number) => Number(record.readBigUInt64LE(place))
  return { count: number(32), bytes: number(40), offset: number(48) }
}

/** Sizes and offset of an entry; those beyond 32 bits stand in an extra field, in this order. */
function largeNumbers(directory: Buffer, at: number, extra: Buffer) {
  let field = extra
  while (field.length >= 4 && field.readUInt16LE(0) !== 1) field = field.subarray(4 + field.readUInt16LE(2))
  let next = 4
  const number = (place: number) => {
    const short = directory.readUInt32LE(at + place)
    if (short !== 0xffffffff || next + 8 > field.length) return short
    next += 8
    return Number(field.readBigUInt64LE(next - 8))
  }
  const unpacked = number(24)
  const packed = number(20)
  return { unpacked, packed, offset: number(42) }
}

/** In UTF-8, unless an old program wrote it in the encoding of its machine. */
function nameOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return bytes.toString('latin1')
  }
}

function entriesOf(directory: Buffer, count: number): Entry[] | null {
  const entries: Entry[] = []
  let at = 0
  while (entries.length < count) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== entryMark) return null
    const nameBytes = directory.readUInt16LE(at + 28)
    const extraBytes = directory.readUInt16LE(at + 30)
    entries.push({
      name: nameOf(directory.subarray(at + 46, at + 46 + nameBytes)).replaceAll('\\', '/'),
      method: directory.readUInt16LE(at + 10),
      encrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      ...largeNumbers(directory, at, directory.subarray(at + 46 + nameBytes, at + 46 + nameBytes + extraBytes)),
    })
    at += 46 + nameBytes + extraBytes + directory.readUInt16LE(at + 32)
  }
  return entries
}

/** Whether a file is a ZIP archive with this entry. */
export const hasEntry = (entry: string) => async (file: OpenFile) =>
  ((await readDirectory(file)) ?? []).some(({ name }) => name === entry)
