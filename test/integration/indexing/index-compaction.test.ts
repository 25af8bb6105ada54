import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSnapshot } from '../../../src/adapters/index-embedded/shard/snapshot.ts'
import type { IndexFeed } from '../../../src/ports/indexes/index-filter.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { openIndex } from '../../support/index/embedded-index.ts'
import { tempDir } from '../../support/temp-dir.ts'

const folder = tempDir('compaction')
const index = openIndex(folder.path, { quietMs: 0 })
let beforePut = async () => {}
const feed: IndexFeed = {
  ...index.texts.feed,
  repair: async (namespaceId, changes) => {
    if (changes.some((change) => change.kind === 'put')) await beforePut()
    await index.texts.feed.repair(namespaceId, changes)
  },
}
let app: TestApp

beforeAll(async () => {
  app = await boot({ bindings: { vectors: { ...index.vectors, feed }, texts: { ...index.texts, feed } } })
})
afterAll(async () => {
  await app.close()
  await index.close()
  folder.remove()
})

test('compaction does not bring back for good what is deleted while it runs', async () => {
  const token = await app.principal({ id: 'keeper', namespace: 'yard' })
  const namespaceId = (await app.runtime.bindings.catalog.access.namespace('yard'))?.namespace.id ?? ''
  const body = { units: [{ text: 'the anchor winch' }, { text: 'a crate' }] }
  const ingested = await app.call('POST', '/v1/ingest', { token, scope: 'dock', body })
  const [{ unit_id: lost }, { unit_id: kept }] = ingested.body.units
  // Directly in the index, so that compaction has something to repair.
  await feed.repair(namespaceId, [{ kind: 'remove', unitId: lost, seq: 1, plane: 'text' }])
  beforePut = async () => {
    beforePut = async () => {}
    const deletion = { ids: [lost], hard: true }
    expect((await app.call('POST', '/v1/units:delete', { token, body: deletion })).body.purged).toBe(1)
    // Waits until the index has no trace of that Unit.
    await expect
      .poll(async () => (await readSnapshot(folder.path, namespaceId)).cursor)
      .toBeGreaterThan(ingested.body.seq)
    expect((await readSnapshot(folder.path, namespaceId)).shard.unitIds.find(lost)).toBe(-1)
  }
  expect((await app.call('POST', '/v1/compaction', { token })).status).toBe(200)
  expect([...(await feed.manifest(namespaceId, 'text')).keys()]).toEqual([kept])
})
