import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { parseLimits } from '../../model/parse-limits.ts'
import type { OpenFile, PackedFile, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { decodeNames, openArchive } from './zip.ts'

/** The files in an archive are documents of their own, by their paths. */
const archiveOf = (mime: string, files: AsyncIterable<PackedFile>): Structure => ({
  ...{ mime, text: null, textIsFile: false, charset: null, blocks: [], units: [], attachments: [] },
  members: withPaths(files),
})

async function* withPaths(files: AsyncIterable<PackedFile>): AsyncGenerator<PackedFile> {
  for await (const { name, content } of files) {
    const path = pathOf(name)
    if (path !== null) yield { name: path, content }
  }
}

/** A path that stays below the archive. Null for what programs leave there for themselves. */
function pathOf(name: string): string | null {
  const parts = name
    .replace(/^[A-Za-z]:/, '')
    .split(/[/\\]+/)
    .filter((part) => part !== '' && part !== '.' && part !== '..')
  const isOwn =
    parts.some((part) => part === '__MACOSX' || part === '.git') || /^(\.DS_Store|Thumbs\.db)$/.test(parts.at(-1) ?? '')
  return parts.length === 0 || isOwn || /[/\\]$/.test(name) ? null : parts.join('/')
}

export const readZip = async (file: OpenFile): Promise<Structure> => archiveOf('application/zip', filesOfZip(file))

async function* filesOfZip(file: OpenFile): AsyncGenerator<PackedFile> {
  const archive = await openArchive(file)
  for (const name of archive.names) yield { name, content: unlocked(archive.stream(name) ?? []) }
}

async function* unlocked(content: AsyncIterable<Uint8Array> | []): AsyncGenerator<Uint8Array> {
  try {
    yield* content
  } catch (error) {
    if (error instanceof ParseError && error.reason === 'locked')
      throw new ParseError('unsupported', 'Archives with a password are not supported.')
    throw error
  }
}

/** One packed file, or an archive of files. */
export async function readGzip(file: OpenFile): Promise<Structure> {
  const pieces = new Pieces(unpacked(file))
  const name = file.name.replace(/^.*[/\\#]/, '').replace(/\.(t?)gz$/i, (_, tar: string) => (tar === '' ? '' : '.tar'))
  const files = isTar(await pieces.see(blockBytes)) ? filesOfTar(pieces) : one(name === '' ? 'content' : name, pieces)
  return archiveOf('application/gzip', files)
}

async function* one(name: string, pieces: Pieces): AsyncGenerator<PackedFile> {
  yield { name, content: pieces.pass(Number.POSITIVE_INFINITY) }
}

async function* unpacked(file: OpenFile): AsyncGenerator<Uint8Array> {
  let length = 0
  try {
    for await (const piece of pipeline(Readable.from(piecesOf(file)), createGunzip(), () => undefined)) {
      length += piece.length
      if (length > parseLimits.unpackedBytes) break
      yield piece
    }
  } catch {
    throw damaged()
  }
  if (length > parseLimits.unpackedBytes) throw new ParseError('too_large', 'The file unpacks to more than 256 MiB.')
}

const pieceBytes = 256 * 1024

async function* piecesOf(file: OpenFile): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += pieceBytes) yield await file.read(at, pieceBytes)
}

export async function readTar(file: OpenFile): Promise<Structure> {
  if (file.size > parseLimits.unpackedBytes) throw new ParseError('too_large', 'The file is larger than 256 MiB.')
  return archiveOf('application/x-tar', filesOfTar(new Pieces(piecesOf(file))))
}

const damaged = () => new ParseError('malformed', 'The archive is damaged.')

/** Bytes in the order in which they come, in any amounts. */
class Pieces {
  readonly #source: AsyncIterator<Uint8Array>
  #held: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** The next bytes, which stay; fewer at the end. */
  async see(count: number): Promise<Buffer> {
    while (this.#held.length < count && (await this.#fill()));
    return this.#held.subarray(0, count)
  }

  /** The next bytes; fewer at the end. */
  async take(count: number): Promise<Buffer> {
    const taken = await this.see(count)
    this.#held = this.#held.subarray(taken.length)
    return taken
  }

  /** The same a piece at a time. */
  async *pass(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0 && (this.#held.length > 0 || (await this.#fill())); ) {
      const piece = this.#held.subarray(0, left)
      this.#held = this.#held.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  async #fill(): Promise<boolean> {
    const { value, done } = await this.#source.next()
    if (!done) this.#held = this.#held.length === 0 ? Buffer.from(value) : Buffer.concat([this.#held, value])
    return !done
  }
}

const blockBytes = 512

/** Whether bytes begin with a header of tar: by its mark, or before POSIX by the sum of its bytes. */
export function isTar(head: Uint8Array): boolean {
  const header = Buffer.from(head.subarray(0, blockBytes))
  if (header.length < blockBytes || header[0] === 0) return false
  if (header.toString('latin1', 257, 262) === 'ustar') return true
  const sum = header.reduce((all, byte, i) => all + (i >= 148 && i < 156 ? 32 : byte), 0)
  return sum === Number.parseInt(header.toString('latin1', 148, 156).replace(/\0.*$/s, '').trim(), 8)
}

/** A longer name is none. */
const maxNameBytes = 64 * 1024

/** The regular files (POSIX.1-2017, pax, "ustar Interchange Format"), with the long names of pax and GNU. */
async function* filesOfTar(pieces: Pieces): AsyncGenerator<PackedFile> {
  let long = ''
  for (;;) {
    const header = await pieces.take(blockBytes)
    if (header.length === 0 || header[0] === 0) return
    const text = (from: number, to: number) => header.toString('latin1', from, to).replace(/\0.*$/s, '')
    const size = Number.parseInt(text(124, 136).trim() || '0', 8)
    if (!isTar(header) || !(size >= 0)) throw damaged()
    const kind = text(156, 157)
    let left = size
    const content = async function* () {
      for await (const piece of pieces.pass(left)) {
        left -= piece.length
        yield piece
      }
      if (left > 0) throw damaged()
    }
    if (kind === 'L' || kind === 'x') {
      if (size > maxNameBytes) throw damaged()
      const name = (await pieces.take(size)).toString('latin1')
      left -= size
      long = kind === 'L' ? name.replace(/\0.*$/s, '') : (/^\d+ path=(.*)$/m.exec(name)?.[1] ?? long)
    } else {
      const prefix = text(345, 500)
      const raw = long || (prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`)
      const [name = ''] = decodeNames([Buffer.from(raw, 'latin1')], false)
      if ((kind === '' || kind === '0') && size > 0) yield { name, content: content() }
      long = ''
    }
    // What nobody has read, and what fills the last block.
    for await (const _ of content());
    await pieces.take((blockBytes - (size % blockBytes)) % blockBytes)
  }
}

/** Each message of a mail store (RFC 4155) is a document of its own, in the order of the file. */
export async function readMbox(file: OpenFile): Promise<Structure> {
  if (file.size > parseLimits.unpackedBytes) throw new ParseError('too_large', 'The file is larger than 256 MiB.')
  return archiveOf('application/mbox', messagesOf(file))
}

async function* messagesOf(file: OpenFile): AsyncGenerator<PackedFile> {
  let count = 0
  for (let start = 0; start < file.size; ) {
    const next = await nextMessage(file, start)
    const first = Buffer.from(await file.read(start, Math.min(startBytes, next - start))).toString('latin1')
    // Without header fields it is a text.
    const kind = hasFields(first) ? 'eml' : 'txt'
    yield { name: `message-${++count}.${kind}`, content: unquoted(file, start, next) }
    start = next
  }
}

/** So much is looked at to tell where a message begins. */
const startBytes = 2_000
const hasFields = (start: string) => /^From [^\n]*\n[A-Za-z][\w-]*:/.test(start)
const isDated = (start: string) =>
  /^From \S+ +[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} [^\n]*\d{4}\r?\n/.test(start)
const isMessage = (start: string) => hasFields(start) || isDated(start)

/** One message may be saved with that line, too. */
export const isMbox = ({ headText, extension }: OpenFile): boolean =>
  extension !== 'eml' && isMessage((headText ?? '').slice(0, startBytes))

/** The next line `From …` after an empty line that header fields follow, or that has a date. */
async function nextMessage(file: OpenFile, from: number): Promise<number> {
  for (let at = from; at < file.size; at += pieceBytes) {
    const piece = Buffer.from(await file.read(at, pieceBytes + startBytes)).toString('latin1')
    for (const { index } of piece.matchAll(/(?<=\n\r?\n)From /g))
      if (index < pieceBytes + 3 && isMessage(piece.slice(index, index + startBytes))) return at + index
  }
  return file.size
}

/** A message without its line `From …`. Lines in it that begin so have a mark before it. */
async function* unquoted(file: OpenFile, start: number, end: number): AsyncGenerator<Uint8Array> {
  const head = Buffer.from(await file.read(start, Math.min(startBytes, end - start)))
  for (let at = start + head.indexOf('\n') + 1; at < end; ) {
    const piece = Buffer.from(await file.read(at, Math.min(pieceBytes, end - at)))
    // The next piece begins with a line break, so that the mark of its first line is found.
    const whole = at + piece.length < end ? piece.lastIndexOf('\n') : 0
    const lines = whole > 0 ? piece.subarray(0, whole) : piece
    at += lines.length
    yield lines.includes('\n>')
      ? Buffer.from(lines.toString('latin1').replace(/(?<=\n)>(>*From )/g, '$1'), 'latin1')
      : lines
  }
}
