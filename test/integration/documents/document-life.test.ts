import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { documentOf, ingestFile, taken } from '../../support/documents/files.ts'
import { makeDocx, relations } from '../../support/documents/make-office.ts'
import { makePng } from '../../support/documents/make-png.ts'

const scope = 'shed'

let app: TestApp
let token: string

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'keeper', namespace: 'harbour' })
})

afterAll(() => app.close())

const remove = async (documentIds: readonly string[], hard: boolean) => {
  const { body } = await app.graphql(
    'mutation ($ids: [String!]!, $hard: Boolean) { deleteDocuments(documentIds: $ids, hard: $hard) { matched tombstoned purged sourcesPurged } }',
    { ids: documentIds, hard },
    { token },
  )
  return body.data.deleteDocuments
}

const listed = async (args: string) => {
  const { body } = await app.graphql(`{ documents${args} { documents { docId status } nextCursor } }`, {}, { token })
  return body.data.documents
}

const units = async (docId: string) => {
  const { body } = await app.call('GET', '/v1/units?limit=100', { token })
  return body.units.filter((unit: { doc_id: string }) => unit.doc_id === docId)
}

test('a soft deletion hides a document, and restoring its Units brings it back', async () => {
  const { documentId, units: count } = await taken(app, token, 'soft.txt', 'Buoys are painted in May.', { scope })
  const ids = (await units('soft.txt')).map((unit: { unit_id: string }) => unit.unit_id)
  expect(await remove([documentId, 'unknown'], false)).toMatchObject({ matched: count, tombstoned: count, purged: 0 })
  expect(await documentOf(app, token, documentId)).toBeNull()
  await app.graphql('mutation ($ids: [String!]!) { restoreUnits(ids: $ids) { matched } }', { ids }, { token })
  expect(await documentOf(app, token, documentId)).toMatchObject({ status: 'ready', units: count })
})

test('a hard deletion removes Units and source, also of a failed document', async () => {
  const good = await taken(app, token, 'hard.txt', 'Chains rust in the rain.', { scope })
  expect(await remove([good.documentId], true)).toMatchObject({ purged: good.units, sourcesPurged: 1 })
  expect(await documentOf(app, token, good.documentId)).toBeNull()
  const bad = await taken(app, token, 'bad.bin', new Uint8Array([0, 1, 2, 0, 255]), { scope })
  expect(bad).toMatchObject({ status: 'failed', reason: 'unsupported' })
  expect(await remove([bad.documentId], true)).toMatchObject({ matched: 0, sourcesPurged: 1 })
  expect(await documentOf(app, token, bad.documentId)).toBeNull()
})

test('a document goes with its last live Unit', async () => {
  const { documentId } = await taken(app, token, 'last.txt', 'The last ferry leaves at ten.', { scope })
  await app.call('POST', '/v1/units:delete', { token, body: { filter: { doc_id: 'last.txt' }, hard: true } })
  expect(await documentOf(app, token, documentId)).toBeNull()
})

test('the list is by docId, in pages, and filtered', async () => {
  for (const name of ['b/2.txt', 'b/1.txt', 'b/3.txt']) await taken(app, token, name, `About ${name}.`, { scope })
  const documents = ['b/1.txt', 'b/2.txt'].map((docId) => ({ docId, status: 'ready' }))
  expect(await listed('(docIdPrefix: "b/", limit: 2)')).toEqual({ documents, nextCursor: 2 })
  const second = await listed('(docIdPrefix: "b/", limit: 2, cursor: 2)')
  expect(second).toEqual({ documents: [{ docId: 'b/3.txt', status: 'ready' }], nextCursor: null })
  expect((await listed('(docIdPrefix: "b/", status: failed)')).documents).toEqual([])
  expect((await listed('(docIds: ["b/2.txt", "b/1.txt", "none"])')).documents).toEqual(documents)
})

/** A Word file with nothing but a picture. */
const pictureOnly = (alternative: string) =>
  makeDocx(
    `<w:p><w:r><w:drawing><wp:inline><wp:docPr descr="${alternative}.png"/><a:graphic><pic:pic><pic:nvPicPr>
      <pic:cNvPr descr="${alternative}"/></pic:nvPicPr><pic:blipFill><a:blip r:embed="r1"/></pic:blipFill></pic:pic>
      </a:graphic></wp:inline></w:drawing></w:r></w:p>`,
    {
      'word/_rels/document.xml.rels': relations({ r1: ['image', 'media/image1.png'] }),
      'word/media/image1.png': makePng(80, 80),
    },
  )

