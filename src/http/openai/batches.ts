import { z } from 'zod'
import { badRequest, notFound } from '../../errors.ts'
import { json } from '../message.ts'
import { readInput, type SurfaceCaller } from '../rest/surface.ts'
import {
  type DocumentFacts,
  docIdOf,
  documentsOf,
  fileIdOfSource,
  onSource,
  remove,
  sourceOf,
  statusesIn,
} from './files.ts'
import { storeIdOf } from './filters.ts'
import { listOf, type OpenAiRoute, seconds } from './request.ts'
import { attach, attached, attachedAs, statusOf, storeFile } from './store-files.ts'

const maxFiles = 100
const countProblem = `must be at most ${maxFiles} files`
const sentBatch = z.strictObject({
  file_ids: z.array(attached.shape.file_id, 'must be a list').max(maxFiles, countProblem).nullish(),
  files: z.array(attached, 'must be a list').max(maxFiles, countProblem).nullish(),
  ...attachedAs,
})

/** Several files that go into a store together. Nothing is kept of it: its id says when, and which. */
interface Batch {
  /** Seconds. */
  at: number
  files: string[]
}

const batchIdOf = ({ at, files }: Batch): string =>
  [`vsfb_${at.toString(36)}`, ...files.map((one) => sourceOf(one).replace('source://source_', ''))].join('.')

function batchOf(id = ''): Batch {
  const [, at, files] = /^vsfb_([0-9a-z]{1,9})((?:\.\w+)+)$/.exec(id) ?? []
  if (!at || !files) throw notFound('batch_id: must be that of a batch of this store')
  const ids = files.slice(1).split('.', maxFiles)
  return {
    at: Number.parseInt(at, 36),
    files: ids.map((one) => fileIdOfSource({ source_uri: `source://source_${one}` })),
  }
}

export const batchRoutes: readonly OpenAiRoute[] = [
  {
    method: 'POST',
    path: '/vector_stores/:scope/file_batches',
    answer: async ({ caller, params: { scope = '' }, body }) => {
      const { file_ids, files, ...shared } = readInput(sentBatch, await body())
      const sent = files ?? file_ids?.map((file_id) => ({ ...shared, file_id })) ?? []
      const byId = new Map(sent.map((one) => [one.file_id, one]))
      if (byId.size === 0) throw badRequest('file_ids: must name at least one file')
      // All of them are there before the first is taken in.
      for (const id of byId.keys()) await onSource(caller, 'source', id)
      for (const one of byId.values()) await attach(caller, scope, one)
      return batchAnswer(caller, scope, { at: seconds(caller.now), files: [...byId.keys()] })
    },
  },
  {
    method: 'GET',
    path: '/vector_stores/:scope/file_batches/:batch',
    answer: ({ caller, params: { scope = '', batch } }) => batchAnswer(caller, scope, batchOf(batch)),
  },
  {
    method: 'POST',
    path: '/vector_stores/:scope/file_batches/:batch/cancel',
    answer: async ({ caller, params: { scope = '', batch } }) => {
      const whole = batchOf(batch)
      const waiting = (await partsOf(caller, whole)).filter(({ status }) => statusOf[status] === 'in_progress')
      if (waiting.length > 0) await remove(caller, waiting, false)
      return batchAnswer(caller, scope, whole)
    },
  },
  {
    method: 'GET',
    path: '/vector_stores/:scope/file_batches/:batch/files',
    answer: async ({ caller, params: { scope = '', batch }, query }) => {
      const chosen = statusesIn(query)
      const documents = (await partsOf(caller, batchOf(batch))).filter(({ status }) => chosen?.includes(status) ?? true)
      return listOf(documents, docIdOf, query, (page) => page.map((one) => storeFile(scope, one)))
    },
  },
]

/** One document of each file. */
const partsOf = async (caller: SurfaceCaller, { files }: Batch): Promise<DocumentFacts[]> =>
  (await documentsOf(caller, files)).filter(({ doc_id }, i, all) => doc_id !== all[i - 1]?.doc_id)

async function batchAnswer(caller: SurfaceCaller, scope: string, batch: Batch) {
  const counts = { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: batch.files.length }
  const documents = await partsOf(caller, batch)
  for (const { status } of documents) counts[statusOf[status]] += 1
  // Whatever is no longer in the store.
  counts.cancelled = counts.total - documents.length
  const ended = counts.cancelled > 0 ? 'cancelled' : counts.failed === counts.total ? 'failed' : 'completed'
  return json(200, {
    id: batchIdOf(batch),
    object: 'vector_store.files_batch',
    created_at: batch.at,
    vector_store_id: storeIdOf(scope),
    status: counts.in_progress > 0 ? 'in_progress' : ended,
    file_counts: counts,
  })
}
