import { z } from 'zod'
import { badRequest, notFound } from '../../errors.ts'
import { json } from '../message.ts'
import { type CallPlan, wholeBody } from '../rest/call.ts'
import { readInput, type SurfaceCaller } from '../rest/surface.ts'
import { storeIdOf } from './filters.ts'
import { limitOf, listOf, type OpenAiRequest, type OpenAiRoute, seconds } from './request.ts'

/** A document, as the endpoints read it. Its `doc_id` is the id of the file. */
export interface DocumentFacts {
  document_id: string
  doc_id: string
  scope: string
  name: string
  bytes: number
  status: 'queued' | 'running' | 'ready' | 'failed'
  reason: string | null
  detail: string | null
  metadata: Record<string, unknown>
  created_at: number
}

interface Source {
  source_uri: string
  name: string | null
  bytes: number
  created_at: number
}

const documentShape = 'document_id doc_id scope name bytes status reason detail metadata created_at'
const sourceShape = 'source_uri name bytes created_at'

export const fileCalls: Record<string, CallPlan> = {
  createSource: { field: 'createSource', args: { input: wholeBody }, answer: sourceShape },
  source: { field: 'source', args: { sourceUri: 'source_uri' }, answer: sourceShape },
  deleteSource: { field: 'deleteSource', args: { sourceUri: 'source_uri' }, answer: 'deleted' },
  ingestDocument: { field: 'ingestDocument', args: { input: wholeBody }, answer: documentShape },
  documents: {
    field: 'documents',
    args: { status: 'status', docIdPrefix: 'doc_id_prefix', limit: 'limit', cursor: 'cursor' },
    answer: `documents { ${documentShape} } next_cursor`,
  },
  deleteDocuments: { field: 'deleteDocuments', args: { documentIds: 'document_ids', hard: 'hard' }, answer: 'matched' },
}

const attached = z.strictObject({
  file_id: z.string('must be a string').min(1, 'must not be empty'),
  attributes: z.record(z.string(), z.unknown(), 'must be an object').nullish(),
  /** Who may read it, as in REST: by default its writer. */
  acl_groups: z.array(z.string('must be a string'), 'must be a list').nullish(),
  chunking_strategy: z
    .looseObject({ type: z.literal('auto', 'must be auto: files are cut by their structure') })
    .nullish(),
})

export const fileRoutes: readonly OpenAiRoute[] = [
  {
    method: 'POST',
    path: '/files',
    answer: async (request) => {
      const { name, type, bytes } = await fileIn(request)
      const input = { data: bytes.toString('base64'), ...(type !== '' && { mime: type }), name }
      return json(200, fileFacts(await request.caller.run<Source>('createSource', input)))
    },
  },
  {
    method: 'GET',
    path: '/files',
    answer: async ({ caller, query }) => {
      const { documents, more } = await pageOfDocuments(caller, query)
      return json(200, listOf(documents.map(fileOfDocument), more))
    },
  },
  {
    method: 'GET',
    path: '/files/:file',
    answer: async ({ caller, params }) => json(200, await readFile(caller, params.file)),
  },
  {
    method: 'DELETE',
    path: '/files/:file',
    answer: async ({ caller, params: { file = '' } }) => {
      const documents = await documentsOf(caller, file)
      if (documents.length > 0) await remove(caller, documents, true)
      // Its bytes go with its documents, and at once if there are none.
      else await caller.run('deleteSource', { source_uri: sourceOf(file) })
      return json(200, { id: file, object: 'file', deleted: true })
    },
  },
  {
    method: 'POST',
    path: '/vector_stores/:scope/files',
    answer: async ({ caller, params: { scope = '' }, body }) =>
      json(200, storeFile(scope, await attach(caller, scope, readInput(attached, await body())))),
  },
  {
    method: 'GET',
    path: '/vector_stores/:scope/files',
    answer: async ({ caller, params: { scope = '' }, query }) => {
      const { documents, more } = await pageOfDocuments(caller, query)
      return json(
        200,
        listOf(
          documents.map((one) => storeFile(scope, one)),
          more,
        ),
      )
    },
  },
  {
    method: 'GET',
    path: '/vector_stores/:scope/files/:file',
    answer: async ({ caller, params: { scope = '', file = '' } }) => {
      const [document] = await documentsOf(caller, file)
      if (!document) throw noSuchFile()
      return json(200, storeFile(scope, document))
    },
  },
  {
    method: 'DELETE',
    path: '/vector_stores/:scope/files/:file',
    answer: async ({ caller, params: { file = '' } }) => {
      const documents = await documentsOf(caller, file)
      if (documents.length === 0) throw noSuchFile()
      await remove(caller, documents, false)
      return json(200, { id: file, object: 'vector_store.file.deleted', deleted: true })
    },
  },
]

