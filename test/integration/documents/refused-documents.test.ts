import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { errorOf } from '../../support/access/api-keys.ts'
import { boot, type CallOptions, superAdminToken, type TestApp } from '../../support/boot.ts'
import { ingestFile, sendDocument, taken, upload } from '../../support/documents/files.ts'
import { makePng } from '../../support/documents/make-png.ts'
import { sourcesOf } from '../../support/sources/uploads.ts'

const namespace = 'harbour'
const scope = 'shed'

let app: TestApp
let keeper: string
let guest: string
let mute: string
/** A document of the keeper that a guest sees, one that is its own, and one that has failed. */
let ids: { open: string; hidden: string; failed: string }
let foreign: string

beforeAll(async () => {
  app = await boot()
  keeper = await app.principal({ id: 'keeper', namespace })
  guest = await app.principal({ id: 'guest', namespace, grants: [{ scope: '*', perms: ['read'] }] })
  mute = await app.principal({ id: 'mute', namespace, grants: [] })
  const open = await taken(app, keeper, 'open.txt', 'Oars are in the loft.', { scope, aclGroups: ['*'] })
  const hidden = await taken(app, keeper, 'hidden.txt', 'Sails are in the loft.', { scope })
  const failed = await taken(app, keeper, 'failed.json', '{', { scope })
  ids = { open: open.documentId, hidden: hidden.documentId, failed: failed.documentId }
  foreign = await upload(app, keeper, 'Never taken in.')
})
afterAll(() => app.close())

/** Everything that an operation on documents may write, but the log. */
async function holdings() {
  const { client } = app.runtime.bindings.catalog as PrismaCatalog
  const home = { namespace: { name: namespace } }
  const stored = readdirSync(join(app.storage.dataDir, 'objects'), { recursive: true, withFileTypes: true })
  return {
    stored: stored.flatMap((entry) => (entry.isFile() ? join(entry.parentPath, entry.name) : [])).sort(),
    documents: await client.ingestedDocument.findMany({ where: home, orderBy: { documentId: 'asc' } }),
    sources: await client.source.findMany({ where: home, orderBy: { id: 'asc' } }),
    uploads: await client.upload.count({ where: home }),
    links: await client.sourceLink.count({ where: home }),
    units: await client.unit.findMany({ where: { scope: home }, orderBy: { unitId: 'asc' } }),
    scopes: await client.scope.findMany({ where: home, orderBy: { id: 'asc' } }),
  }
}

const ask = (query: string, options: CallOptions) => app.graphql(query, {}, options)

const writes = {
  createUpload: () => 'mutation { createUpload(input: { bytes: 1 }) { url } }',
  ingestDocument: () =>
    `mutation { ingestDocument(input: { sourceUri: "${foreign}", name: "a.txt", scope: "new/one" }) { documentId } }`,
  retryDocuments: () => `mutation { retryDocuments(documentIds: ["${ids.failed}", "${ids.open}"]) { documentId } }`,
  deleteDocuments: () => `mutation { deleteDocuments(documentIds: ["${ids.open}"], hard: true) { matched } }`,
}

const reads = {
  document: () => `{ document(documentId: "${ids.open}") { documentId } }`,
  documents: () => '{ documents { nextCursor } }',
  documentChanges: () => `subscription { documentChanges(documentIds: ["${ids.open}"]) { documentId } }`,
}

describe('403, and nothing is left', () => {
  it.each(Object.entries(writes))('%s without write', async (_, query) => {
    const before = await holdings()
    for (const token of [guest, mute]) {
      expect(errorOf(await ask(query(), { token }))).toMatchObject({ code: 'forbidden', status: 403 })
    }
    expect(await holdings()).toEqual(before)
  })

  it.each(Object.entries(reads))('%s without read', async (_, query) => {
    const before = await holdings()
    const headers = { accept: 'application/json, text/event-stream' }
    const { body } = await app.graphql(query(), {}, { token: mute, headers })
    expect(JSON.stringify(body)).toContain('forbidden')
    expect(JSON.stringify(body)).not.toContain(ids.open)
    expect(await holdings()).toEqual(before)
  })

  it('sourceLink without read', async () => {
    const before = await holdings()
    const [{ unitId } = { unitId: '' }] = before.units
    const reply = await sourcesOf(app).sourceLink({ unitId }, { token: mute })
    expect(errorOf(reply)).toMatchObject({ code: 'forbidden', status: 403 })
    expect(await holdings()).toEqual(before)
  })

  it('ingestDocument outside of what a key may write', async () => {
    const grants = [{ scope: 'shed', perms: ['read', 'write'] as const }]
    const mate = await app.principal({ id: 'mate', namespace, grants })
    const sourceUri = await upload(app, mate, 'Ropes are in the loft.')
    const before = await holdings()
    for (const elsewhere of ['loft', 'sheds', 'shed2/a']) {
      const reply = await sendDocument(app, { sourceUri, name: 'a.txt', scope: elsewhere }, { token: mate })
      expect(errorOf(reply)).toMatchObject({ code: 'forbidden', status: 403 })
    }
    expect(await holdings()).toEqual(before)
  })
})

