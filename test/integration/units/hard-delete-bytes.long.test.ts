import { describe, expect, test } from 'vitest'
import { toUnitVector } from '../../../src/model/unit.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { heldBytes } from '../../support/database/held-bytes.ts'
import { sendDocument, taken } from '../../support/documents/files.ts'
import { sourcesOf } from '../../support/sources/uploads.ts'
import { eventually } from '../../support/waited.ts'

/** Of length 1, so that it is kept as it is sent. */
const vector = [...(toUnitVector(Array.from({ length: 384 }, (_, i) => Math.sin(i + 1))) ?? [])]
const needles = [
  Buffer.from('zqshort'),
  Buffer.from('zqlong'),
  Buffer.from('zqmeta'),
  Buffer.from('zqformer'),
  Buffer.from('zqfilm'),
  Buffer.from(Float32Array.from(vector).buffer),
]

/** Embedded only: an external server's files depend on its own vacuum. */
async function withStorage(work: (storage: TestStorage) => Promise<void>): Promise<void> {
  const storage = await createStorage({ embedded: true })
  await work(storage)
  await storage.remove()
}

/** The secrets that occur in any file of the data directory. */
const held = (storage: TestStorage) => heldBytes(storage.dataDir, needles)

const filler = Array.from({ length: 60 }, (_, i) => `ordinary ${i} ${'words of the harbour '.repeat(i)}`)

const keeperOf = (app: TestApp) => app.principal({ id: 'keeper', namespace: 'vault' })

async function fill(app: TestApp, token: string): Promise<string[]> {
  const upload = await app.graphql(
    'mutation ($data: Bytes!) { createSource(input: { data: $data }) { sourceUri } }',
    { data: Buffer.from('zqfilm of the harbour').toString('base64') },
    { token },
  )
  const ingest = async (units: readonly object[]): Promise<string[]> => {
    const { status, body } = await app.call('POST', '/v1/ingest', { token, scope: 'dock', body: { units } })
    expect(status).toBe(200)
    return body.units.map((unit: { unit_id: string }) => unit.unit_id)
  }
  await ingest(filler.slice(0, 30).map((text) => ({ text, vector: vector.map(() => 0.5) })))
  await ingest([{ text: 'zqformer words', external_id: 'changed', vector }])
  const ids = await ingest([
    {
      text: 'zqshort words',
      vector,
      metadata: { note: 'zqmeta' },
      source_uri: upload.body.data.createSource.sourceUri,
    },
    { text: `zqlong ${'and many words of another kind '.repeat(500)}`, vector },
    { text: 'other words', external_id: 'changed', vector },
  ])
  await ingest(filler.slice(30).map((text) => ({ text })))
  return ids
}

async function remove(app: TestApp, token: string, ids: readonly string[]): Promise<void> {
  const { body } = await app.call('POST', '/v1/units:delete', { token, body: { ids, hard: true } })
  expect(body).toMatchObject({ purged: ids.length, sources_purged: 1 })
}

async function expectTheRest(app: TestApp, token: string): Promise<void> {
  const { body } = await app.call('GET', '/v1/units', { token })
  expect(body.units.map((unit: { text: string }) => unit.text)).toEqual(filler)
}

const mail = [
  'From: pilot@example.com',
  'Subject: zqsubject of the week',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=cut',
  '',
  '--cut',
  'Content-Type: text/plain',
  '',
  'zqtext: the tide tables are attached.',
  '--cut',
  'Content-Type: text/plain; name="zqinside.txt"',
  'Content-Disposition: attachment; filename="zqinside.txt"',
  '',
  'zqattached: high water at noon.',
  '--cut--',
  '',
].join('\r\n')

const words = ['zqlink', 'zqfolder', 'zqdoc', 'zqmeta', 'zqsubject', 'zqtext', 'zqinside', 'zqattached', 'zqbroken']
const namesAndTexts = words.map((word) => Buffer.from(word))

