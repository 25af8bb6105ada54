import { cpSync } from 'node:fs'
import { afterAll, beforeAll } from 'vitest'
import { compileModules } from '../../../src/adapters/catalog/connection/pglite/modules.ts'
import { type OpenDatabase, openDatabase } from '../../../src/adapters/catalog/connection/pglite/open-database.ts'
import { tempDir } from '../temp-dir.ts'

interface DatabaseOnDisk {
  path: string
  readonly open: OpenDatabase
  reopen(): Promise<void>
}

/**
 * The worker's database itself, open during the tests of a file. For guarantees about files on disk, which no client can
 * see.
 */
export function databaseOnDisk(name: string): DatabaseOnDisk {
  const folder = tempDir(name)
  let open: OpenDatabase
  const start = async () => {
    open = await openDatabase(folder.path, await compileModules(), () => {})
  }
  beforeAll(async () => {
    const template = process.env.TEST_TEMPLATE
    if (template) cpSync(template, folder.path, { recursive: true })
    await start()
  })
  afterAll(async () => {
    await open.database.close()
    folder.remove()
  })
  return {
    path: folder.path,
    get open() {
      return open
    },
    reopen: async () => {
      await open.database.close()
      await start()
    },
  }
}
