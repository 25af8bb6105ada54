import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PrismaCatalog } from '../../src/adapters/catalog/catalog.ts'
import { createAccessReader } from '../../src/adapters/catalog/sql/access.ts'
import { createUnitReader } from '../../src/adapters/catalog/sql/read-units.ts'
import { boot, type TestApp } from '../support/boot.ts'

const planes = ['visual', 'text', 'doc_visual', 'audio'] as const
const scopes = ['c', 'a', 'b'] as const

let app: TestApp
let catalog: PrismaCatalog
beforeAll(async () => {
  app = await boot()
  catalog = app.runtime.bindings.catalog as PrismaCatalog
  const perms = ['read', 'write'] as const
  const grants = scopes.map((scope) => ({ scope, perms: [...perms] }))
  const token = await app.principal({ id: 'ann', namespace: 'acme', grants })
  for (const plane of planes) {
    const body = { units: [{ text: 'heron', plane, modality: 'text', scope: 'a' }] }
    expect((await app.call('POST', '/v1/ingest', { token, body })).status).toBe(200)
  }
})
afterAll(() => app.close())

/** The planner may read a table or an index of it, and chooses another way once the tables have grown. */
const plans = [
  { enable_seqscan: 'off', enable_bitmapscan: 'off', enable_indexscan: 'on' },
  { enable_seqscan: 'on', enable_bitmapscan: 'off', enable_indexscan: 'off' },
]

test('what a search goes by has one order, however the database reads it', async () => {
  const read = plans.map((settings) =>
    catalog.client.$transaction(async (tx) => {
      for (const [name, value] of Object.entries(settings)) await tx.$executeRawUnsafe(`SET LOCAL ${name} = ${value}`)
      const found = await createAccessReader(tx).membership('ann', 'acme', 0)
      const namespaceId = found?.target?.namespace.id ?? ''
      const facts = await createUnitReader(tx).searchFacts({ namespaceId, clauses: [], planes, asOf: undefined })
      return { grants: found?.target?.grants, models: facts.models.map(({ plane }) => plane) }
    }),
  )
  const [byIndex, byTable] = await Promise.all(read)
  expect(byIndex).toEqual(byTable)
  expect(byTable?.models).toEqual(planes.toSorted())
  expect(byTable?.grants?.map(({ scope }) => scope).toSorted()).toEqual(scopes.toSorted())
})
