import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heldTables } from '../../src/adapters/catalog/memory/commits.ts'
import { boot, superAdminToken, type TestApp } from '../support/boot.ts'
import { changeAll, mutations } from './catalog-memory/change.ts'
import { forAllRuns, timeoutFor } from './draw.ts'

const runs = 1

let app: TestApp
beforeAll(async () => {
  app = await boot()
  await app.call('POST', '/v1/admin/seed', { token: superAdminToken })
})
afterAll(() => app.close())

// On a server nothing is kept in memory.
describe.skipIf(process.env.TEST_DATABASE_URL)('the memory of the embedded catalog', () => {
  test('answers as the database, whatever was changed', { timeout: timeoutFor(runs) * 2 }, () =>
    forAllRuns(runs, async (draw) => expect(await changeAll(app, draw, mutations, 2)).toEqual([])),
  )

  test('has an entry for each table', () => {
    const schema = readFileSync(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8')
    const tables = [...schema.matchAll(/@@map\("(\w+)"\)/g)].map(([, table]) => table)
    expect(Object.keys(heldTables).toSorted()).toEqual(tables.toSorted())
  })
})
