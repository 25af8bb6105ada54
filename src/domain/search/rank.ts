import type { Facet } from '../../model/doc.ts'
import type { Hit, SearchQuery } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import { titledText } from '../../model/title.ts'
import { vectorsOf } from '../../model/unit.ts'
import type { Embedding } from '../../ports/indexes/index-filter.ts'
import type { Passage, Passages } from '../../ports/indexes/passages.ts'
import type { Sought } from '../../ports/indexes/text-index.ts'
import type { Rerankable, Reranker } from '../../ports/models/reranker.ts'
import { Slices } from '../../slices/slices.ts'
import type { Deadlines } from '../deadlines/deadlines.ts'
import type { Candidates, RankingDeps } from './candidates.ts'
import { type Plan, soughtIn } from './plan.ts'
import { reasonsFor } from './reasons.ts'
import { type Hydrated, preferring, retrieve } from './retrieve.ts'
import { snippetOf } from './snippet.ts'

interface Ranked {
  hits: HighlightedHit[]
  /** There are others after these. */
  more: boolean
  facets: Facet[] | null
  found: Candidates
  /** Of its legs, by name. */
  weights: Record<string, number>
  /** The reranker that ran, or why none did. */
  note: string
  degraded: string[]
}

/** The best hits of a plan, reranked if its query asks for it. */
export async function rank(deps: RankingDeps, session: Session, plan: Plan, deadlines: Deadlines): Promise<Ranked> {
  const { query } = plan
  const reranking = rerankingFor(deps.reranker, session, plan)
  const chosenFrom = deepened(plan, reranking)
  const { hits: retrieved, more, facets, found, weights } = await retrieve(deps, chosenFrom)
  const reranked = () => rerank(deps, reranking, query, retrieved, deadlines.forReranking)
  const ranked = await (reranking.reranker ? deps.telemetry.stage('rerank', reranked) : reranked())
  const diverse = await diversify(deps, session.namespace.id, query, preferring(deps, plan, ranked.hits))
  const first = chosenFrom === plan ? 0 : query.offset
  const page = diverse.slice(first, first + query.topK)
  const sought = soughtIn(plan)
  const hits = await highlightHits(deps.passages, sought, query, page, reasonsFor(deps, sought, found))
  return {
    hits,
    more: chosenFrom === plan ? more : diverse.length > first + query.topK,
    facets,
    found,
    weights,
    note: ranked.note,
    degraded: [...found.degraded, ...(ranked.failed ? ['rerank'] : [])],
  }
}

/** Rerankers read the beginning of a text only: of a longer one they get the passage that matches best. UTF-8 bytes. */
const maxText = 4_096

/** The reranking of this search, or the reason for none: `note` is the reranker's name if it runs. */
interface Reranking {
  reranker: Reranker | null
  note: string
}

function rerankingFor(reranker: Reranker, { namespace }: Session, { query, like }: Plan): Reranking {
  if (!query.rerank) return { reranker: null, note: 'off' }
  if (!tiers[namespace.tier].rerank) return { reranker: null, note: 'ignored: not part of the tier' }
  if (like || query.q.trim() === '') return { reranker: null, note: 'ignored: no query text' }
  return { reranker, note: reranker.model }
}

/** The best hits that a diverse search chooses from. */
const diverseDepth = 50

/**
 * Finds the hits for a reranker or for diversity to choose from, and to page through: the same for each page. With a reranker,
 * `minScore` applies to its scores.
 */
function deepened(plan: Plan, { reranker }: Reranking): Plan {
  const { query } = plan
  if (!reranker && query.diversity === 0) return plan
  const topK = Math.max(query.topK, reranker?.depth ?? 0, query.diversity > 0 ? diverseDepth : 0)
  return { ...plan, query: { ...query, topK, offset: 0, minScore: reranker ? 0 : query.minScore } }
}

/**
 * All of them by the reranker's scores; ties keep their order. If it fails, the order before is kept.
 *
 * @param begin the signal at which the reranker stops
 */
async function rerank(
  { passages, log }: RankingDeps,
  { reranker, note }: Reranking,
  { q, minScore }: SearchQuery,
  hits: readonly Hydrated[],
  begin: () => AbortSignal,
): Promise<{ hits: Hydrated[]; note: string; failed: boolean }> {
  const cut = (ranked: readonly Hydrated[]) => ranked.filter(({ score }) => score >= minScore)
  if (!reranker) return { hits: cut(hits), note, failed: false }
  try {
    const candidates = await Promise.all(hits.map((hit) => candidateOf(passages, q, hit)))
    const scores = await reranker.score(q, candidates, begin())
    const ranked = hits.map((hit, i) => ({ ...hit, score: scores[i] ?? 0 })).sort((a, b) => b.score - a.score)
    return { hits: cut(ranked), note, failed: false }
  } catch (error) {
    log.warn({ err: error, model: reranker.model }, 'the reranker failed')
    return { hits: cut(hits), note: 'failed', failed: true }
  }
}

async function candidateOf(passages: Passages, q: string, { unit, score }: Hydrated): Promise<Rerankable> {
  const text = unit.text ?? ''
  if (text.length <= maxText / 4 || Buffer.byteLength(text) <= maxText) return { text: titledText(unit), score }
  const { start, end } = await passages.find({ text: q }, unit, maxText)
  return { text: titledText({ ...unit, text: text.slice(start, end) }), score }
}

