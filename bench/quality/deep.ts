import { planSearch } from '../../src/domain/search/plan.ts'
import { retrieve } from '../../src/domain/search/retrieve.ts'
import type { SearchQuery } from '../../src/model/search.ts'
import type { Plane } from '../../src/model/unit.ts'
import type { BenchServer } from '../support/server.ts'

/** The body of a search over HTTP. */
export interface Asked {
  server: BenchServer
  scope: string
  body: { q: string; planes: readonly Plane[]; vector?: Partial<Record<Plane, readonly number[]>> }
}

/** The depth of recall. */
export const recallDepth = 100

/** The external ids in the search's ranking. Below HTTP, because `top_k` is at most 50 there. */
export async function deepRanking({ server, scope, body }: Asked): Promise<readonly string[]> {
  const { domain, bindings } = server.runtime
  const { authorization } = server
  const session = await domain.authenticate({
    authorization,
    namespace: undefined,
    scopes: [scope],
    requestId: 'bench',
    operation: 'search',
  })
  if (session === null) throw new Error('the bench has no session')
  const vector: SearchQuery['vector'] = {}
  for (const [plane, values] of Object.entries(body.vector ?? {})) vector[plane as Plane] = Float32Array.from(values)
  const { q, planes } = body
  const query = {
    q,
    planes,
    vector,
    topK: recallDepth,
    filters: [],
    rerank: false,
    answer: false,
    agentic: false,
    maxSteps: 1,
    minScore: 0,
    diversity: 0,
    offset: 0,
    groupSize: 1,
    sort: [],
    snippetLength: 0,
    boost: [],
    facets: [],
    facetsLimit: 20,
  }
  const models = await bindings.catalog.usage.models(session.namespace.id)
  const plan = { ...planSearch(session, query), models }
  const { hits } = await retrieve({ ...bindings, vectorWeights: new Map() }, plan)
  return hits.map(({ unit }) => unit.externalId ?? unit.unitId)
}
