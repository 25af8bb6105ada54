import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type AnchoredCheckpoint, anchorName, formatAnchored, parseAnchored } from '../../model/checkpoint.ts'
import type { AuditAnchor } from '../../ports/stores/audit-anchor.ts'
import { nullIfMissing, syncFolder } from '../resilience/folders.ts'

const fileName = /^([A-Za-z0-9_-]+)\.ndjson$/

/** Enough for dozens of lines. */
const tailBytes = 16_384

/** A line may need rewriting when another process's write next to it failed. */
const tries = 3

/**
 * One file per namespace in `directory`, `<namespace id>.ndjson`, readable by this user only. It is append-only: a line
 * of JSON `{namespace_id, size, time, note}` per checkpoint. Each append is one write (O_APPEND), so processes can
 * share the file on file systems that make such writes atomic (NFS does not). Readers skip a line that a crash cut
 * short; the next line starts below it.
 *
 * The largest size is always within the last lines: when a smaller one is appended, the largest is repeated next to it.
 * So `newest` reads only the ends of files.
 */
export function createFileAnchor(directory: string): AuditAnchor {
  const root = resolve(directory)
  const pathOf = (namespaceId: string) => join(root, `${anchorName(namespaceId)}.ndjson`)
  return {
    engine: 'filesystem',

    async append(checkpoint) {
      const path = pathOf(checkpoint.namespaceId)
      const firstCreated = await mkdir(root, { recursive: true, mode: 0o700 })
      await appendDurably(path, checkpoint)
      await syncFolders(root, dirname(firstCreated ?? root))
    },

    async *newest() {
      const names = (await readdir(root).catch(nullIfMissing)) ?? []
      for (const name of names) {
        const [, namespaceId] = fileName.exec(name) ?? []
        if (namespaceId === undefined) continue
        const largest = await largestIn(pathOf(namespaceId), namespaceId)
        if (largest) yield largest
      }
    },

    async *of(namespaceId) {
      yield* inOrder(pathOf(namespaceId), namespaceId)
    },
  }
}

async function largestIn(path: string, namespaceId: string): Promise<AnchoredCheckpoint | null> {
  await using file = await open(path)
  return largestOf((await readTail(file, namespaceId, tailBytes)).checkpoints)
}

/** Reads back what it wrote: an unfinished line of another process may have absorbed the new one. */
async function appendDurably(path: string, checkpoint: AnchoredCheckpoint): Promise<void> {
  await using file = await open(path, 'a+', 0o600)
  for (let i = 0; i <= tries; i++) {
    const { checkpoints, isClosed } = await readTail(file, checkpoint.namespaceId, tailBytes)
    if (checkpoints.some((kept) => isSame(kept, checkpoint))) return await file.sync()
    const largest = largestOf(checkpoints)
    const lines = [...(largest && largest.size > checkpoint.size ? [largest] : []), checkpoint].map(formatAnchored)
    await file.write(`${isClosed ? '' : '\n'}${lines.join('\n')}\n`)
  }
  throw new Error(`${path} does not keep what is written to it`)
}

/** Concurrent appends and forked logs leave files that are out of order. */
async function* inOrder(path: string, namespaceId: string): AsyncGenerator<AnchoredCheckpoint> {
  const file = await open(path).catch(nullIfMissing)
  if (file === null) return
  await using _ = file
  const { size } = await file.stat()
  if (await isAscending(path, namespaceId, size)) {
    for await (const { checkpoint } of linesOf(path, namespaceId, size)) yield checkpoint
    return
  }
  const places: { size: number; start: number; end: number }[] = []
  for await (const { checkpoint, start, end } of linesOf(path, namespaceId, size)) {
    places.push({ size: checkpoint.size, start, end })
  }
  let ofSize: AnchoredCheckpoint[] = []
  for (const { start, end } of places.sort((a, b) => a.size - b.size || a.start - b.start)) {
    const checkpoint = parseAnchored((await readRange(file, start, end)).toString('utf8'), namespaceId)
    if (checkpoint === null || ofSize.some((kept) => isSame(kept, checkpoint))) continue
    ofSize = [...ofSize.filter((kept) => kept.size === checkpoint.size), checkpoint]
    yield checkpoint
  }
}

async function isAscending(path: string, namespaceId: string, upTo: number): Promise<boolean> {
  let last = -1
  for await (const { checkpoint } of linesOf(path, namespaceId, upTo)) {
    if (checkpoint.size <= last) return false
    last = checkpoint.size
  }
  return true
}

const isSame = (a: AnchoredCheckpoint, b: AnchoredCheckpoint) => a.size === b.size && a.note === b.note

/** Syncs from `folder` up to `top`, at least the parent. */
async function syncFolders(folder: string, top: string): Promise<void> {
  await syncFolder(folder)
  if (folder !== top && folder !== dirname(folder)) await syncFolders(dirname(folder), top)
}

/** A complete line of a file: its checkpoint and its position. */
interface Line {
  checkpoint: AnchoredCheckpoint
  start: number
  end: number
}

const newline = 10

/** The checkpoints in the first `upTo` bytes of a file, in file order. Skips lines that are not a checkpoint. */
async function* linesOf(path: string, namespaceId: string, upTo: number): AsyncGenerator<Line> {
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

interface Tail {
  /** Those that end in the last bytes of the file, in file order. */
  checkpoints: AnchoredCheckpoint[]
  /** The file does not end in an unfinished line. */
  isClosed: boolean
}

/** Reads at least the last `least` bytes of a file; reads more until they contain a whole checkpoint or all is read. */
async function readTail(file: FileHandle, namespaceId: string, min: number): Promise<Tail> {
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

async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start)
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
  return bytes.subarray(0, bytesRead)
}

const largestOf = (checkpoints: readonly AnchoredCheckpoint[]): AnchoredCheckpoint | null =>
  checkpoints.reduce<AnchoredCheckpoint | null>((max, next) => (max && max.size >= next.size ? max : next), null)
