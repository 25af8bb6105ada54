import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Plane } from '../../../model/unit.ts'
import { allocate, type ColumnState, type Kind } from '../memory/store.ts'
import { newMatrix } from '../vectors/matrix.ts'
import { Shard } from './shard.ts'

/**
 * A snapshot file: `magic`, the length and CRC-32 of the header (32 bits each, little-endian), the header as JSON, then
 * the bytes of each section in the header's order. The number in `magic` increases whenever columns, vectors or text
 * analysis change; older files are then rebuilt.
 */
export const magic = 'RIDX0010'
export const prefixBytes = magic.length + 8

export interface Header {
  namespaceId: string
  /** The seq up to which the namespace is applied. */
  cursor: number
  columns: { name: string; kind: Kind; length: number; crc: number }[]
  /** `slots` vectors each, then as many sketches. */
  matrices: { plane: Plane; model: string; dims: number; slots: number; vectorsCrc: number; sketchesCrc: number }[]
}

/** Named by a hash: an id may not be a valid file name. */
export const snapshotPath = (directory: string, namespaceId: string): string =>
  join(directory, `${createHash('sha256').update(namespaceId).digest('hex').slice(0, 32)}.snapshot`)

interface Snapshot {
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
  for (const part of ['vectors', 'sketches'] as const) {
    for (const [i, { slots, [`${part}Crc` as const]: crc }] of header.matrices.entries()) {
      const bytes = shard.matrices[i]?.[part].rows(slots)
      if (bytes) await reader.fill(bytes, crc)
    }
  }
  reader.end()
  return { shard, cursor: header.cursor }
}

async function readHeader(reader: Reader): Promise<Header> {
  const prefix = Buffer.from(await reader.take(prefixBytes))
  if (prefix.toString('latin1', 0, magic.length) !== magic) throw new DamageError('it is of another format')
  const json = await reader.take(prefix.readUInt32LE(magic.length))
  if (crc32(json) !== prefix.readUInt32LE(magic.length + 4)) throw new DamageError('its header is damaged')
  return JSON.parse(Buffer.from(json).toString())
}

const readBytes = 64 * 2 ** 20
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

  end(): void {
    if (this.#left > 0) throw new DamageError('it is longer than it says')
  }

  async #read(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await this.#file.read(bytes, at, Math.min(readBytes, bytes.length - at))
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

/**
 * Writes a shard's snapshot in place of its older one. It is complete and on disk before it gets the name, so that a
 * crash at any moment leaves one whole file. The shard must not change meanwhile.
 */
export async function writeSnapshot(
  directory: string,
  namespaceId: string,
  shard: Shard,
  cursor: number,
): Promise<void> {
  const { columns } = shard.state
  const sections = Object.values(columns).map(({ array, length }) => {
    const bytes = length * array.BYTES_PER_ELEMENT
    return new Uint8Array(array.buffer, array.byteOffset, bytes)
  })
  const vectors = shard.matrices.map(({ vectors, slots }) => vectors.rows(slots))
  const sketches = shard.matrices.map(({ sketches, slots }) => sketches.rows(slots))
  const header: Header = {
    namespaceId,
    cursor,
    columns: Object.entries(columns).map(([name, { kind, length }], i) => ({
      name,
      kind,
      length,
      crc: crc32(sections[i] ?? ''),
    })),
    matrices: shard.matrices.map(({ state: { plane, model, dims }, slots }, i) => ({
      plane,
      model,
      dims,
      slots,
      vectorsCrc: crc32(vectors[i] ?? ''),
      sketchesCrc: crc32(sketches[i] ?? ''),
    })),
  }
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const path = snapshotPath(directory, namespaceId)
  const parts = [prefixed(header), ...sections, ...vectors, ...sketches]
  await writeFile(`${path}.tmp`, parts, { mode: 0o600, flush: true })
  await rename(`${path}.tmp`, path)
  await syncDirectory(directory)
}

export async function removeSnapshot(directory: string, namespaceId: string): Promise<void> {
  const path = snapshotPath(directory, namespaceId)
  // Also what a crash left half written.
  await Promise.all([path, `${path}.tmp`].map((file) => rm(file, { force: true })))
}

function prefixed(header: Header): Uint8Array {
  const json = Buffer.from(JSON.stringify(header))
  const sizes = Buffer.alloc(8)
  sizes.writeUInt32LE(json.length, 0)
  sizes.writeUInt32LE(crc32(json), 4)
  return Buffer.concat([Buffer.from(magic), sizes, json])
}

/** Makes a rename durable. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, 'r')
  await handle.sync()
}
