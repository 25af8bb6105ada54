import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import type { Catalog } from '../../../src/ports/catalog.ts'
import { boot, type TestApp } from '../../support/boot.ts'

/** The Units of a deleted scope count nowhere after the deletion, whether swept or not. */

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

const isPrisma = (catalog: Catalog): catalog is PrismaCatalog => 'client' in catalog

/** Stops the sweeper until the returned function is called. */
function pauseSweeper(): () => Promise<void> {
  const { changes } = app.runtime.bindings.catalog
  const { unswept } = changes
  changes.unswept = async () => []
  return async () => {
    changes.unswept = unswept
    app.runtime.domain.background.kick()
    await app.runtime.domain.background.idle()
  }
}

it('frees the document cap at once, and once, and leaves statistics and hidden counts', async () => {
  const token = await app.principal({ id: 'keeper', namespace: 'small', tier: 'free' })
  const other = await app.principal({ id: 'other', namespace: 'small' })
  const put = (scope: string, ...units: object[]) =>
    app.call('POST', '/v1/ingest', { token, scope, body: { units: units.map((u) => ({ text: 'a ferry', ...u })) } })
  const remove = (external_id: string) =>
    app.call('POST', '/v1/units:delete', { token, body: { filter: { external_id } } })
  const counts = async () => {
    const { body } = await app.call('GET', '/v1/catalog/stats', { token })
    const text = body.planes.find((plane: { plane: string }) => plane.plane === 'text')
    return { rows: body.storage.catalog_rows, vectors: body.storage.vectors, indexed: text.indexed }
  }
  const hidden = async () => (await app.call('GET', '/v1/units', { token: other })).body.hidden_by_acl

  // Three documents, one of them in both scopes; the deletion frees two.
  await put('kept', { doc_id: 'shared' })
  await put('doomed/deep', { doc_id: 'shared' }, { doc_id: 'whole' }, { doc_id: 'whole' }, {})
  const { catalog } = app.runtime.bindings
  if (!isPrisma(catalog)) throw new Error('the catalog keeps no tables')
  // Simulates this many other documents.
  await catalog.client.head.updateMany({ where: { namespace: { name: 'small' } }, data: { documents: 25_000 } })
  expect((await put('kept', {})).body.error).toBe('quota_exceeded')
  expect(await counts()).toEqual({ rows: 5, vectors: 5, indexed: 5 })
  expect(await hidden()).toBe(5)

  const resume = pauseSweeper()
  expect((await app.call('DELETE', '/v1/scopes/doomed', { token })).status).toBe(404)
  expect((await app.call('DELETE', '/v1/scopes/doomed%2Fdeep', { token })).status).toBe(200)
  expect(await counts()).toMatchObject({ rows: 1, vectors: 1 })
  expect(await hidden()).toBe(1)
  expect((await put('kept', {}, {}, {})).body.error).toBe('quota_exceeded')
  // A document of only the deleted scope counts as new.
  expect((await put('kept', { external_id: 'one', doc_id: 'whole' }, { external_id: 'two' })).status).toBe(200)
  for (const unit of [{}, { doc_id: 'new' }]) expect((await put('kept', unit)).body.error).toBe('quota_exceeded')
  expect((await put('kept', { doc_id: 'shared' }, { doc_id: 'whole' })).status).toBe(200)

  await resume()
  expect((await put('kept', {})).body.error).toBe('quota_exceeded')
  expect((await remove('two')).body.matched).toBe(1)
  const both = await Promise.all([put('kept', { external_id: 'last' }), put('kept', { external_id: 'late' })])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 402])
  expect(await counts()).toEqual({ rows: 5, vectors: 5, indexed: 5 })
  const head = await catalog.client.head.findFirst({ where: { namespace: { name: 'small' } } })
  expect(head?.documents).toBe(25_000)
})
