import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { IndexFeed } from '../../../src/ports/indexes/index-filter.ts'
import { indexedUnit, put } from '../../contract/index-fixtures.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { createFaultyIndex } from '../../support/index/faulty-index.ts'

let index: ReturnType<typeof createFaultyIndex>
let app: TestApp
let token: string
let namespaceId: string
/** Runs immediately after the indexes have applied changes. */
let afterApply: () => void

beforeAll(async () => {
  index = createFaultyIndex()
  const watched = (feed: IndexFeed): IndexFeed => ({
    ...feed,
    apply: async (...change) => {
      const applied = await feed.apply(...change)
      afterApply()
      return applied
    },
  })
  const [vectors, texts] = [index.vectors, index.texts]
  app = await boot({
    config: { ingestWaitMs: 300 },
    bindings: {
      vectors: { ...vectors, feed: watched(vectors.feed) },
      texts: { ...texts, feed: watched(texts.feed) },
    },
  })
})
afterAll(async () => {
  await app.close()
  await index.close()
})

beforeEach(async ({ task }) => {
  afterApply = () => {}
  token = await app.principal({ id: task.id, namespace: task.id })
  namespaceId = (await app.runtime.bindings.catalog.access.namespace(task.id))?.namespace.id ?? ''
})

const ingest = async (text: string) => {
  const body = { units: [{ text, vector: [1, 2, 3] }] }
  const reply = await app.call('POST', '/v1/ingest', { token, scope: 'dock', body })
  expect(reply.status).toBe(200)
  return reply.body.indexed
}
const search = async (q: string) => (await app.call('POST', '/v1/search', { token, body: { q } })).body
const cursorsFail = (fail: boolean) => {
  for (const fault of Object.values(index.faults)) fault.cursorFails = fail
}

describe('indexes that are ahead of the catalog, and away at first', () => {
  test('are rebuilt as soon as they are back', async () => {
    const foreign = [put(indexedUnit('unit_ghost', 900, { text: 'lantern' }))]
    for (const { feed } of [index.vectors, index.texts]) await feed.apply(namespaceId, foreign, 1000)
    cursorsFail(true)
    expect(await ingest('a lantern')).toBe(false)
    index.faults.texts.hold()
    cursorsFail(false)
    await expect.poll(() => index.vectors.feed.cursor(namespaceId)).toBe(1)
    expect((await search('lantern')).trace.index_seq).toBe(0)
    index.faults.texts.release()
    await expect.poll(async () => (await search('lantern')).trace.index_seq).toBe(1)
    expect((await search('lantern')).hits.map((hit: { text: string }) => hit.text)).toEqual(['a lantern'])
    for (const { feed } of [index.vectors, index.texts]) {
      expect([...(await feed.manifest(namespaceId, 'text')).keys()]).not.toContain('unit_ghost')
    }
  })
})

describe('indexes that go away once they have taken changes in', () => {
  test('fail no ingest, and go on when they are back', async () => {
    afterApply = () => cursorsFail(true)
    expect(await ingest('a lantern')).toBe(false)
    expect(await ingest('another lantern')).toBe(false)
    const { hits, trace } = await search('lantern')
    expect([hits.length, trace.seq, trace.index_seq]).toEqual([expect.any(Number), 2, 0])
    afterApply = () => {}
    cursorsFail(false)
    await expect.poll(async () => (await search('lantern')).trace.index_seq).toBe(2)
    await ingest('a third lantern')
    await expect.poll(async () => (await search('lantern')).hits.length).toBe(3)
  })
})
