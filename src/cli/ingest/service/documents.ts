import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { pauseAfter } from '../../../async/backoff.ts'
import { completes } from '../../program/graphql.ts'
import type { Client } from './client.ts'

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

interface DocumentInput {
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

const isComing = ({ status }: Document): boolean => status === 'queued' || status === 'running'

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

async function retryDocuments(client: Client, documents: readonly Document[]): Promise<void> {
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

const maxPrefix = 128
/** The service gives longer docIds this form. */
const hashed = 'sha256:'

/** Documents that a document holds, at any depth. */
export function within(parent: Document, documents: readonly Document[]): Document[] {
  const ids = new Set([parent.documentId])
  const found: Document[] = []
  for (let before = -1; before < found.length; ) {
    before = found.length
    for (const one of documents) {
      if (one.parent === null || !ids.has(one.parent) || ids.has(one.documentId)) continue
      ids.add(one.documentId)
      found.push(one)
    }
  }
  return found
}

/** A file's attachments when all their runs have ended. */
export async function settledAttachments(client: Client, parent: Document): Promise<Document[]> {
  const prefix = `${parent.docId}#`
  const wait = createWait(client)
  for (;;) {
    const listed = prefix.length > maxPrefix ? [] : await listDocuments(client, parent.scope, prefix)
    // Where the parent's own docId is long, those of its attachments may be hashes.
    if (prefix.length > maxPrefix / 2) listed.push(...(await listDocuments(client, parent.scope, hashed)))
    const found = within(parent, listed)
    const coming = found.filter(isComing)
    if (coming.length === 0) return found
    await wait(coming)
  }
}

/** What a second try can't change. */
export const isSkipped = ({ status, reason }: Pick<Document, 'status' | 'reason'>): boolean =>
  status === 'failed' && (reason === 'unsupported' || reason === 'empty')

/** Tries attachments again that have failed. */
export async function retryAttachments(client: Client, attachments: readonly Document[]): Promise<void> {
  await retryDocuments(
    client,
    attachments.filter((one) => one.status === 'failed' && !isSkipped(one)),
  )
}

const pauseMs = { first: 50, max: 1_000, factor: 1.5 }
/** As many as a subscription takes. */
const maxWatched = 1_000

const changes = 'subscription ($ids: [String!]) { documentChanges(documentIds: $ids) { status } }'

/**
 * How to wait before asking again for documents whose runs have not ended. Short runs are over after the first short
 * pauses. Then it watches them until they end; where the service gives no subscription, it pauses.
 */
function createWait({ service }: Client): (documents: readonly { documentId: string }[]) => Promise<void> {
  let waits = 0
  return async (documents) => {
    const ids = documents.slice(0, maxWatched).map(({ documentId }) => documentId)
    const pause = pauseAfter(pauseMs, waits)
    if (pause === pauseMs.max && (await completes(service, changes, { ids }))) return
    await sleep(pause)
    waits += 1
  }
}
