import { afterEach, beforeEach, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { heldBytes } from '../../support/database/held-bytes.ts'
import { sendDocument, taken } from '../../support/documents/files.ts'
import { sourcesOf } from '../../support/sources/uploads.ts'

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
const needles = words.map((word) => Buffer.from(word))

let storage: TestStorage
// Embedded only: an external server's files depend on its own vacuum.
beforeEach(async () => {
  storage = await createStorage({ embedded: true })
})
afterEach(() => storage.remove())

const held = () => heldBytes(storage.dataDir, needles)

/** A mail with an attachment, by a link and under names of its own, and a file that fails. */
async function fill(app: TestApp, token: string): Promise<string[]> {
  const sources = sourcesOf(app)
  const sourceUri = await sources.upload(mail, { token }, { name: 'zqlink.eml', mime: 'message/rfc822' })
  const more = { docId: 'zqdoc', scope: 'dock', metadata: { note: 'zqmeta' } }
  const sent = await sendDocument(app, { sourceUri, name: 'zqfolder/tides.eml', ...more }, { token })
  const broken = await taken(app, token, 'zqbroken.bin', new Uint8Array([0, 1, 2, 0, 255]), { scope: 'dock' })
  const { documentId } = sent.body.data.ingestDocument
  // The attachment is found last.
  await expect
    .poll(async () => {
      const query = '{ documents(docIdPrefix: "zqdoc") { documents { status } } }'
      const { body } = await app.graphql(query, {}, { token })
      return body.data.documents.documents.map(({ status }: { status: string }) => status)
    })
    .toEqual(['ready', 'ready'])
  return [documentId, broken.documentId]
}

async function remove(app: TestApp, token: string, ids: readonly string[]): Promise<void> {
  const query =
    'mutation ($ids: [String!]!) { deleteDocuments(documentIds: $ids, hard: true) { purged sourcesPurged } }'
  const { body } = await app.graphql(query, { ids }, { token })
  expect(body.data.deleteDocuments).toMatchObject({ sourcesPurged: 3 })
}

test('texts, bytes and names of documents are gone within a minute', { timeout: 240_000 }, async () => {
  const app = await boot({ storage })
  const token = await app.principal({ id: 'keeper', namespace: 'vault' })
  await taken(app, token, 'stays.txt', 'The rest stays.', { scope: 'dock' })
  const ids = await fill(app, token)
  await expect.poll(held).toEqual(words)
  await remove(app, token, ids)
  await expect.poll(held, { interval: 500 }).toEqual([])
  const { body } = await app.call('GET', '/v1/units', { token })
  expect(body.units.map((unit: { text: string }) => unit.text)).toEqual(['The rest stays.'])
  await app.close({ keep: true })
})

test('the name of a file that failed is gone when the service has stopped', async () => {
  const app = await boot({ storage })
  const token = await app.principal({ id: 'keeper', namespace: 'vault' })
  const { documentId } = await taken(app, token, 'zqbroken.bin', new Uint8Array([0, 1, 2, 0, 255]), { scope: 'dock' })
  const query = 'mutation ($ids: [String!]!) { deleteDocuments(documentIds: $ids, hard: true) { matched } }'
  await app.graphql(query, { ids: [documentId] }, { token })
  await app.close({ keep: true })
  expect(held()).toEqual([])
})
