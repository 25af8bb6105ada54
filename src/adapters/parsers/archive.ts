import { Readable } from 'node:stream'
import { createInflateRaw, inflateRawSync } from 'node:zlib'
import { parseLimits } from '../../model/parse-limits.ts'
import type { OpenFile } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { type Entry, readDirectory } from './archive-directory.ts'

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