/** Makes a document of a file. */
export const attach = (
  caller: SurfaceCaller,
  scope: string,
  { file_id, attributes, acl_groups }: z.output<typeof attached>,
): Promise<DocumentFacts> =>
  caller.run('ingestDocument', {
    source_uri: sourceOf(file_id),
    doc_id: file_id,
    ...(scope !== '*' && { scope }),
    ...(acl_groups && { acl_groups }),
    ...(attributes && { metadata: attributes }),
  })

const noSuchFile = () => notFound('file_id: must be that of a file that you may see')

const prefix = 'file-'
const fileIdOf = ({ source_uri }: Source) => `${prefix}${source_uri.replace('source://', '')}`

/** The source of a file that was uploaded here. */
function sourceOf(file: string): string {
  if (!file.startsWith(prefix)) throw noSuchFile()
  return `source://${file.slice(prefix.length)}`
}

/** The one file of a form. */
async function fileIn({ headers, bytes }: OpenAiRequest): Promise<{ name: string; type: string; bytes: Buffer }> {
  const type = headers['content-type'] ?? ''
  if (!/^multipart\/form-data\b/i.test(type)) throw badRequest('file: the body must be multipart/form-data')
  const form = await new Response(Uint8Array.from(await bytes()), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw badRequest('file: the body must be a valid form')
    })
  const purpose = form.get('purpose')
  if (purpose !== 'assistants') throw badRequest('purpose: must be assistants')
  const file = form.get('file')
  if (!(file instanceof File)) throw badRequest('file: is required')
  if (file.size === 0) throw badRequest('file: must not be empty')
  return { name: file.name, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) }
}

const fileFacts = (source: Source) => ({
  id: fileIdOf(source),
  object: 'file',
  bytes: source.bytes,
  created_at: seconds(source.created_at),
  filename: source.name ?? '',
  purpose: 'assistants',
  status: 'uploaded',
})

const fileOfDocument = ({ doc_id, bytes, created_at, name, status }: DocumentFacts) => ({
  id: doc_id,
  object: 'file',
  bytes,
  created_at: seconds(created_at),
  filename: name,
  purpose: 'assistants',
  status: { queued: 'uploaded', running: 'uploaded', ready: 'processed', failed: 'error' }[status],
})

async function readFile(caller: SurfaceCaller, file = '') {
  const [document] = await documentsOf(caller, file)
  return document
    ? fileOfDocument(document)
    : fileFacts(await caller.run<Source>('source', { source_uri: sourceOf(file) }))
}

interface Page {
  documents: DocumentFacts[]
  next_cursor: number | null
}

/** Those of one file, in all scopes that the caller reaches. */
async function documentsOf(caller: SurfaceCaller, file: string): Promise<DocumentFacts[]> {
  // The first by id is the one whose id is no longer than the prefix.
  const { documents } = await caller.run<Page>('documents', { doc_id_prefix: file })
  return documents.filter(({ doc_id }) => doc_id === file)
}

const remove = (caller: SurfaceCaller, documents: readonly DocumentFacts[], hard: boolean) =>
  caller.run('deleteDocuments', { document_ids: documents.map(({ document_id }) => document_id), hard })

const statuses: Record<string, DocumentFacts['status']> = {
  in_progress: 'running',
  completed: 'ready',
  failed: 'failed',
}
/** A page after a file is found by reading those before it, at most this number. */
const maxPages = 100

async function pageOfDocuments(caller: SurfaceCaller, query: URLSearchParams) {
  const limit = limitOf(query)
  const [after, filter] = [query.get('after'), query.get('filter')]
  const status = filter === null ? undefined : statuses[filter]
  if (filter !== null && !status) throw badRequest(`filter: must be one of ${Object.keys(statuses).join(', ')}`)
  let cursor: number | null = 0
  for (let pages = 0; after !== null && pages < maxPages && cursor !== null; pages += 1) {
    const page: Page = await caller.run<Page>('documents', { status, cursor })
    const at = page.documents.findIndex(({ doc_id }) => doc_id === after)
    if (at >= 0) {
      cursor += at + 1
      break
    }
    cursor = page.next_cursor
  }
  if (cursor === null) throw badRequest('after: must be the id of a file of the list')
  const { documents, next_cursor } = await caller.run<Page>('documents', { status, limit, cursor })
  return { documents, more: next_cursor !== null }
}

const statusOf = { queued: 'in_progress', running: 'in_progress', ready: 'completed', failed: 'failed' } as const

const unsupported = ['unsupported', 'locked', 'malformed', 'empty', 'too_large', 'too_many_units']

const storeFile = (scope: string, { doc_id, bytes, created_at, status, reason, detail, metadata }: DocumentFacts) => ({
  id: doc_id,
  object: 'vector_store.file',
  usage_bytes: bytes,
  created_at: seconds(created_at),
  vector_store_id: storeIdOf(scope),
  status: statusOf[status],
  last_error:
    status === 'failed'
      ? {
          code: unsupported.includes(reason ?? '') ? 'unsupported_file' : 'server_error',
          message: detail ?? reason ?? '',
        }
      : null,
  attributes: metadata,
  chunking_strategy: { type: 'other' },
})
