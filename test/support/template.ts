import { openCatalog } from '../../src/adapters/catalog/catalog.ts'
import type { CatalogConfig } from '../../src/adapters/catalog/connection/connect.ts'
import { createDatabase } from './database/database.ts'
import { tempDir } from './temp-dir.ts'

/**
 * Creates and migrates catalogs once. Tests start with a copy, which takes a fifth of the time. The test processes find
 * them in the environment: TEST_TEMPLATE is the folder of an embedded catalog, TEST_TEMPLATE_DATABASE the name of a
 * database on the server of TEST_DATABASE_URL. TEST_COMPILED is where servers keep their compiled modules, which is a quarter
 * of a start; the threads of test processes do too, which is a third of each boot.
 */
export default async function createTemplates(): Promise<() => Promise<void>> {
  const compiled = tempDir('compiled')
  // Test processes write it once more when they end, after the function below.
  process.once('exit', compiled.remove)
  process.env.TEST_COMPILED = compiled.path
  process.env.NODE_COMPILE_CACHE ??= compiled.path
  const folder = tempDir('template')
  await migrate({ kind: 'pglite', dataDir: folder.path })
  process.env.TEST_TEMPLATE = folder.path
  const server = process.env.TEST_DATABASE_URL
  const database = server === undefined ? null : await createDatabase(server)
  if (database !== null) {
    await migrate({ kind: 'postgresql', url: database.url })
    process.env.TEST_TEMPLATE_DATABASE = database.name
  }
  return async () => {
    folder.remove()
    await database?.drop()
  }
}

async function migrate(config: CatalogConfig): Promise<void> {
  const catalog = await openCatalog(config, { info: () => {}, warn: () => {}, error: () => {} })
  await catalog.close()
}
