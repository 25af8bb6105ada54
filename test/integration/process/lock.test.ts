import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DataDirectoryLockedError, lockDirectory } from '../../../src/adapters/catalog/connection/pglite/lock.ts'
import { startChild } from '../../support/process/child.ts'
import { tempDir } from '../../support/temp-dir.ts'

let folder: ReturnType<typeof tempDir>
beforeEach(() => {
  folder = tempDir('lock')
})
afterEach(() => folder.remove())

it('refuses a second holder in the same process, until it is released', () => {
  const lock = lockDirectory(folder.path)
  expect(() => lockDirectory(folder.path)).toThrow(DataDirectoryLockedError)
  expect(() => lockDirectory(folder.path)).toThrow('already in use by this process')
  lock.release()
  lock.release()
  lockDirectory(folder.path).release()
})

it('refuses what another process holds and names it, and is free once that process was killed', async () => {
  await using child = startChild('database/hold-lock.ts', folder.path)
  await child.lines.next()
  const { pid } = child.process
  expect(() => lockDirectory(folder.path)).toThrow(
    `the data directory ${folder.path} is in use by another process (pid ${pid}); stop it or set DATA_DIR`,
  )
  await child[Symbol.asyncDispose]()
  const lock = lockDirectory(folder.path)
  expect(readFileSync(join(folder.path, 'lock.pid'), 'utf8')).toMatch(new RegExp(`^${process.pid}\n`))
  lock.release()
})
