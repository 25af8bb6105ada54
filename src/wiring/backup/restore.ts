import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Snapshot } from '../../adapters/backup-fs/format.ts'
import { openRepository } from '../../adapters/backup-fs/repository.ts'
import { checkSnapshot, restoreSnapshot } from '../../adapters/backup-fs/restore.ts'
import type { Config } from '../../config.ts'
import { BackupRefusedError } from '../../model/backup.ts'
import { differencesOf } from './verify.ts'

interface Task {
  from: string
  /** Default: the newest one. */
  id: string | undefined
}

/** Throws a `BackupRefusedError`; the folder is then as it was. */
export async function restore({ from, id, dataDir }: Task & { dataDir: string }): Promise<Snapshot> {
  const repository = await openRepository(from)
  const newest = id ?? (await repository.ids()).at(-1)
  if (newest === undefined) throw new BackupRefusedError(`there is no snapshot in ${repository.path}`)
  const snapshot = await repository.read(newest)
  await checkSnapshot(repository, snapshot)
  await restoreSnapshot(repository, snapshot, dataDir)
  return snapshot
}

/** Restores into a temporary folder and compares it with what the snapshot says. Throws a `BackupRefusedError`. */
export async function verifySnapshot({
  config,
  ...task
}: Task & { config: Config }): Promise<{ snapshot: Snapshot; differences: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'restore-'))
  try {
    const dataDir = join(folder, 'data')
    const snapshot = await restore({ ...task, dataDir })
    return { snapshot, differences: await differencesOf(snapshot, dataDir, config) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
