import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createInflateRaw } from 'node:zlib'
import { RefusedError } from '../../model/operator-error.ts'

/** A file in a ZIP archive. Sizes and offsets in bytes. */
interface ZipEntry {
  name: string
  /** 0 stored, 8 deflated. */
  method: number
  encrypted: boolean
  packed: number
  unpacked: number
  /** Where its local header begins. */
  offset: number
}

interface ZipFile {
  head: Uint8Array
  size: number
  read(offset: number, length: number): Promise<Uint8Array>
}

/** Null where the file is not a ZIP archive. */
export type ReadZipDirectory = (file: ZipFile) => Promise<ZipEntry[] | null>

export interface UnpackOptions {
  zipDirectory: ReadZipDirectory
  /** Of all unpacked files together. */
  maxBytes: number
  /** Which files to unpack; all by default. */
  wanted?: (name: string) => boolean
}

const maxFiles = 10_000

/**
 * Unpacks a ZIP or tar archive, compressed or not, into a folder, and returns the names of its files. Its content decides
 * what it is. Throws a RefusedError for another file, a damaged one, and one that holds too much or unsafe names.
 */
export async function unpack(archive: string, to: string, options: UnpackOptions): Promise<string[]> {
  await mkdir(to)
  const write = writerInto(to, options)
  const head = await headOf(archive)
  try {
    if (head.startsWith('504b')) await unpackZip(archive, options.zipDirectory, write)
    else if (head.startsWith('1f8b')) await unpackTar(createReadStream(archive).pipe(createGunzip()), write)
    else await unpackTar(createReadStream(archive), write)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw /^Z_|^ERR_/.test(code) ? damaged() : error
  }
  return write.names
}

const damaged = () => new RefusedError('the file is damaged, or not a ZIP or tar archive')

async function headOf(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.toString('hex', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

type Write = ReturnType<typeof writerInto>

function writerInto(folder: string, { maxBytes, wanted = () => true }: UnpackOptions) {
  const names: string[] = []
  let left = maxBytes
  const check = (name: string, bytes: number) => {
    if (name.startsWith('/') || name.includes('\\') || /^[a-z]:/i.test(name) || name.split('/').includes('..')) {
      throw new RefusedError(`the archive has a file outside of itself: ${JSON.stringify(name)}`)
    }
    if (names.length >= maxFiles || bytes > left) throw tooMuch(maxBytes)
  }
  return {
    names,
    /** False for what is not wanted: its bytes are still to be read over. */
    wants: (name: string, bytes: number): boolean => {
      check(name, bytes)
      return wanted(name)
    },
    file: async (name: string, content: Readable, ...through: Transform[]): Promise<void> => {
      const path = join(folder, name)
      await mkdir(dirname(path), { recursive: true })
      const count = new Transform({
        transform: (chunk: Buffer, _, done) => {
          left -= chunk.length
          done(left < 0 ? tooMuch(maxBytes) : null, chunk)
        },
      })
      await pipeline([content, ...through, count, createWriteStream(path, { flags: 'wx' })])
      names.push(name)
    },
  }
}

const tooMuch = (maxBytes: number) =>
  new RefusedError(`the archive holds more than ${Math.floor(maxBytes / 2 ** 20)} MiB or ${maxFiles} files`)

const localHeader = 30

async function unpackZip(archive: string, directoryOf: ReadZipDirectory, write: Write): Promise<void> {
  const handle = await open(archive)
  try {
    const { size } = await handle.stat()
    const read = async (offset: number, length: number) => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(length, size)), 0, length, offset)
      return buffer.subarray(0, bytesRead)
    }
    const entries = await directoryOf({ head: await read(0, 4), size, read })
    if (entries === null) throw damaged()
    for (const { name, method, encrypted, packed, unpacked, offset } of entries) {
      if (name.endsWith('/') || !write.wants(name, unpacked)) continue
      if (encrypted || (method !== 0 && method !== 8)) throw damaged()
      const header = await read(offset, localHeader)
      if (header.length < localHeader) throw damaged()
      const start = offset + localHeader + header.readUInt16LE(26) + header.readUInt16LE(28)
      const content = packed === 0 ? Readable.from([]) : createReadStream(archive, { start, end: start + packed - 1 })
      await write.file(name, content, ...(method === 8 ? [createInflateRaw()] : []))
    }
  } finally {
    await handle.close()
  }
}

const block = 512

/** The format of POSIX, with the long names of GNU (type L) and of pax (type x): https://www.gnu.org/software/tar/manual/ */
async function unpackTar(stream: Readable, write: Write): Promise<void> {
  const source = new ByteSource(stream)
  let longName: string | null = null
  for (;;) {
    const header = await source.take(block)
    if (header.length < block || header.every((byte) => byte === 0)) break
    const [type, size] = [String.fromCharCode(header[156] ?? 0), sizeOf(header)]
    if (type === 'L' || type === 'x') {
      if (size > 65_536) throw damaged()
      longName = longNameOf(type, (await source.take(size)).toString('utf8')) ?? longName
      await source.skip(padding(size))
      continue
    }
    const name = (longName ?? nameOf(header)).replace(/^(?:\.\/)+/, '')
    longName = null
    if (type === '1' || type === '2') throw new RefusedError(`the archive has a link, ${name}: pack files instead`)
    const isFile = (type === '0' || type === '\0') && name !== ''
    if (isFile && write.wants(name, size)) await write.file(name, Readable.from(source.chunks(size)))
    else await source.skip(size)
    await source.skip(padding(size))
  }
  stream.destroy()
}

const padding = (size: number) => (block - (size % block)) % block

function nameOf(header: Buffer): string {
  const text = (from: number, to: number) => header.toString('utf8', from, to).replace(/\0.*$/s, '')
  if (!header.toString('latin1', 257, 262).startsWith('ustar')) throw damaged()
  const prefix = text(345, 500)
  return prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`
}

function sizeOf(header: Buffer): number {
  const digits = header.toString('latin1', 124, 136).replace(/[\0 ]+$/, '')
  if (!/^ *[0-7]*$/.test(digits)) throw damaged()
  return Number.parseInt(digits.trim() || '0', 8)
}

const longNameOf = (type: string, text: string): string | undefined =>
  type === 'L' ? text.replace(/\0+$/, '') : /^\d+ path=(.*)$/m.exec(text)?.[1]

/** The bytes of a stream, in pieces of the wanted size. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** Throws at the end of the stream. */
  async *chunks(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#chunks.next()
        if (done) throw damaged()
        this.#rest = value
      }
      const chunk = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(chunk.length)
      left -= chunk.length
      yield chunk
    }
  }

  async take(size: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const chunk of this.chunks(size)) parts.push(chunk)
    return Buffer.concat(parts)
  }

  async skip(size: number): Promise<void> {
    for await (const _ of this.chunks(size));
  }
}
