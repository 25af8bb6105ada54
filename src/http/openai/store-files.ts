import { z } from 'zod'
import { badRequest } from '../../errors.ts'
import { json } from '../message.ts'
import { calling, type Found, readInput, type SurfaceCaller } from '../rest/surface.ts'
import { type DocumentFacts, docIdOf, documentOf, documentsIn, documentsOf, remove, sourceOf } from './files.ts'
import { storeIdOf } from './filters.ts'
import { listOf, type OpenAiRoute, seconds } from './request.ts'

const attributes = z.record(z.string(), z.unknown(), 'must be an object')

/** How a file goes into a store. */
export const attachedAs = {
  attributes: attributes.nullish(),
  /** Who may read it, as in REST: by default its writer. */
  acl_groups: z.array(z.string('must be a string'), 'must be a list').nullish(),
  chunking_strategy: z
    .looseObject({ type: z.literal('auto', 'must be auto: files are cut by their structure') })
    .nullish(),
}
export const attached = z.strictObject({
  file_id: z.string('must be a string').min(1, 'must not be empty'),
  ...attachedAs,
})

const changed = z.strictObject({ attributes })

export const storeFileRoutes: readonly OpenAiRoute[] = [
  {
    method: 'POST',
    path: '/vector_stores/:scope/files',
    answer: async ({ caller, params: { scope = '' }, body }) =>
      json(200, storeFile(scope, await attach(caller, scope, readInput(attached, await body())))),
  },
  {
    method: 'GET',
    path: '/vector_stores/:scope/files',
    answer: ({ caller, params: { scope = '' }, query }) =>
      listOf(documentsIn(caller, query), docIdOf, query, (page) => page.map((one) => storeFile(scope, one))),
  },
  {
    method: 'GET',
    path: '/vector_stores/:scope/files/:file',
    answer: async ({ caller, params: { scope = '', file = '' } }) =>
      json(200, storeFile(scope, await documentOf(caller, file))),
  },
  {
    method: 'POST',
    path: '/vector_stores/:scope/files/:file',
    answer: async ({ caller, params: { scope = '', file = '' }, body }) => {
      const { attributes } = readInput(changed, await body())
      const { scope: place, acl_groups } = await documentOf(caller, file)
      return json(200, storeFile(scope, await attach(caller, place, { file_id: file, attributes, acl_groups })))
    },
  },
  {
    method: 'GET',
    path: '/vector_stores/:scope/files/:file/content',
    answer: async ({ caller, params: { file = '' }, query }) => {
      await documentOf(caller, file)
      return json(200, await contentOf(caller, file, pageIn(query)))
    },
  },
  {
    method: 'DELETE',
    path: '/vector_stores/:scope/files/:file',
    answer: async ({ caller, params: { file = '' } }) => {
      await remove(caller, await documentsOf(caller, [file]), false)
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
  calling(
    'source_uri',
    'file_id',
    caller.run('ingestDocument', {
      source_uri: sourceOf(file_id),
      doc_id: file_id,
      ...(scope !== '*' && { scope }),
      ...(acl_groups && { acl_groups }),
      ...(attributes && { metadata: attributes }),
    }),
  )

const contentPages = 10

function pageIn(query: URLSearchParams): number {
  const page = query.get('page') ?? '0'
  if (/^\d{1,9}$/.test(page)) return Number(page)
  throw badRequest('page: must be the next_page of an answer')
}

/** The texts of its Units that the caller may read: a thousand at a time. */
async function contentOf(caller: SurfaceCaller, file: string, from: number) {
  const filters = { doc_id: [file], plane: ['text'] }
  const data: object[] = []
  let cursor: number | null = from
  for (let pages = 0; pages < contentPages && cursor !== null; pages += 1) {
    const page: { units: Pick<Found, 'text'>[]; next_cursor: number | null } = await caller.run('units', {
      filters,
      cursor,
    })
    data.push(...page.units.map(({ text }) => ({ type: 'text', text: text ?? '' })))
    cursor = page.next_cursor
  }
  const next_page = cursor === null ? null : `${cursor}`
  return { object: 'vector_store.file_content.page', data, has_more: next_page !== null, next_page }
}

export const statusOf = { queued: 'in_progress', running: 'in_progress', ready: 'completed', failed: 'failed' } as const

const unsupported = ['unsupported', 'locked', 'malformed', 'empty', 'too_large', 'too_many_units']

export const storeFile = (
  scope: string,
  { doc_id, bytes, created_at, status, reason, detail, metadata }: DocumentFacts,
) => ({
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