describe('what is not one’s own', () => {
  it('is not taken in, and registers no scope', async () => {
    const other = await app.principal({ id: 'other', namespace })
    const before = await holdings()
    const reply = await sendDocument(app, { sourceUri: foreign, name: 'a.txt', scope: 'new/two' }, { token: other })
    expect(errorOf(reply)).toMatchObject({ code: 'bad_request', status: 400 })
    expect(await holdings()).toEqual(before)
  })

  it('is neither tried again nor deleted where it is hidden', async () => {
    const other = await app.principal({ id: 'another', namespace })
    const before = await holdings()
    const hidden = `["${ids.hidden}", "${ids.failed}"]`
    const retried = await ask(`mutation { retryDocuments(documentIds: ${hidden}) { documentId } }`, { token: other })
    expect(retried.body.data.retryDocuments).toEqual([])
    const query = `mutation { deleteDocuments(documentIds: ${hidden}, hard: true) { matched sourcesPurged } }`
    const deleted = await ask(query, { token: other })
    expect(deleted.body.data.deleteDocuments).toEqual({ matched: 0, sourcesPurged: 0 })
    expect(await holdings()).toEqual(before)
  })
})

/** What stays of a document that the background refuses: its record, its source, and no Unit. */
async function expectOnlyTheFile(before: Awaited<ReturnType<typeof holdings>>, documentId: string) {
  const after = await holdings()
  expect(after.units).toEqual(before.units)
  expect(after.documents.map((one) => one.documentId).sort()).toEqual(
    [...before.documents.map((one) => one.documentId), documentId].sort(),
  )
  expect(after.sources).toHaveLength(before.sources.length + 1)
  expect(after.stored).toHaveLength(before.stored.length + 1)
}

const mail = (picture: Buffer) =>
  [
    'From: a@example.com',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=cut',
    '',
    '--cut',
    'Content-Type: text/plain',
    '',
    'The picture is attached.',
    '--cut',
    'Content-Type: image/png; name="a.png"',
    'Content-Disposition: attachment; filename="a.png"',
    'Content-Transfer-Encoding: base64',
    '',
    picture.toString('base64'),
    '--cut--',
    '',
  ].join('\r\n')

describe('a run that is refused keeps the file alone', () => {
  // The text of the file is stored before, the picture in it after.
  it.each(['text', 'source'])('forbidden: the writer loses its rights while the %s is stored', async (kind) => {
    const id = `leaver-${kind}`
    const token = await app.principal({ id, namespace, grants: [{ scope, perms: ['read', 'write'] }] })
    const sourceUri = await upload(app, token, mail(Buffer.from(makePng(70, 70))), 'message/rfc822')
    const { catalog, objects } = app.runtime.bindings
    const { client } = catalog as PrismaCatalog
    const before = await holdings()
    const { put } = objects
    objects.put = async (key, bytes) => {
      await put(key, bytes)
      if (key.endsWith('/text') !== (kind === 'text')) return
      objects.put = put
      const gone = await app.call('DELETE', `/v1/principals/${id}`, { token: superAdminToken, namespace })
      expect(gone.body).toMatchObject({ deleted: true })
    }
    const sent = await sendDocument(app, { sourceUri, name: 'a.eml', scope }, { token })
    const { documentId } = sent.body.data.ingestDocument
    const state = async () => (await client.ingestedDocument.findFirst({ where: { documentId } }))?.reason
    await expect.poll(state).toBe('forbidden')
    const after = await holdings()
    expect(after).toMatchObject({ units: before.units, sources: before.sources, stored: before.stored })
  })

  it('quota_exceeded and upgrade_required: the Units, the text and what is attached are left out', async () => {
    const { client } = app.runtime.bindings.catalog as PrismaCatalog
    const where = { name: namespace }
    await client.namespace.updateMany({ where, data: { tier: 'free' } })
    await client.head.updateMany({ where: { namespace: where }, data: { documents: 25_000 } })
    const fresh = await app.principal({ id: 'fresh', namespace })
    for (const [name, bytes, reason] of [
      ['a.eml', mail(Buffer.from(makePng(70, 70))), 'quota_exceeded'],
      ['b.png', makePng(71, 71), 'upgrade_required'],
    ] as const) {
      const before = await holdings()
      const { documentId } = await ingestFile(app, fresh, name, bytes, { scope })
      const state = async () => (await client.ingestedDocument.findFirst({ where: { documentId } }))?.reason
      await expect.poll(state).toBe(reason)
      await expectOnlyTheFile(before, documentId)
    }
  })
})
