import { setTimeout as sleep } from 'node:timers/promises'
import type { CallOptions, Reply, TestApp } from '../boot.ts'

const documentFields =
  'documentId docId scope name mime bytes sha256 sourceUri status reason detail units metadata aclGroups parent attempts createdAt updatedAt'

// Checked field by field in the tests themselves.
// biome-ignore lint/suspicious/noExplicitAny: the wire has no types
export type Document = any

/** Uploads bytes as a source of the caller; returns its URI. */
export async function upload(
  app: TestApp,
  token: string,
  data: string | Uint8Array,
  mime = 'text/plain',
): Promise<string> {
  const { body } = await app.graphql(
    'mutation ($input: CreateSourceInput!) { createSource(input: $input) { sourceUri } }',
    { input: { data: Buffer.from(data).toString('base64'), mime } },
    { token },
  )
  return body.data.createSource.sourceUri
}

export const sendDocument = (app: TestApp, input: object, options: CallOptions): Promise<Reply> =>
  app.graphql(
    `mutation ($input: IngestDocumentInput!) { ingestDocument(input: $input) { ${documentFields} } }`,
    { input },
    options,
  )

/** Uploads a file and ingests it; the document may still be queued. */
export async function ingestFile(
  app: TestApp,
  token: string,
  name: string,
  data: string | Uint8Array,
  more: object = {},
): Promise<Document> {
  const reply = await sendDocument(app, { sourceUri: await upload(app, token, data), name, ...more }, { token })
  if (!reply.body.data?.ingestDocument) throw new Error(JSON.stringify(reply.body))
  return reply.body.data.ingestDocument
}

/** The document when it is ready or has failed. */
export async function settled(app: TestApp, token: string, documentId: string): Promise<Document> {
  for (;;) {
    const found = await documentOf(app, token, documentId)
    if (found === null) throw new Error('the document is gone')
    if (found.status === 'ready' || found.status === 'failed') return found
    await sleep(20)
  }
}

/** Null where the caller finds none. */
export async function documentOf(app: TestApp, token: string, documentId: string): Promise<Document> {
  const { body } = await app.graphql(
    `query ($id: String!) { document(documentId: $id) { ${documentFields} } }`,
    { id: documentId },
    { token },
  )
  return body.data?.document ?? null
}

/** The same in one step. */
export async function taken(
  app: TestApp,
  token: string,
  name: string,
  data: string | Uint8Array,
  more: object = {},
): Promise<Document> {
  const { documentId } = await ingestFile(app, token, name, data, more)
  return settled(app, token, documentId)
}
