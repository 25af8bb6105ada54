import { answerHits } from '../../src/domain/answer/answer-hits.ts'
import type { Bindings } from '../../src/domain/bindings/bindings.ts'
import { planSearch } from '../../src/domain/search/plan.ts'
import { retrieve } from '../../src/domain/search/retrieve.ts'
import { createDeadlines } from '../../src/domain/turns/turns.ts'
import type { Answer } from '../../src/model/answer.ts'
import type { Hit } from '../../src/model/search.ts'
import type { Plane } from '../../src/model/unit.ts'
import type { Query } from '../quality/collections.ts'
import type { BenchServer } from '../support/server.ts'

export interface Asked {
  abstained: boolean
  citations: { unitId: string; quote: string; start: number; end: number }[]
  /** Time for the answer on top of the search, in milliseconds. */
  tookMs: number
  /** External ids and texts of the hits, by Unit id. */
  hits: Map<string, { id: string; text: string }>
}

const hitsWanted = 10
/** Deep enough that hits remain after the relevant ones are removed. */
const depth = 50
const timeoutMs = 10_000

/** Over HTTP, like any client. */
export async function ask(server: BenchServer, scope: string, q: string): Promise<Asked> {
  const { answer, hits, trace } = (await server.post('/v1/answer', { q, top_k: hitsWanted }, scope)) as Wire
  return {
    abstained: answer.abstained,
    citations: answer.citations.map(({ unit_id, ...citation }) => ({ ...citation, unitId: unit_id })),
    tookMs: trace.answer.took_ms,
    hits: new Map(hits.map(({ unit_id, external_id, text }) => [unit_id, { id: external_id, text }])),
  }
}

interface Wire {
  answer: { abstained: boolean; citations: { unit_id: string; quote: string; start: number; end: number }[] }
  hits: { unit_id: string; external_id: string; text: string }[]
  trace: { answer: { took_ms: number } }
}

/** Whether it still answers without all relevant hits. Below HTTP, because the API cannot exclude documents. */
export async function answersWithout(server: BenchServer, scope: string, plane: Plane, query: Query): Promise<boolean> {
  const hits = await hitsOf(server, scope, plane, query.text)
  const left = hits.filter(({ externalId }) => !query.relevant.has(externalId ?? ''))
  return !(await answerFrom(server.runtime.bindings, query.text, left)).abstained
}

/** The hits of one search, deeper than any answer looks. */
export async function hitsOf(server: BenchServer, scope: string, plane: Plane, q: string): Promise<Hit[]> {
  const { domain, bindings } = server.runtime
  const { authorization } = server
  const session = await domain.authenticate({
    authorization,
    namespace: undefined,
    scopes: [scope],
    requestId: 'bench',
    operation: 'answer',
  })
  if (session === null) throw new Error('the bench has no session')
  const search = {
    q,
    planes: [plane],
    vector: {},
    topK: depth,
    filters: [],
    rerank: false,
    answer: true,
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
  const { hits } = await retrieve({ ...bindings, vectorWeights: new Map() }, planSearch(session, search))
  return hits.map(({ unit, score, explain }, i) => ({
    ...unit,
    score,
    explain,
    reasons: [],
    rank: i + 1,
    textStart: 0,
    highlights: [],
    snippet: null,
    group: null,
  }))
}

/** The answer from the best of these hits. */
export async function answerFrom(
  bindings: Bindings,
  q: string,
  hits: readonly Hit[],
  minConfidence?: number,
): Promise<Answer> {
  const shown = hits
    .slice(0, hitsWanted)
    .map((hit, i) => ({ ...hit, rank: i + 1, highlights: bindings.texts.highlights({ text: q }, hit.text ?? '') }))
  const context = { hits: shown, own: shown.length, steps: [] }
  return (await answerHits(bindings, q, context, createDeadlines(timeoutMs), minConfidence)).answer
}
