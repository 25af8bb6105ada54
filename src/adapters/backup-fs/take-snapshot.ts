import { randomBytes } from 'node:crypto'
import { copyFile, link, mkdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BackupHold, type BackupMoment, BackupRefusedError } from '../../model/backup.ts'
import { version } from '../../version.ts'
import { anchorUpTo, listFiles, logFiles } from './data-files.ts'
import { earlierSnapshot } from './earlier.ts'
import type { Snapshot, SnapshotFile } from './format.ts'
import { createPacker } from './packer.ts'
import { type Content, readContent, recordFile } from './record-file.ts'
import type { Repository } from './repository.ts'

export interface SnapshotOptions {
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
