import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampled } from '../../support/amounts.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { failedStart, startServerProcess } from '../../support/process/server-process.ts'
import { canMount, mountTmpfs } from '../../support/process/tmpfs.ts'
import { tempDir } from '../../support/temp-dir.ts'

const timeout = 300_000

let folder: ReturnType<typeof tempDir>
let storage: TestStorage
beforeAll(async () => {
  folder = tempDir('start-faults')
  storage = await createStorage({ embedded: true })
}, timeout)
afterAll(async () => {
  folder.remove()
  await storage.remove()
})

const settings = (dataDir: string) => ({ HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir })

/** Checks that the start fails with a one-line error that contains the path and a solution. */
async function expectSentence(dataDir: string, problem: RegExp): Promise<void> {
  const { exit, stdout, stderr } = await failedStart(settings(dataDir))
  expect([exit, stdout]).toEqual([{ code: 1, signal: null }, ''])
  expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(problem)])
  expect(stderr).toContain(dataDir)
  expect(stderr).toMatch(/; (set DATA_DIR|move it away|restore|free|start)/)
}

/** A copy of a migrated catalog, with some damage. */
function damaged(name: string, damage: (catalog: string) => void): string {
  const dataDir = join(folder.path, name)
  cpSync(storage.dataDir, dataDir, { recursive: true })
  damage(join(dataDir, 'catalog'))
  return dataDir
}

describe('a start is refused in a sentence', { timeout }, () => {
  it('where the data directory is a file, or below one', async () => {
    const file = join(folder.path, 'file')
    writeFileSync(file, '')
    await expectSentence(file, /is not a directory/)
    await expectSentence(join(file, 'below'), /is not a directory, or is below something that is not one/)
  })

  it('where its file system takes no new folders', async () => {
    await expectSentence('/proc/data/below', /cannot be made: its file system takes no new folders|by this user/)
  })

  it('where catalog is not a folder, or holds something else', async () => {
    const dataDir = join(folder.path, 'foreign')
    mkdirSync(join(dataDir, 'catalog'), { recursive: true })
    writeFileSync(join(dataDir, 'catalog', 'holiday.jpg'), '')
    await expectSentence(dataDir, /does not hold a catalog, but holiday\.jpg/)
    expect(readdirSync(join(dataDir, 'catalog'))).toEqual(['holiday.jpg'])
    rmSync(join(dataDir, 'catalog'), { recursive: true })
    writeFileSync(join(dataDir, 'catalog'), '')
    await expectSentence(dataDir, /catalog is not a directory/)
  })

  const damages: [string, (catalog: string) => void][] = [
    ['control file cut short', (catalog) => truncateSync(join(catalog, 'global', 'pg_control'), 100)],
    ['control file gone', (catalog) => rmSync(join(catalog, 'global', 'pg_control'))],
    ['version of another database', (catalog) => writeFileSync(join(catalog, 'PG_VERSION'), '9.6\n')],
    ['tables gone', (catalog) => rmSync(join(catalog, 'base'), { recursive: true })],
    ['log gone', (catalog) => rmSync(join(catalog, 'pg_wal'), { recursive: true })],
    [
      'map of files overwritten',
      (catalog) => writeFileSync(join(catalog, 'global', 'pg_filenode.map'), 'x'.repeat(512)),
    ],
  ]
  it.each(sampled(damages, 3))('where the catalog is damaged: %s', async (name, damage) => {
    await expectSentence(damaged(name.replaceAll(' ', '-'), damage), /is damaged or cannot be read \(.+\); restore/)
  })

  it.skipIf(!canMount)('where it cannot be written to (needs the right to mount)', async () => {
    await using disk = mountTmpfs('64m')
    const dataDir = join(disk.path, 'data')
    cpSync(storage.dataDir, dataDir, { recursive: true })
    execFileSync('mount', ['-o', 'remount,ro', disk.path])
    for (const path of [dataDir, join(disk.path, 'new')]) await expectSentence(path, /is on a read-only file system/)
  })

  it.skipIf(!canMount)('where the disk is full, with data and without (needs the right to mount)', async () => {
    await using disk = mountTmpfs('80m')
    const dataDir = join(disk.path, 'data')
    cpSync(storage.dataDir, dataDir, { recursive: true })
    disk.fill()
    await expectSentence(dataDir, /is full; free at least/)
    disk.empty()
    {
      await using server = await startServerProcess(settings(dataDir))
      expect((await fetch(`${server.url}/v1/health`)).status).toBe(200)
      server.kill('SIGTERM')
      expect((await server.exited).code).toBe(0)
    }
    rmSync(dataDir, { recursive: true })
    disk.fill()
    await expectSentence(dataDir, /is full; free at least|because its disk is full/)
  })
})
