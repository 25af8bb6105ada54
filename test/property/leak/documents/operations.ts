import type { CallOptions, Reply, TestApp } from '../../../support/boot.ts'
import { sha256 } from '../../../support/sources/uploads.ts'
import type { Draw } from '../../draw.ts'
import type { Actor, World } from '../model.ts'
import { scopePool } from '../pools.ts'

/** Operations on documents, uploads and links; only GraphQL has them. */
export type DocumentAsk =
  | { field: 'document'; id: string }
  | {
      field: 'documents'
      scope: string | null
      status: 'ready' | 'failed' | null
      docIdPrefix: string | null
      docIds: string[] | null
      limit: number
      cursor: number
    }
  | { field: 'documentChanges'; ids: readonly string[]; scope: string | null }
  | { field: 'retryDocuments'; ids: readonly string[] }
  | { field: 'deleteDocuments'; ids: readonly string[]; hard: boolean }
  | { field: 'ingestDocument'; sourceUri: string; scope: string; docId: string }
  | { field: 'createUpload' }
  | { field: 'sourceLink'; unitId: string }

export const unknownDocument = 'doc_0000000000000000000000'
export const unknownSource = 'source://source_0000000000000000000000'

export function drawDocumentAsk(draw: Draw, world: World, actor: Actor | null): DocumentAsk {
  const { documents, units } = world
  const one = () => (documents.length > 0 ? draw.pick(documents).documentId : unknownDocument)
  const ids = [...new Set([one(), one(), ...(draw.chance(20) ? [unknownDocument] : []), one()])]
  const scope = draw.chance(30) ? draw.pick(scopePool) : null
  const about = documents.length > 0 ? draw.pick(documents) : null
  switch (
    draw.pick([
      'document',
      'document',
      'documents',
      'documents',
      'changes',
      'retry',
      'delete',
      'send',
      'upload',
      'link',
      'link',
    ])
  ) {
    case 'document':
      return { field: 'document', id: draw.chance(95) ? one() : unknownDocument }
    case 'documents':
      return {
        field: 'documents',
        scope,
        status: draw.pick([null, null, 'ready', 'failed'] as const),
        docIdPrefix: draw.chance(25) ? (about?.docId ?? 'file-') : null,
        docIds: draw.chance(25) ? [about?.docId ?? 'file-', 'none'] : null,
        limit: 1 + draw.upTo(draw.chance(50) ? 2 : 99),
        cursor: draw.chance(30) ? draw.upTo(4) : 0,
      }
    case 'changes':
      return { field: 'documentChanges', ids, scope }
    case 'retry':
      return { field: 'retryDocuments', ids }
    case 'delete':
      return { field: 'deleteDocuments', ids: ids.slice(0, 1), hard: draw.chance(50) }
    case 'send':
      return {
        field: 'ingestDocument',
        // Its own would be taken in.
        sourceUri: about && about.writer.id !== actor?.id ? about.sent.sourceUri : unknownSource,
        scope: about && draw.chance(70) ? about.scope : draw.pick(scopePool),
        docId: about?.docId ?? 'file',
      }
    case 'upload':
      return { field: 'createUpload' }
    default: {
      const made = documents.flatMap((document) => document.units)
      return { field: 'sourceLink', unitId: draw.pick([...made, ...made, ...units]).unitId }
    }
  }
}

const fields =
  'documentId docId scope name mime bytes sha256 sourceUri status reason detail units metadata aclGroups parent attempts createdAt updatedAt'

function queryOf(ask: DocumentAsk): { query: string; variables: Record<string, unknown> } {
  const given = { ...ask } as Record<string, unknown>
  switch (ask.field) {
    case 'document':
      return { query: `query ($id: String!) { body: document(documentId: $id) { ${fields} } }`, variables: given }
    case 'documents':
      return {
        query: `query ($scope: String, $status: DocumentStatus, $docIdPrefix: String, $docIds: [String!], $limit: Int, $cursor: SafeInt) {
          body: documents(scope: $scope, status: $status, docIdPrefix: $docIdPrefix, docIds: $docIds, limit: $limit, cursor: $cursor) {
            documents { ${fields} } nextCursor } }`,
        variables: given,
      }
    case 'documentChanges':
      return {
        query: `subscription ($ids: [String!], $scope: String) {
          body: documentChanges(documentIds: $ids, scope: $scope) { ${fields} } }`,
        variables: given,
      }
    case 'retryDocuments':
      return {
        query: `mutation ($ids: [String!]!) { body: retryDocuments(documentIds: $ids) { ${fields} } }`,
        variables: given,
      }
    case 'deleteDocuments':
      return {
        query: `mutation ($ids: [String!]!, $hard: Boolean!) { body: deleteDocuments(documentIds: $ids, hard: $hard) {
          matched tombstoned purged sources_purged: sourcesPurged } }`,
        variables: given,
      }
    case 'ingestDocument': {
      const { sourceUri, scope, docId } = ask
      const input = { sourceUri, scope, docId, name: 'name', aclGroups: ['*'] }
      return {
        query: `mutation ($input: IngestDocumentInput!) { body: ingestDocument(input: $input) { ${fields} } }`,
        variables: { input },
      }
    }
    case 'createUpload':
      return {
        query: 'mutation ($input: CreateUploadInput!) { body: createUpload(input: $input) { url expiresAt } }',
        variables: { input: { bytes: 1, sha256: sha256('a'), mime: 'text/plain', name: 'a.txt' } },
      }
    default:
      return {
        query: 'query ($unitId: String!) { body: sourceLink(unitId: $unitId) { url name bytes inline } }',
        variables: given,
      }
  }
}

/** The answer in the shape of other operations: `body` is a list for a subscription. */
export async function askDocuments(
  app: TestApp,
  ask: DocumentAsk,
  path: string,
  options: CallOptions,
): Promise<Reply & { text: string }> {
  const headers: Record<string, string> = ask.field === 'documentChanges' ? { accept: 'text/event-stream' } : {}
  const reply = await app.call('POST', path, { ...options, headers, body: queryOf(ask) })
  const isStream = typeof reply.body === 'string'
  const results = isStream ? eventsOf(reply.body) : [reply.body]
  const text = JSON.stringify(results)
  const error = results.flatMap(({ errors }) => errors ?? []).at(0)
  if (!error) {
    const bodies = results.map(({ data }) => data.body)
    return { ...reply, text, body: isStream ? bodies : bodies[0] }
  }
  const { code, status } = error.extensions
  return { ...reply, text, status, body: { error: code, detail: error.message, status } }
}

const eventsOf = (stream: string): Reply['body'][] =>
  [...stream.matchAll(/^data: ?(\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
