import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { allocate, type ColumnState } from '../memory/column.ts'
import { Shard } from '../shard/shard.ts'
import { newMatrix } from '../vectors/matrix.ts'
import { type Header, magic, prefixBytes, snapshotPath } from './format.ts'

export interface Snapshot {
  shard: Shard
  /** 0 if there is no usable snapshot: the namespace is then rebuilt from the catalog. */
  cursor: number
  /** Why an existing file can't be used. */
  damage: string | null
}

/**
 * Reads a namespace's whole snapshot and checks every byte. A missing or damaged one, or one of another namespace,
 * counts as none.
 */
export async function readSnapshot(directory: string, namespaceId: string): Promise<Snapshot> {
  const none = { shard: new Shard(), cursor: 0 }
  let file: FileHandle
  try {
    file = await open(snapshotPath(directory, namespaceId), 'r')
  } catch (error) {
    if (isMissing(error)) return { ...none, damage: null }
    throw error
  }
  await using _ = file
  const { size } = await file.stat()
  try {
    return { ...(await read(new Reader(file, size), namespaceId)), damage: null }
  } catch (error) {
    if (error instanceof DamageError) return { ...none, damage: error.message }
    if (isOfSystem(error) || isOfMemory(error)) throw error
    // The file is intact, but no version here writes this shape.
    return { ...none, damage: 'it makes no sense' }
  }
}

class DamageError extends Error {}

async function read(reader: Reader, namespaceId: string): Promise<{ shard: Shard; cursor: number }> {
  const header = await readHeader(reader)
  if (header.namespaceId !== namespaceId) throw new DamageError('it is of another namespace')
  const columns: Record<string, ColumnState> = {}
  for (const { name, kind, length, crc } of header.columns) {
    reader.expect(length)
    const array = allocate(kind, length)
    await reader.fill(new Uint8Array(array.buffer), crc)
    columns[name] = { kind, array, length }
  }
  for (const { dims, slots } of header.matrices) reader.expect(4 * dims * slots)
  const matrices = header.matrices.map(({ plane, model, dims }) => newMatrix(plane, model, dims))
  const shard = new Shard({ columns, matrices })
  for (const [i, { slots, vectorsCrc }] of header.matrices.entries()) {
    const bytes = shard.matrices[i]?.vectors.rows(slots)
    if (bytes) await reader.fill(bytes, vectorsCrc)
  }
  for (const [i, { slots, sketchesCrc }] of header.matrices.entries()) {
    const bytes = shard.matrices[i]?.sketches.rows(slots)
    if (bytes) await reader.fill(bytes, sketchesCrc)
  }
  await reader.end()
  return { shard, cursor: header.cursor }
}

async function readHeader(reader: Reader): Promise<Header> {
  const prefix = Buffer.from(await reader.take(prefixBytes))
  if (prefix.toString('latin1', 0, magic.length) !== magic) throw new DamageError('it is of another format')
  const json = await reader.take(prefix.readUInt32LE(magic.length))
  if (crc32(json) !== prefix.readUInt32LE(magic.length + 4)) throw new DamageError('its header is damaged')
  return JSON.parse(Buffer.from(json).toString())
}

const chunkBytes = 64 * 2 ** 20
/** Headers list columns; anything longer is not a header. */
const longestHeader = 2 ** 20

/** Reads a file from front to back. */
class Reader {
  readonly #file: FileHandle
  /** Bytes that are left to read. */
  #left: number

  constructor(file: FileHandle, size: number) {
    this.#file = file
    this.#left = size
  }

  /** Throws if fewer bytes are left: checked before memory is allocated for them. */
  expect(bytes: number): void {
    if (!(bytes >= 0 && bytes <= this.#left)) throw new DamageError('it is shorter than it says')
  }

  async take(length: number): Promise<Uint8Array> {
    if (length > longestHeader) throw new DamageError('its header is damaged')
    const bytes = new Uint8Array(length)
    await this.#read(bytes)
    return bytes
  }

  async fill(bytes: Uint8Array, crc: number): Promise<void> {
    await this.#read(bytes)
    if (crc32(bytes) !== crc) throw new DamageError('a section is damaged')
  }

  async end(): Promise<void> {
    const { bytesRead } = await this.#file.read(new Uint8Array(1), 0, 1)
    if (bytesRead > 0) throw new DamageError('it is longer than it says')
  }

  async #read(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await this.#file.read(bytes, at, Math.min(chunkBytes, bytes.length - at))
      if (bytesRead === 0) throw new DamageError('it is shorter than it says')
      at += bytesRead
      this.#left -= bytesRead
    }
  }
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'
/** V8's words for a lack of memory, or of addresses for it. */
const isOfMemory = (error: unknown) =>
  error instanceof RangeError && /could not allocate|allocation failed/.test(error.message)
const isOfSystem = (error: unknown) => error instanceof Error && 'syscall' in error
