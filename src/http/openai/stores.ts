import { z } from 'zod'
import { covers, scopePathPattern } from '../../model/registry.ts'
import { hitFacts } from '../../operations/operation.ts'
import { json } from '../message.ts'
import { type CallPlan, wholeBody } from '../rest/call.ts'
import { calling, type Found, readInput, type SurfaceCaller } from '../rest/surface.ts'
import { fileIdOf, fileNameOf } from './answering.ts'
import type { DocumentFacts } from './files.ts'
import { selected, selection, storeIdOf } from './filters.ts'
import { listOf, type OpenAiRoute, seconds } from './request.ts'
import { attach } from './store-files.ts'

interface Scope {
  scope: string
  created_at: number
}

export const storeCalls: Record<string, CallPlan> = {
  scopes: { field: 'scopes', args: {}, answer: 'scopes { scope created_at }' },
  scope: { field: 'scope', args: { scope: 'scope' }, answer: 'scope created_at' },
  createScope: { field: 'createScope', args: { input: wholeBody }, answer: 'scope created_at' },
  deleteScope: { field: 'deleteScope', args: { scope: 'scope' }, answer: 'deleted' },
  docs: { field: 'docs', args: { limit: 'limit' }, answer: 'count' },
  found: { field: 'search', args: { input: wholeBody }, answer: hitFacts },
}

const query = z.string('must be a text').min(1, 'must not be empty').max(8_192, 'must be at most 8,192 characters')
const searchInput = z.strictObject({
  query: z.union([query, z.array(query).min(1).max(8)], 'must be a text, or a list of at most 8'),
  ...selection,
  /** Queries are understood as they are: there is nothing to rewrite. */
  rewrite_query: z.boolean('must be true or false').nullish(),
})

const badName = 'must be a scope path such as acme/backend'
/** LiteLLM sends null for what it leaves out. */
const unsaid = z.null('must be left out').optional()
const newStore = z.strictObject({
  name: z.string(badName).regex(scopePathPattern, badName),
  file_ids: z.array(z.string('must be a string'), 'must be a list').max(100, 'must be at most 100 files').nullish(),
  expires_after: unsaid,
  chunking_strategy: unsaid,
  description: unsaid,
  metadata: z.union([z.null(), z.strictObject({})], 'must be left out').optional(),
})

export const storeRoutes: readonly OpenAiRoute[] = [
  {
    method: 'GET',
    path: '/vector_stores',
    answer: async ({ caller, query }) => {
      const { scopes } = await caller.run<{ scopes: Scope[] }>('scopes', {})
      const own = scopes.filter(({ scope }) => covers(caller.scope, scope))
      return listOf(
        own,
        ({ scope }) => storeIdOf(scope),
        query,
        (page) => storesOf(caller, page),
      )
    },
  },
  {
    method: 'GET',
    path: '/vector_stores/:scope',
    answer: async ({ caller, params: { scope = '' } }) => {
      const found = await caller.run<Scope>('scope', { scope })
      return json(200, (await storesOf(caller, [found]))[0])
    },
  },
  {
    method: 'POST',
    path: '/vector_stores',
    answer: async ({ caller, body }) => {
      const { name: scope, file_ids } = readInput(newStore, await body())
      const outside = await caller.within(scope)
      const created = await calling('scope', 'name', outside.run<Scope>('createScope', { scope }))
      // Its creator has permissions there from now on.
      const inside = await caller.within(scope)
      for (const file_id of file_ids ?? []) await attach(inside, scope, { file_id })
      return json(200, (await storesOf(inside, [created]))[0])
    },
  },
  {
    method: 'DELETE',
    path: '/vector_stores/:scope',
    answer: async ({ caller, params: { scope = '' } }) => {
      await caller.run('deleteScope', { scope })
      return json(200, { id: storeIdOf(scope), object: 'vector_store.deleted', deleted: true })
    },
  },
  {
    method: 'POST',
    path: '/vector_stores/:scope/search',
    answer: async ({ caller, body }) => {
      const sent = readInput(searchInput, await body())
      const wire = selected(sent, 'filters')
      const queries = [sent.query].flat()
      const best = new Map<string, Found>()
      for (const q of queries)
        for (const hit of (await calling('q', 'query', caller.run<{ hits: Found[] }>('found', { q, ...wire }))).hits)
          if ((best.get(hit.unit_id)?.score ?? -1) < (hit.score ?? 0)) best.set(hit.unit_id, hit)
      const hits = [...best.values()].sort((a, b) => (b.score ?? 0) - (a.score ?? 0)).slice(0, wire.top_k)
      return json(200, {
        object: 'vector_store.search_results.page',
        search_query: queries,
        data: hits.map((hit) => resultOf(caller, hit)),
        has_more: false,
        next_page: null,
      })
    },
  },
]

/** A result as OpenAI has it, and what leads to the Unit. */
const resultOf = ({ urlOf }: SurfaceCaller, hit: Found) => ({
  file_id: fileIdOf(hit),
  filename: fileNameOf(hit),
  score: hit.score ?? 0,
  attributes: hit.metadata,
  content: [{ type: 'text', text: hit.text ?? '' }],
  unit_id: hit.unit_id,
  scope: hit.scope,
  url: urlOf(hit.unit_id),
})

/** Documents that wait, run or have failed: at most 100 of each. */
async function unreadyIn(caller: SurfaceCaller): Promise<DocumentFacts[]> {
  const found: DocumentFacts[] = []
  for (const status of ['queued', 'running', 'failed'])
    found.push(...(await caller.run<{ documents: DocumentFacts[] }>('documents', { status })).documents)
  return found
}

/** A document that becomes ready meanwhile would count twice: then they are counted again. */
const maxCounts = 3

async function storesOf(caller: SurfaceCaller, scopes: readonly Scope[]) {
  const changes = (documents: readonly DocumentFacts[]) =>
    documents.map(({ document_id, status, units }) => `${document_id} ${status} ${units}`).join()
  let unready = await unreadyIn(caller)
  for (let counts = 1; ; counts += 1) {
    const completed: number[] = []
    for (const { scope } of scopes)
      completed.push((await (await caller.within(scope)).run<{ count: number }>('docs', { limit: 1 })).count)
    const before = changes(unready)
    unready = await unreadyIn(caller)
    if (counts === maxCounts || changes(unready) === before)
      return scopes.map((one, i) => storeFacts(one, completed[i] ?? 0, unready))
  }
}

function storeFacts({ scope, created_at }: Scope, readable: number, unready: readonly DocumentFacts[]) {
  const own = unready.filter((one) => covers(scope, one.scope))
  const failed = own.filter(({ status }) => status === 'failed').length
  const in_progress = own.length - failed
  // One whose new version is not ready is readable in its former one.
  const completed = Math.max(0, readable - own.filter(({ units }) => units > 0).length)
  return {
    id: storeIdOf(scope),
    object: 'vector_store',
    created_at: seconds(created_at),
    name: scope,
    // Of texts there are no sizes; a count of documents says more.
    usage_bytes: 0,
    file_counts: { in_progress, completed, failed, cancelled: 0, total: in_progress + completed + failed },
    status: in_progress > 0 ? 'in_progress' : 'completed',
    last_active_at: null,
    metadata: {},
  }
}
