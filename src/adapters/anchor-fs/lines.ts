import { createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { type AnchoredCheckpoint, parseAnchored } from '../../model/anchored-checkpoint.ts'

/** A complete line of a file: its checkpoint and its position. */
export interface Line {
  checkpoint: AnchoredCheckpoint
  start: number
  end: number
}

const newline = 10

/** The checkpoints in the first `upTo` bytes of a file, in file order. Skips lines that are not a checkpoint. */
export async function* linesOf(path: string, namespaceId: string, upTo: number): AsyncGenerator<Line> {
  if (upTo === 0) return
  let rest = Buffer.alloc(0)
  let start = 0
  for await (const chunk of createReadStream(path, { end: upTo - 1 })) {
    const bytes = Buffer.concat([rest, chunk])
    let from = 0
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
      const checkpoint = parseAnchored(bytes.toString('utf8', from, at), namespaceId)
      if (checkpoint) yield { checkpoint, start: start + from, end: start + at }
      from = at + 1
    }
    rest = bytes.subarray(from)
    start += from
  }
}

export interface Tail {
  /** Those that end in the last bytes of the file, in file order. */
  checkpoints: AnchoredCheckpoint[]
  /** The file does not end in an unfinished line. */
  isClosed: boolean
}

/** Reads at least the last `least` bytes of a file; reads more until they contain a whole checkpoint or all is read. */
export async function readTail(file: FileHandle, namespaceId: string, min: number): Promise<Tail> {
  const { size } = await file.stat()
  for (let length = min; ; length *= 4) {
    const from = Math.max(0, size - length)
    const bytes = await readRange(file, from, size)
    // The first line may be incomplete: it may start earlier.
    const lines = bytes
      .toString('utf8')
      .split('\n')
      .slice(from === 0 ? 0 : 1, -1)
    const checkpoints = lines.map((line) => parseAnchored(line, namespaceId)).filter((found) => found !== null)
    if (checkpoints.length > 0 || from === 0) return { checkpoints, isClosed: size === 0 || bytes.at(-1) === newline }
  }
}

export async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start)
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
  return bytes.subarray(0, bytesRead)
}

export const largestOf = (checkpoints: readonly AnchoredCheckpoint[]): AnchoredCheckpoint | null =>
  checkpoints.reduce<AnchoredCheckpoint | null>((max, next) => (max && max.size >= next.size ? max : next), null)