test('a file of nothing but a picture is ready, and what its author wrote finds the picture', async () => {
  const [name, inside] = ['poster.docx', 'poster.docx#image1.png']
  const found = async () => (await units(inside)).map((unit: { text: string }) => unit.text)
  const poster = await taken(app, token, name, pictureOnly('A kite over the bay'), { scope })
  expect(poster).toMatchObject({ status: 'ready', reason: null, units: 0 })
  await expect.poll(found).toEqual(['image1\nA kite over the bay'])
  const [unit] = await units(inside)
  expect(unit.metadata).toMatchObject({ path: 'image1.png' })
  expect((await listed('(docIdPrefix: "poster")')).documents.map((one: { docId: string }) => one.docId)).toEqual([
    name,
    inside,
  ])
  // Sent again it is there; with other words for the same picture only those change.
  expect(await ingestFile(app, token, name, pictureOnly('A kite over the bay'), { scope })).toMatchObject({
    status: 'ready',
  })
  await taken(app, token, name, pictureOnly('Two kites'), { scope })
  await expect.poll(found).toEqual(['image1\nTwo kites'])
  expect(await remove([poster.documentId], false)).toMatchObject({ tombstoned: 1 })
  expect((await listed('(docIdPrefix: "poster")')).documents).toEqual([])
  // Not merely unchanged: its Units are gone.
  await taken(app, token, name, pictureOnly('Two kites'), { scope })
  await expect.poll(found).toEqual(['image1\nTwo kites'])
  expect(await remove([poster.documentId], true)).toMatchObject({ purged: 1, sourcesPurged: 2 })
  expect((await listed('(docIdPrefix: "poster")')).documents).toEqual([])
})

test('a plane that the scope has not enabled is forbidden', async () => {
  await app.call('POST', '/v1/scopes', { token, body: { scope: 'texts' } })
  const update = 'mutation { updateScope(scope: "texts", input: { planes: [text] }) { scope } }'
  expect((await app.graphql(update, {}, { token })).body.errors).toBeUndefined()
  const refused = await taken(app, token, 'a.png', makePng(70, 70), { scope: 'texts' })
  expect(refused).toMatchObject({ status: 'failed', reason: 'forbidden', attempts: 1 })
  expect(refused.detail).toBe('scope texts does not enable the plane visual, only text')
})

test('the free tier: other planes need an upgrade, and its cap of documents holds', async () => {
  const free = await app.principal({ id: 'visitor', namespace: 'small', tier: 'free' })
  const picture = await taken(app, free, 'a.png', makePng(70, 70), { scope })
  expect(picture).toMatchObject({ status: 'failed', reason: 'upgrade_required', attempts: 1 })
  const { client } = app.runtime.bindings.catalog as PrismaCatalog
  const where = { namespace: { name: 'small' } }
  await taken(app, free, 'known.txt', 'Oars are in the loft.', { scope })
  // Simulates this many other documents.
  await client.head.updateMany({ where, data: { documents: 25_000 } })
  const refused = await taken(app, free, 'one-more.txt', 'Sails are in the loft.', { scope })
  expect(refused).toMatchObject({ status: 'failed', reason: 'quota_exceeded', attempts: 1, units: 0 })
  // What is there may still change.
  expect(await taken(app, free, 'known.txt', 'Oars are on the roof.', { scope })).toMatchObject({ status: 'ready' })
})

test('what may pass is tried again by itself, and by the writer when it does not', async () => {
  const { objects } = app.runtime.bindings
  const { open } = objects
  objects.open = async () => {
    objects.open = open
    throw new Error('the store is away')
  }
  const document = await taken(app, token, 'away.txt', 'The store is back.', { scope })
  expect(document).toMatchObject({ status: 'ready', attempts: 2, reason: null })
  const stranger = await app.principal({ id: 'stranger', namespace: 'harbour' })
  const bad = await taken(app, token, 'bad.json', '{', { scope })
  const retry = async (as: string) => {
    const mutation = 'mutation ($ids: [String!]!) { retryDocuments(documentIds: $ids) { documentId status } }'
    const { body } = await app.graphql(mutation, { ids: [bad.documentId, document.documentId] }, { token: as })
    return body.data.retryDocuments.map((one: { status: string }) => one.status)
  }
  expect(await retry(stranger)).toEqual([])
  const [again, there] = await retry(token)
  expect(['queued', 'running', 'failed']).toContain(again)
  expect(there).toBe('ready')
  await app.runtime.domain.background.idle()
  await expect.poll(() => documentOf(app, token, bad.documentId)).toMatchObject({ status: 'failed', attempts: 1 })
})
