import { createHash, randomBytes } from 'node:crypto'
import { copyFile, link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BackupHold, type BackupMoment, BackupRefusedError } from '../../model/backup.ts'
import { version } from '../../version.ts'
import { anchorUpTo, listFiles, logFiles } from './files.ts'
import { blockBytes, type Piece, type Snapshot, type SnapshotFile } from './format.ts'
import { append, createPacker, type EarlierSnapshot, earlierSnapshot, type Packer, printBytes } from './packer.ts'
import type { Repository } from './repository.ts'

interface SnapshotOptions {
  /** The data directory. */
  dataDir: string
  /** Whether its secrets are taken as well. */
  keys: boolean
  now(): number
}

const control = 'catalog/global/pg_control'

/**
 * Copies a data directory while its database may be in use. `hold` has made a checkpoint and holds off the next one, so
 * that the database's log since then repairs what is copied while it changes, as after a crash. The copy of the log
 * ends at the moment of `mark`. Errors of the file system are thrown as they are.
 */
export async function takeSnapshot(
  repository: Repository,
  hold: BackupHold,
  { dataDir, keys, now }: SnapshotOptions,
): Promise<Snapshot> {
  const at = now()
  const id = `${new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${randomBytes(4).toString('hex')}`
  const newest = (await repository.ids()).at(-1)
  const earlier = newest === undefined ? null : await earlierSnapshot(repository, await repository.read(newest))
  const packer = createPacker(repository)
  const files: SnapshotFile[] = []
  const record = async (path: string, content: Content) => {
    files.push(await recordFile(path, content, packer, earlier))
  }
  const recordAll = async (paths: readonly string[]) => {
    for (const path of paths)
      await record(path, path.endsWith('/') ? [] : readContent(join(dataDir, path))).catch(ignoreMissing)
  }

  const controlled = await readFile(join(dataDir, control))
  const catalog = await listFiles(dataDir, 'catalog')
  await record(control, [controlled])
  await recordAll(catalog.filter((path) => path !== control))
  const sources = await listFiles(dataDir, 'objects')
  await recordAll(sources)

  const staging = join(dataDir, `backup-${id}`)
  try {
    const moment = await hold.mark()
    const late = await stageSources(dataDir, staging, new Set(sources))
    await recordLog(dataDir, moment, record)
    if (!controlled.equals(await readFile(join(dataDir, control)))) {
      throw new BackupRefusedError('the database made a checkpoint while it was copied; try again')
    }
    await hold.release()
    for (const path of late.added) await record(path, path.endsWith('/') ? [] : readContent(join(staging, path)))
    await recordAnchors(dataDir, moment, record)
    if (keys) await recordAll(await listFiles(dataDir, 'secrets'))

    const { objects, added } = await packer.finish()
    const present = files.filter(({ path }) => !late.gone.has(path)).sort((a, b) => (a.path < b.path ? -1 : 1))
    return await repository.add({
      id,
      created_at: new Date(now()).toISOString(),
      as_of: new Date(moment.asOf).toISOString(),
      service_version: version,
      keys,
      counts: moment.counts,
      heads: [...moment.heads],
      bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0),
      added_bytes: added,
      objects,
      files: present,
    })
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** Files of the database come and go: its log says which ones the moment has. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** Links the sources that came since they were listed, because they may be removed once the hold ends. */
async function stageSources(dataDir: string, staging: string, known: ReadonlySet<string>) {
  const paths = await listFiles(dataDir, 'objects')
  const added = paths.filter((path) => !known.has(path))
  for (const path of added.filter((name) => !name.endsWith('/'))) {
    const target = join(staging, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await link(join(dataDir, path), target).catch(() => copyFile(join(dataDir, path), target))
  }
  const present = new Set(paths)
  return { added, gone: new Set([...known].filter((path) => !present.has(path))) }
}

type Record = (path: string, content: Content) => Promise<void>

async function recordLog(dataDir: string, { log }: BackupMoment, record: Record): Promise<void> {
  const names = (await logFiles(dataDir)).filter((name) => name >= log.first && name <= log.last)
  for (const name of names) {
    const path = `catalog/pg_wal/${name}`
    await record(
      path,
      name === log.last ? cutLog(join(dataDir, path), log.lastBytes) : readContent(join(dataDir, path)),
    )
  }
}

/** What follows the moment in the log would be replayed as well. */
async function* cutLog(path: string, bytes: number): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const part of readContent(path)) {
    if (at + part.length > bytes) part.fill(0, Math.max(0, bytes - at))
    at += part.length
    yield part
  }
}

async function recordAnchors(dataDir: string, { logs }: BackupMoment, record: Record): Promise<void> {
  for (const path of await listFiles(dataDir, 'anchors')) {
    const namespaceId = /^anchors\/([A-Za-z0-9_-]+)\.ndjson$/.exec(path)?.[1]
    if (path.endsWith('/')) await record(path, [])
    else if (namespaceId !== undefined) {
      await record(path, blocksOf(await anchorUpTo(join(dataDir, path), logs[namespaceId] ?? 0)))
    }
  }
}

const blocksOf = (content: Buffer): Content => (content.length === 0 ? [] : [content])

/** Bytes that are read at once. */
const readBytes = 512 * blockBytes

const zeros = Buffer.alloc(blockBytes)

/** A file's content, in parts that are read as they are taken. Each but the last is a multiple of a block. */
type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Adds a file to the snapshot: blocks that the one before has at the same place are not stored again. */
async function recordFile(
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
async function* readContent(path: string, limit = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
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
