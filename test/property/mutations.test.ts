import { afterAll, beforeAll, expect, test } from 'vitest'
import { shortOrLong } from '../support/amounts.ts'
import { boot, type TestApp } from '../support/boot.ts'
import { expectSoundCatalog, headRows, withCatalogRows } from '../support/database/catalog-rows.ts'
import { forAllRuns, timeoutFor } from './draw.ts'
import { deleteFiles, sendFile } from './mutations/files.ts'
import { deleteSome, ingestOne, restoreSome, updateOne } from './mutations/operations.ts'
import { createWorld, live, type Member, mayRead, type World } from './mutations/world.ts'

const runs = 2
const ofUnits = [ingestOne, ingestOne, updateOne, updateOne, deleteSome, restoreSome, restoreSome]
const operations = [...ofUnits, sendFile, sendFile, deleteFiles]
const operationsPerRun = shortOrLong(20, 50)

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.storage.remove())

const idsOf = (units: readonly { unit_id: string }[]) => units.map((unit) => unit.unit_id)

/** The member finds and lists exactly the Units that it may read; the rest is only counted. */
async function checkMember(world: World, member: Member): Promise<void> {
  const open = live(world).filter((unit) => mayRead(member, unit))
  const hidden_by_acl = live(world).length - open.length
  const listed = await app.call('GET', '/v1/units', member.options)
  expect(idsOf(listed.body.units)).toEqual(open.map((unit) => unit.id))
  expect(listed.body).toMatchObject({ hidden_by_acl })
  const found = await app.call('POST', '/v1/search', { ...member.options, body: { q: 'tide', top_k: 50 } })
  expect(idsOf(found.body.hits).sort()).toEqual(open.map((unit) => unit.id).sort())
  expect(found.body).toMatchObject({ hidden_by_acl })
}

/** Checks the service's counts for the whole namespace. */
async function checkCounts(world: World): Promise<void> {
  const { body } = await app.call('GET', '/v1/catalog/stats', world.superAdmin)
  const count = live(world).length
  expect(body.storage).toMatchObject({ catalog_rows: count, vectors: count })
  const [text] = body.planes
  expect(text).toMatchObject({ plane: 'text', vectors: count, indexed: count })
}

const documentsOf = (world: World) => new Set(live(world).map((unit) => unit.docId ?? unit.id)).size

test('ingest, update, delete and restore in any order leave searches and counters true', {
  timeout: timeoutFor(runs),
}, async () => {
  const documents: Record<string, number> = {}
  const happened = new Set<string>()
  await forAllRuns(runs, async (draw, run) => {
    const world = await createWorld(app, run)
    for (let i = 0; i < operationsPerRun; i++) {
      const operation = draw.pick(operations)
      await operation(world, draw)
      await checkMember(world, draw.pick(world.members))
    }
    await checkCounts(world)
    documents[world.namespace] = documentsOf(world)
    for (const { state } of world.units) happened.add(state)
  })
  // Otherwise the draws covered too few cases.
  expect([...happened].sort()).toEqual(['live', 'purged', 'tombstoned'])
  await app.close({ keep: true })
  await expectSoundCatalog(app.storage)
  const heads = await withCatalogRows(app.storage, headRows)
  expect(Object.fromEntries(heads.map((head) => [head.name, head.documents]))).toEqual(documents)
})
