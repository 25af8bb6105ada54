import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
  process.env.TEST_TEMPLATE = join(folder.path, 'catalog')
  await createEmbedded(process.env.TEST_TEMPLATE)
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

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Takes the catalog of an earlier run, if it was made of the same files: making one is four seconds of CPU, more than most test
 * files take.
 */
async function createEmbedded(dataDir: string): Promise<void> {
  const stored = join(root, 'node_modules/.cache/test-catalog', contentHash())
  if (existsSync(stored)) return cpSync(stored, dataDir, { recursive: true })
  await migrate({ kind: 'pglite', dataDir })
  const written = `${stored}.${process.pid}`
  try {
    cpSync(dataDir, written, { recursive: true })
    renameSync(written, stored)
  } catch {
    // Another run stored the same one meanwhile, or nothing can be written there.
    rmSync(written, { recursive: true, force: true })
  }
}

/** Of all that decides what a new catalog is: the version of PGlite is in package.json. */
function contentHash(): string {
  const hash = createHash('sha256')
  const patterns = ['package.json', 'prisma/migrations/**/*.sql', 'src/adapters/catalog/connection/**/*.ts']
  for (const file of globSync(patterns, { cwd: root }).toSorted())
    hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

async function migrate(config: CatalogConfig): Promise<void> {
  const catalog = await openCatalog(config, { info: () => {}, warn: () => {}, error: () => {} })
  await catalog.close()
}
