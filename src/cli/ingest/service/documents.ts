import { z } from 'zod'
import type { Client } from './client.ts'
import { createWait } from './wait.ts'

const document = z.object({
  documentId: z.string(),
  docId: z.string(),
  scope: z.string(),
  name: z.string(),
  sha256: z.string().nullable(),
  sourceUri: z.string().nullable(),
  status: z.enum(['queued', 'running', 'ready', 'failed']),
  reason: z.string().nullable(),
  detail: z.string().nullable(),
  units: z.number(),
  metadata: z.record(z.string(), z.unknown()),
  aclGroups: z.array(z.string()),
  parent: z.string().nullable(),
  attempts: z.number(),
  updatedAt: z.number(),
})
export type Document = z.output<typeof document>

export interface DocumentInput {
  sourceUri: string
  name: string
  scope: string
  docId: string
  aclGroups: readonly string[]
  metadata: Readonly<Record<string, string>>
  sidecar: string | undefined
  force: boolean
}

const fields =
  'documentId docId scope name sha256 sourceUri status reason detail units metadata aclGroups parent attempts updatedAt'

export const isComing = ({ status }: Document): boolean => status === 'queued' || status === 'running'

/** Others see of a document only that it is ready; how often it was tried is for its writer alone. */
export const isOwn = ({ status, attempts }: Document): boolean => status !== 'ready' || attempts > 0

const perPage = 100
const page = z.object({ documents: z.object({ documents: z.array(document), nextCursor: z.number().nullable() }) })

/** Documents of the scope whose docId begins so. */
export async function listDocuments(client: Client, scope: string, docIdPrefix: string): Promise<Document[]> {
  const found: Document[] = []
  for (let cursor: number | null = 0; cursor !== null; ) {
    const answer: z.output<typeof page> = await client.ask(
      page,
      `query ($scope: String, $docIdPrefix: String, $cursor: SafeInt, $limit: Int) {
        documents(scope: $scope, docIdPrefix: $docIdPrefix, cursor: $cursor, limit: $limit) {
          documents { ${fields} } nextCursor } }`,
      { scope, docIdPrefix, cursor, limit: perPage },
    )
    found.push(...answer.documents.documents)
    cursor = answer.documents.nextCursor
  }
  // The scope's own: those of the scopes below it are other ones.
  return found.filter((one) => one.scope === scope)
}

export async function ingestDocument(client: Client, input: DocumentInput): Promise<Document> {
  const { ingestDocument } = await client.ask(
    z.object({ ingestDocument: document }),
    `mutation ($input: IngestDocumentInput!) { ingestDocument(input: $input) { ${fields} } }`,
    { input },
  )
  return ingestDocument
}

/** The document when its run has ended. */
export async function settled(client: Client, begun: Document): Promise<Document> {
  const wait = createWait(client)
  let now = begun
  while (isComing(now)) {
    await wait([now])
    const answer = await client.ask(
      z.object({ document }),
      `query ($id: String!) { document(documentId: $id) { ${fields} } }`,
      { id: begun.documentId },
    )
    now = answer.document
  }
  return now
}

export async function retryDocuments(client: Client, documents: readonly Document[]): Promise<void> {
  if (documents.length === 0) return
  await client.ask(
    z.object({ retryDocuments: z.array(z.unknown()) }),
    'mutation ($ids: [String!]!) { retryDocuments(documentIds: $ids) { documentId } }',
    { ids: documents.map(({ documentId }) => documentId) },
  )
}

export async function deleteDocuments(client: Client, documents: readonly Document[], hard: boolean): Promise<void> {
  await client.ask(
    z.object({ deleteDocuments: z.object({ matched: z.number() }) }),
    'mutation ($ids: [String!]!, $hard: Boolean!) { deleteDocuments(documentIds: $ids, hard: $hard) { matched } }',
    { ids: documents.map(({ documentId }) => documentId), hard },
  )
}
