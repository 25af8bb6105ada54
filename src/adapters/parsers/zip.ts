import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { createInflateRaw, inflateRawSync } from 'node:zlib'
import { charsetOf } from '../../model/charset.ts'
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
  if (header.length < localHeader) throw damaged()
  if (entry.method !== 0 && entry.method !== 8)
    throw new ParseError('unsupported', 'The archive is packed in a way that is not supported.')
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
/** A version and a checksum of the other name, then the name in UTF-8. */
const unicodePath = 0x7075
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
  const field = extraField(extra, 1)
  let next = 0
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

/** The data of a field with this number beside an entry; empty where there is none. */
function extraField(extra: Buffer, id: number): Buffer {
  let field = extra
  while (field.length >= 4 && field.readUInt16LE(0) !== id) field = field.subarray(4 + field.readUInt16LE(2))
  return field.length < 4 ? Buffer.alloc(0) : field.subarray(4, 4 + field.readUInt16LE(2))
}

/** Code page 437 from 0x80 on, the one of DOS in the West. Those of its neighbours have most letters in the same places. */
const dosLetters =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'

/**
 * The names of files in an archive: UTF-8, unless an old program wrote them in the encoding of its machine, which they
 * show together. `isDos`: that may be one of DOS.
 */
export function decodeNames(names: readonly Buffer[], isDos: boolean): string[] {
  const other = names.filter((name) => !isUtf8(name))
  const lines = Buffer.concat(other.flatMap((name) => [name, Buffer.from('\n')]))
  const charset = charsetOf(lines) ?? 'windows-1252'
  const isLatin = isFewDosLetters.test(lines.toString('latin1')) || latinCharset.test(charset)
  const decoder = new TextDecoder(charset)
  return names.map((name) => {
    if (isUtf8(name)) return name.toString()
    return isDos && isLatin ? name.toString('latin1').replace(/[\x80-\xff]/g, dosLetter) : decoder.decode(name)
  })
}

/** Accented letters of code page 437 and ß, never three in a row: few bytes mislead the detector. */
const isFewDosLetters = /^(?:[\x80-\xa5\xe1]{0,2}[\0-\x7f])*$/
const latinCharset = /^(windows-125[02478]|iso-8859|macintosh|utf)/

const dosLetter = (letter: string) => dosLetters[letter.charCodeAt(0) - 0x80] ?? letter

function entriesOf(directory: Buffer, count: number): Entry[] | null {
  const entries: Omit<Entry, 'name'>[] = []
  const names: Buffer[] = []
  let isDos = false
  let at = 0
  while (at + 46 <= directory.length && directory.readUInt32LE(at) === entryMark) {
    if (entries.length === parseLimits.archiveEntries)
      throw new ParseError('too_large', 'The archive has more than 10,000 entries.')
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28)
    const extra = directory.subarray(nameEnd, nameEnd + directory.readUInt16LE(at + 30))
    const unicode = extraField(extra, unicodePath)
    names.push(unicode.length > 5 ? unicode.subarray(5) : directory.subarray(at + 46, nameEnd))
    isDos ||= directory[at + 5] === 0
    entries.push({
      method: directory.readUInt16LE(at + 10),
      encrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      ...largeNumbers(directory, at, extra),
    })
    at = nameEnd + extra.length + directory.readUInt16LE(at + 32)
  }
  // Old programs count more than 65,535 from 0 again.
  if (entries.length % 65_536 !== count % 65_536) return null
  const decoded = decodeNames(names, isDos)
  return entries.map((entry, i) => ({ ...entry, name: (decoded[i] ?? '').replaceAll('\\', '/') }))
}

/** Whether a file is a ZIP archive with this entry. */
export const hasEntry = (entry: string) => async (file: OpenFile) =>
  ((await readDirectory(file)) ?? []).some(({ name }) => name === entry)