/** A mail with an attachment, by a link and under names of its own, and a file that fails. */
async function fillDocuments(app: TestApp, token: string): Promise<string[]> {
  const sources = sourcesOf(app)
  const sourceUri = await sources.upload(mail, { token }, { name: 'zqlink.eml', mime: 'message/rfc822' })
  const more = { docId: 'zqdoc', scope: 'dock', metadata: { note: 'zqmeta' } }
  const sent = await sendDocument(app, { sourceUri, name: 'zqfolder/tides.eml', ...more }, { token })
  const broken = await taken(app, token, 'zqbroken.bin', new Uint8Array([0, 1, 2, 0, 255]), { scope: 'dock' })
  const { documentId } = sent.body.data.ingestDocument
  // The attachment is found last.
  await eventually(async () => {
    const query = '{ documents(docIdPrefix: "zqdoc") { documents { status } } }'
    const { body } = await app.graphql(query, {}, { token })
    expect(body.data.documents.documents).toEqual([{ status: 'ready' }, { status: 'ready' }])
  })
  return [documentId, broken.documentId]
}

async function removeDocuments(app: TestApp, token: string, ids: readonly string[]): Promise<void> {
  const query =
    'mutation ($ids: [String!]!) { deleteDocuments(documentIds: $ids, hard: true) { purged sourcesPurged } }'
  const { body } = await app.graphql(query, { ids }, { token })
  expect(body.data.deleteDocuments).toMatchObject({ sourcesPurged: 3 })
}

describe('the bytes of what is hard-deleted', () => {
  test('of Units are gone from the data directory when the service has stopped', () =>
    withStorage(async (storage) => {
      const first = await boot({ storage })
      const token = await keeperOf(first)
      const ids = await fill(first, token)
      await first.close({ keep: true })
      expect(held(storage)).not.toEqual([])

      const second = await boot({ storage })
      await remove(second, token, ids)
      await second.close({ keep: true })
      expect(held(storage)).toEqual([])

      const third = await boot({ storage })
      await expectTheRest(third, token)
      await third.close({ keep: true })
    }))

  test('of the name of a document that failed are gone when the service has stopped', () =>
    withStorage(async (storage) => {
      const app = await boot({ storage })
      const token = await keeperOf(app)
      const bytes = new Uint8Array([0, 1, 2, 0, 255])
      const { documentId } = await taken(app, token, 'zqbroken.bin', bytes, { scope: 'dock' })
      const query = 'mutation ($ids: [String!]!) { deleteDocuments(documentIds: $ids, hard: true) { matched } }'
      await app.graphql(query, { ids: [documentId] }, { token })
      await app.close({ keep: true })
      expect(heldBytes(storage.dataDir, namesAndTexts)).toEqual([])
    }))

  // They mostly wait for the next pass, so they run concurrently.
  test.concurrent('of Units are gone within a minute while the service runs', ({ expect }) =>
    withStorage(async (storage) => {
      const app = await boot({ storage })
      const token = await keeperOf(app)
      const ids = await fill(app, token)
      await expect.poll(() => held(storage)).toHaveLength(needles.length)
      await remove(app, token, ids)
      await expect.poll(() => held(storage), { interval: 1000 }).toEqual([])
      await expectTheRest(app, token)
      await app.close({ keep: true })
    }))

  test.concurrent('of documents are gone within a minute, with their names', ({ expect }) =>
    withStorage(async (storage) => {
      const named = () => heldBytes(storage.dataDir, namesAndTexts)
      const app = await boot({ storage })
      const token = await keeperOf(app)
      await taken(app, token, 'stays.txt', 'The rest stays.', { scope: 'dock' })
      const ids = await fillDocuments(app, token)
      await expect.poll(named).toEqual(words)
      await removeDocuments(app, token, ids)
      await expect.poll(named, { interval: 1000 }).toEqual([])
      const { body } = await app.call('GET', '/v1/units', { token })
      expect(body.units.map((unit: { text: string }) => unit.text)).toEqual(['The rest stays.'])
      await app.close({ keep: true })
    }))
})
