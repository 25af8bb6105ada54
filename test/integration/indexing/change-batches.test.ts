import { afterAll, beforeAll, expect, it } from 'vitest'
import { RecentChanges } from '../../../src/domain/indexing/feeder.ts'
import { indexedUnit, put } from '../../contract/index-fixtures.ts'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp

beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

it('bounds what an index gets at a time by the length of the texts, and leaves nothing out', async () => {
  const token = await app.principal({
    id: 'writer',
    namespace: 'long',
    tier: 'pro',
    grants: [{ scope: '*', perms: ['read', 'write'] }],
  })
  const text = 'all work and no play '.repeat(4800)
  const units = Array.from({ length: 12 }, (_, i) => ({
    text: i < 11 ? text : 'short',
    external_id: `u${i}`,
    scope: 'a',
  }))
  expect((await app.call('POST', '/v1/ingest', { token, body: { units } })).status).toBe(200)
  const { catalog } = app.runtime.bindings
  const namespaceId = (await catalog.access.namespace('long'))?.namespace.id ?? ''
  const sizes: number[] = []
  for (let seq = 0; ; ) {
    const rows = await catalog.changes.after(namespaceId, seq, 500)
    if (rows.length === 0) break
    expect(rows.map((row) => row.seq)).toEqual(rows.map((_, i) => seq + 1 + i))
    sizes.push(rows.length)
    seq += rows.length
  }
  expect(sizes).toEqual([6, 6])
})

it('hands out small batches that follow each other as one', () => {
  const recent = new RecentChanges()
  const batch = (after: number, size: number) => ({
    after,
    upTo: after + size,
    changes: Array.from({ length: size }, (_, i) => put(indexedUnit(`u${after + i}`, after + i + 1))),
  })
  for (const [after, size] of [
    [0, 2],
    [2, 1],
    [3, 600],
    [603, 1],
    [700, 1],
  ] as const)
    recent.add('ns', batch(after, size))
  recent.add('other', batch(2, 5))
  expect(recent.after('ns', 0)).toMatchObject({ after: 0, upTo: 603 })
  expect(recent.after('ns', 0)?.changes).toHaveLength(603)
  expect(recent.after('ns', 3)).toMatchObject({ after: 3, upTo: 603 })
  expect(recent.after('ns', 603)).toMatchObject({ after: 603, upTo: 604 })
  expect(recent.after('ns', 604)).toBeUndefined()
})
