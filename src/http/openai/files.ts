import { badRequest, notFound, ServiceError } from '../../errors.ts'
import { json } from '../message.ts'
import { type CallPlan, wholeBody } from '../rest/call.ts'
import { calling, type SurfaceCaller } from '../rest/surface.ts'
import { listOf, type OpenAiRequest, type OpenAiRoute, seconds } from './request.ts'

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
  acl_groups: string[]
  /** Live ones that the caller may read. */
  units: number
  created_at: number
}

interface Source {
  source_uri: string
  name: string | null
  bytes: number
  created_at: number
}

const documentShape = 'document_id doc_id scope name bytes status reason detail metadata acl_groups units created_at'
const sourceShape = 'source_uri name bytes created_at'

export const fileCalls: Record<string, CallPlan> = {
  createSource: { field: 'createSource', args: { input: wholeBody }, answer: sourceShape },
  source: { field: 'source', args: { sourceUri: 'source_uri' }, answer: sourceShape },
  deleteSource: { field: 'deleteSource', args: { sourceUri: 'source_uri' }, answer: 'deleted' },
  ingestDocument: { field: 'ingestDocument', args: { input: wholeBody }, answer: documentShape },
  documents: {
    field: 'documents',
    args: { status: 'status', docIds: 'doc_ids', cursor: 'cursor' },
    answer: `documents { ${documentShape} } next_cursor`,
  },
  units: { field: 'units', args: { filters: 'filters', cursor: 'cursor' }, answer: 'units { text } next_cursor' },
  deleteDocuments: { field: 'deleteDocuments', args: { documentIds: 'document_ids', hard: 'hard' }, answer: 'matched' },
  deleteUnits: { field: 'deleteUnits', args: { input: wholeBody }, answer: 'matched' },
}

export const fileRoutes: readonly OpenAiRoute[] = [
  {
    method: 'POST',
    path: '/files',
    answer: async (request) => {
      const { name, type, bytes } = await fileIn(request)
      const input = { data: bytes.toString('base64'), ...(type !== '' && { mime: type }), name }
      return json(200, fileFacts(await calling('data', 'file', request.caller.run<Source>('createSource', input))))
    },
  },
  {
    method: 'GET',
    path: '/files',
    answer: async ({ caller, query }) => {
      const all = (query.get('purpose') ?? purpose) === purpose ? documentsIn(caller, query) : []
      return listOf(all, docIdOf, query, (page) => page.map(fileOfDocument), 10_000)
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
      const documents = await documentsOf(caller, [file])
      // Its bytes go with its documents, and at once if there are none.
      if (documents.length > 0) await remove(caller, documents, true)
      else if (!(await onSource<{ deleted: boolean }>(caller, 'deleteSource', file)).deleted) {
        // What was deleted from a store can be restored, with what was in it, and still names the file.
        const filter = { or: [{ doc_id: file }, { doc_id: { prefix: `${file}#` } }] }
        await caller.run('deleteUnits', { filter, hard: true })
      }
      const left = await readFile(caller, file).catch(nullIfNotFound)
      if (left) throw badRequest('file_id: must not be named by other documents or Units: delete them first')
      return json(200, { id: file, object: 'file', deleted: true })
    },
  },
]

/** The only one that is offered. */
const purpose = 'assistants'

function nullIfNotFound(error: unknown): null {
  if (error instanceof ServiceError && error.status === 404) return null
  throw error
}

const noSuchFile = () => notFound('file_id: must be that of a file that you may see')

const prefix = 'file-'
export const fileIdOfSource = ({ source_uri }: Pick<Source, 'source_uri'>) =>
  `${prefix}${source_uri.replace('source://', '')}`

/** The source of a file that was uploaded here. */
export function sourceOf(file: string): string {
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
  if (form.get('purpose') !== purpose) throw badRequest(`purpose: must be ${purpose}`)
  const [file, ...others] = form.getAll('file')
  if (others.length > 0) throw badRequest('file: must be one file: send each by a request of its own')
  if (!(file instanceof File)) throw badRequest('file: is required')
  if (file.size === 0) throw badRequest('file: must not be empty')
  return { name: file.name, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) }
}

const fileFacts = (source: Source) => ({
  id: fileIdOfSource(source),
  object: 'file',
  bytes: source.bytes,
  created_at: seconds(source.created_at),
  filename: source.name ?? '',
  purpose,
  status: 'uploaded',
})

const fileOfDocument = ({ doc_id, bytes, created_at, name, status }: DocumentFacts) => ({
  id: doc_id,
  object: 'file',
  bytes,
  created_at: seconds(created_at),
  filename: name,
  purpose,
  status: { queued: 'uploaded', running: 'uploaded', ready: 'processed', failed: 'error' }[status],
})

async function readFile(caller: SurfaceCaller, file = '') {
  const [document] = await documentsOf(caller, [file])
  return document ? fileOfDocument(document) : fileFacts(await onSource<Source>(caller, 'source', file))
}

/** An operation on the source of a file. */
export const onSource = <Result>(caller: SurfaceCaller, operation: string, file: string): Promise<Result> =>
  caller.run<Result>(operation, { source_uri: sourceOf(file) }).catch((error: unknown) => {
    throw error instanceof ServiceError && error.status === 404 ? noSuchFile() : error
  })

interface Page {
  documents: DocumentFacts[]
  next_cursor: number | null
}

/** Those of these files, in all scopes that the caller reaches, by file. */
export async function documentsOf(caller: SurfaceCaller, files: readonly string[]): Promise<DocumentFacts[]> {
  const found: DocumentFacts[] = []
  for await (const one of documentsWith(caller, { doc_ids: files })) found.push(one)
  return found
}

export async function documentOf(caller: SurfaceCaller, file: string): Promise<DocumentFacts> {
  const [first] = await documentsOf(caller, [file])
  if (!first) throw noSuchFile()
  return first
}

/** Throws 404 if there are none. */
export async function remove(caller: SurfaceCaller, documents: readonly DocumentFacts[], hard: boolean): Promise<void> {
  if (documents.length === 0) throw noSuchFile()
  await caller.run('deleteDocuments', { document_ids: documents.map(({ document_id }) => document_id), hard })
}

const statuses: Readonly<Record<string, readonly DocumentFacts['status'][]>> = {
  in_progress: ['queued', 'running'],
  completed: ['ready'],
  failed: ['failed'],
  cancelled: [],
}
/** A page after a file is found by reading those before it, at most this number of pages. */
const maxPages = 100

async function* documentsWith(
  caller: SurfaceCaller,
  filter: { status?: DocumentFacts['status'] | undefined; doc_ids?: readonly string[] },
): AsyncGenerator<DocumentFacts> {
  let cursor: number | null = 0
  for (let pages = 0; pages < maxPages && cursor !== null; pages += 1) {
    const page: Page = await caller.run<Page>('documents', { ...filter, cursor })
    yield* page.documents
    cursor = page.next_cursor
  }
}

/** What the filter of a list names; null without one. */
export function statusesIn(query: URLSearchParams): readonly DocumentFacts['status'][] | null {
  const filter = query.get('filter')
  if (filter === null) return null
  const chosen = statuses[filter]
  if (!chosen) throw badRequest(`filter: must be one of ${Object.keys(statuses).join(', ')}`)
  return chosen
}

/** Those that the filter of a list selects. */
export async function* documentsIn(caller: SurfaceCaller, query: URLSearchParams): AsyncGenerator<DocumentFacts> {
  for (const status of statusesIn(query) ?? [undefined]) yield* documentsWith(caller, { status })
}

export const docIdOf = ({ doc_id }: DocumentFacts): string => doc_id
