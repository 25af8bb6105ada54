import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { type EarlierSnapshot, printBytes } from './earlier.ts'
import { blockBytes, type Piece, type SnapshotFile } from './format.ts'
import { append, type Packer } from './packer.ts'

/** Bytes that are read at once. */
const readBytes = 512 * blockBytes

const zeros = Buffer.alloc(blockBytes)

/** A file's content, in parts that are read as they are taken. Each but the last is a multiple of a block. */
export type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Adds a file to the snapshot: blocks that the one before has at the same place are not stored again. */
export async function recordFile(
  path: string,
  content: Content,
  packer: Packer,
  earlier: EarlierSnapshot | null,
): Promise<SnapshotFile> {
  const before = (await earlier?.file(path)) ?? null
  const pieces: Piece[] = []
  const prints: Buffer[] = []
  let [bytes, block] = [0, 0]
  for await (const part of content) {
    for (let at = 0; at < part.length; at += blockBytes) {
      const data = part.subarray(at, at + blockBytes)
      const print = createHash('sha256').update(data).digest().subarray(0, printBytes)
      const isZero = zeros.compare(data, 0, data.length, 0, data.length) === 0
      const place = !isZero && before ? sharedPlace(before, block, print) : null
      if (isZero) append(pieces, [-1, 0, data.length])
      else if (place) packer.reuse(pieces, place.object, place.offset, data.length)
      else await packer.add(pieces, data)
      prints.push(print)
      bytes += data.length
      block += 1
    }
  }
  const all = Buffer.concat(prints)
  const printPieces: Piece[] = []
  if (before?.printPieces && all.equals(before.prints)) {
    for (const { object, offset, bytes: length } of before.printPieces)
      packer.reuse(printPieces, object, offset, length)
  } else await packer.add(printPieces, all)
  return { path, bytes, pieces, prints: printPieces }
}

function sharedPlace(before: NonNullable<Awaited<ReturnType<EarlierSnapshot['file']>>>, block: number, print: Buffer) {
  const at = block * printBytes
  if (at + printBytes > before.prints.length) return null
  if (before.prints.compare(print, 0, printBytes, at, at + printBytes) !== 0) return null
  const place = before.placeOf(block)
  return place === 'zeros' ? null : place
}

/** The content of a file, at most its first `limit` bytes. */
export async function* readContent(path: string, limit = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  const file = await open(path)
  try {
    for (let at = 0; at < limit; ) {
      const buffer = Buffer.alloc(Math.min(readBytes, limit - at))
      const read = await readFully(file, buffer, at)
      if (read > 0) yield buffer.subarray(0, read)
      if (read < buffer.length) return
      at += read
    }
  } finally {
    await file.close()
  }
}

async function readFully(file: Awaited<ReturnType<typeof open>>, buffer: Buffer, position: number): Promise<number> {
  let read = 0
  while (read < buffer.length) {
    const { bytesRead } = await file.read(buffer, read, buffer.length - read, position + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return read
}