/**
 * The first hits of these up to the end of the page, by maximal marginal relevance (Carbonell & Goldstein 1998). Each next hit is the one with the
 * highest (1 - diversity) · score - diversity · its highest similarity to a hit before it. Scores stay. The similarity is
 * the cosine of vectors of the same plane and model, at least 0; Units without such vectors count as unlike. Of equals
 * the better ranked comes first.
 */
async function diversify(
  { catalog }: RankingDeps,
  namespaceId: string,
  { diversity, offset, topK }: SearchQuery,
  hits: readonly Hydrated[],
): Promise<readonly Hydrated[]> {
  if (diversity === 0 || hits.length < 2) return hits
  const ids = hits.map(({ unit }) => unit.unitId)
  const vectors = new Map<string, Embedding[]>()
  for (const change of await catalog.changes.of(namespaceId, ids)) {
    if (change.kind !== 'put') continue
    const { unitId, vector, otherVector } = change.unit
    vectors.set(
      unitId,
      [vector, otherVector].filter((embedding) => embedding !== null && embedding !== undefined),
    )
  }
  const similarity = (a: Hydrated, b: Hydrated) =>
    a.unit.plane === b.unit.plane ? cosineOf(vectors.get(a.unit.unitId) ?? [], vectors.get(b.unit.unitId) ?? []) : 0
  // One more tells that others come after the page.
  return choose(hits, { diversity, length: offset + topK + 1 }, similarity)
}

function choose(
  hits: readonly Hydrated[],
  { diversity, length }: { diversity: number; length: number },
  similarity: (a: Hydrated, b: Hydrated) => number,
): Hydrated[] {
  const left = hits.map((hit) => ({ hit, nearest: 0 }))
  const chosen: Hydrated[] = []
  const value = ({ hit, nearest }: { hit: Hydrated; nearest: number }) =>
    (1 - diversity) * hit.score - diversity * nearest
  while (chosen.length < length && left.length > 0) {
    let best = 0
    // `left` is in the order of the ranking, so the better ranked of equals is met first.
    for (const [i, one] of left.entries()) {
      const leader = left[best]
      if (leader !== undefined && value(one) > value(leader)) best = i
    }
    const [next] = left.splice(best, 1)
    if (next === undefined) break
    chosen.push(next.hit)
    for (const one of left) one.nearest = Math.max(one.nearest, similarity(one.hit, next.hit))
  }
  return chosen
}

/** Of the first model that both have: of their first vectors, which are those of how their texts begin. */
function cosineOf(some: readonly Embedding[], others: readonly Embedding[]): number {
  for (const one of some) {
    const other = others.find(({ model }) => model === one.model)
    const [a, b] = [one, other].map((embedding) => embedding && vectorsOf(embedding)[0])
    if (a && b) return Math.max(0, cosine(a, b))
  }
  return 0
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, squaredA, squaredB] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0]
    dot += x * y
    squaredA += x * x
    squaredB += y * y
  }
  return dot === 0 ? 0 : dot / Math.sqrt(squaredA * squaredB)
}

/** A longer text is cut to its best passage. UTF-8 bytes. */
const maxHitText = 16_384
const maxHighlights = 100

/** The same of the others of a group, of which there may be five for each hit. */
const maxMemberText = 4_096

/** A hit with its Unit's whole text, for answers, and the part of it that the caller gets. */
export interface HighlightedHit {
  hit: Hit
  passage: Passage
  /** Of a group. */
  members?: readonly HighlightedHit[]
}

/** Finds the parts of each hit that match the query. */
async function highlightHits(
  passages: Passages,
  sought: Sought,
  { offset, snippetLength }: SearchQuery,
  found: readonly Hydrated[],
  reasonsOf: ReturnType<typeof reasonsFor>,
): Promise<HighlightedHit[]> {
  const slices = new Slices()
  const highlighted = async ({ unit, score, explain }: Hydrated, i: number, bytes: number): Promise<HighlightedHit> => {
    const passage = await passages.find(sought, unit, bytes)
    const { highlights } = passage
    const legs = explain.filter(({ leg }) => !leg.startsWith('boost:'))
    const reasons = reasonsOf({ unit, explain: legs, highlights })
    const snippet = snippetLength > 0 && unit.text !== null ? snippetOf(unit.text, passage, snippetLength) : null
    const rank = offset + i + 1
    const hit = { ...unit, textStart: 0, score, explain, reasons, rank, highlights, snippet, group: null }
    if (slices.isOver) await slices.next()
    return { hit, passage }
  }
  const hits: HighlightedHit[] = []
  for (const [i, one] of found.entries()) {
    const hit = await highlighted(one, i, maxHitText)
    if (!one.members) hits.push(hit)
    else {
      const members: HighlightedHit[] = []
      for (const member of one.members) members.push(await highlighted(member, i, maxMemberText))
      hits.push({ ...hit, hit: { ...hit.hit, group: { value: one.value ?? null, hits: [] } }, members })
    }
  }
  return hits
}

/** The hit as the caller gets it: all hits together stay below 8 MiB, whatever the size of the Units. */
export function cutHit({ hit, passage: { start, end, highlights }, members }: HighlightedHit): Hit {
  return {
    ...hit,
    text: hit.text === null ? null : hit.text.slice(start, end),
    textStart: start,
    highlights: highlights
      .slice(0, maxHighlights)
      .map((highlight) => ({ start: highlight.start - start, end: highlight.end - start })),
    group: members && hit.group ? { ...hit.group, hits: members.map(cutHit) } : null,
  }
}
