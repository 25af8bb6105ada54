import { mkdir, open, rename, rm } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { Shard } from '../shard/shard.ts'
import { type Header, magic, snapshotPath } from './format.ts'

const chunkBytes = 8 * 2 ** 20

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
  await writeDurably(`${path}.tmp`, [prefixed(header), ...sections, ...vectors, ...sketches])
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

async function writeDurably(path: string, parts: readonly Uint8Array[]): Promise<void> {
  await using file = await open(path, 'w', 0o600)
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const { bytesWritten } = await file.write(part.subarray(at, at + chunkBytes))
      at += bytesWritten
    }
  }
  await file.sync()
}

/** Makes a rename durable. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, 'r')
  await handle.sync()
}
