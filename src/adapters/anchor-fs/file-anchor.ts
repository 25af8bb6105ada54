import { mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type AnchoredCheckpoint, anchorName, formatAnchored, parseAnchored } from '../../model/anchored-checkpoint.ts'
import type { AuditAnchor } from '../../ports/audit-anchor.ts'
import { largestOf, linesOf, readRange, readTail } from './lines.ts'

const fileName = /^([A-Za-z0-9_-]+)\.ndjson$/

/** Some dozens of lines. */
const tailBytes = 16_384

/** A line that was written beside others that failed may have to be written again. */
const tries = 3

/**
 * One file per namespace in `directory`, `<namespace id>.ndjson`, that is only ever appended to: a line of JSON
 * `{namespace_id, size, time, note}` per checkpoint, for this user only. A line reaches the file in one write at its end
 * (O_APPEND), so that processes may share it, on file systems that keep such writes apart (NFS does not). What a crash
 * cut short is passed over on reading, and the next line starts below it.
 *
 * The largest size is always within the last lines: where one is appended that is smaller, the largest is repeated
 * beside it. So `newest` reads ends of files only.
 */
export function createFileAnchor(directory: string): AuditAnchor {
  const root = resolve(directory)
  const pathOf = (namespaceId: string) => join(root, `${anchorName(namespaceId)}.ndjson`)
  return {
    engine: 'filesystem',

    async append(checkpoint) {
      const path = pathOf(checkpoint.namespaceId)
      const made = await mkdir(root, { recursive: true, mode: 0o700 })
      await appendDurably(path, checkpoint)
      await syncFolders(root, dirname(made ?? root))
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

/** Reads what it wrote: a line that another process left open at that moment would have swallowed it. */
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

/** Processes that append at once, and logs that were forked, leave files that are not in order. */
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

/** A name in a folder is durable once the folder is synced: from `folder` up to `top`, or its parent at least. */
async function syncFolders(folder: string, top: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
  if (folder !== top && folder !== dirname(folder)) await syncFolders(dirname(folder), top)
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
