import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { schemaDiff } from '../../scripts/schema-diff.ts'
import { createStorage, type TestStorage } from '../support/database/database.ts'
import { tempDir } from '../support/temp-dir.ts'

const folder = tempDir('schema-drift')
let storage: TestStorage
beforeAll(async () => {
  // The migrations have made it.
  storage = await createStorage({ embedded: true })
})
afterAll(async () => {
  await storage.remove()
  folder.remove()
})

it('finds nothing to change between the migrations and schema.prisma', async () => {
  expect(await schemaDiff({ dataDir: storage.dataDir })).toBe('')
})

it('would notice a field, an index and a table that the migrations lack', async () => {
  const prisma = fileURLToPath(new URL('../../prisma/', import.meta.url))
  const schema = join(folder.path, 'schema.prisma')
  const drift = 'model Drift {\n  id String @id\n  n Int @default(1)\n  tags String[]\n  @@index([n])\n}\n'
  writeFileSync(schema, `${readFileSync(join(prisma, 'schema.prisma'), 'utf8')}\n${drift}`)
  const sql = await schemaDiff({ dataDir: storage.dataDir, schema })
  expect(sql).toContain('CREATE TABLE "Drift"')
  expect(sql).toContain('CREATE INDEX "Drift_n_idx"')

  // The printed SQL is the missing migration.
  const migrations = join(folder.path, 'migrations')
  cpSync(join(prisma, 'migrations'), migrations, { recursive: true })
  mkdirSync(join(migrations, '99999999999999_drift'))
  writeFileSync(join(migrations, '99999999999999_drift', 'migration.sql'), sql)
  expect(await schemaDiff({ dataDir: storage.dataDir, schema, migrations })).toBe('')
})
