import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heldTables } from '../../src/adapters/catalog/memory/commits.ts'
import { boot, superAdminToken, type TestApp } from '../support/boot.ts'
import { changeAll, mutations } from './catalog-memory/change.ts'
import { forAllRuns } from './draw.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
  await app.call('POST', '/v1/admin/seed', { token: superAdminToken })
})
afterAll(() => app.close())

/** Tables whose changes are forgotten, and mutations that change them. */
const mutants: Record<string, readonly string[]> = {
  token: ['revokeApiKey'],
  grant: ['createGrant', 'deleteGrant'],
  'namespace,principal,token,grant': ['createPrincipal', 'deletePrincipal', 'createGrant'],
  scope: ['updateScope'],
  'unit,acl_set,unit_count,plane_model,head': ['ingest', 'updateUnit', 'deleteUnits', 'restoreUnits'],
}

describe.skipIf(process.env.TEST_DATABASE_URL)('the memory of the embedded catalog', () => {
  test.each(Object.entries(mutants))(
    'that forgets changes of %s is found out',
    { timeout: 120_000 },
    async (tables, fields) => {
      const held = heldTables as Record<string, string>
      const before = { ...held }
      for (const table of tables.split(',')) held[table] = 'none'
      const found: string[] = []
      const chosen = mutations.filter(({ name }) => fields.includes(name))
      await forAllRuns(1, async (draw) => {
        if (found.length === 0) found.push(...(await changeAll(app, draw, chosen, 40)))
      }).finally(() => Object.assign(held, before))
      expect(found.length).toBeGreaterThan(0)
    },
  )
})
