import { Slices } from '../../async/pieces.ts'
import type { Facet } from '../../model/doc.ts'
import { languageName } from '../../model/language.ts'
import type { Hit, LegExplanation, SearchQuery } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import { titledText, type Unit } from '../../model/unit.ts'
import type { Passage, Passages } from '../../ports/indexes/passages.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { Highlight, Sought } from '../../ports/indexes/text-index.ts'
import type { Rerankable, Reranker } from '../../ports/models/reranker.ts'
import type { Deadlines } from '../turns/turns.ts'
import type { Candidates, Leg } from './candidates.ts'
import { diversify } from './diversify.ts'
import type { RankingDeps } from './legs.ts'
import { namedFirst, retrieveNamed } from './names.ts'
import { type Plan, soughtIn } from './plan.ts'
import { type Hydrated, preferring } from './retrieve.ts'
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
  const { hits: retrieved, more, facets, found, weights } = await retrieveNamed(deps, chosenFrom)
  const reranked = () => rerank(deps, reranking, query, retrieved, deadlines.forReranking)
  const ranked = await (reranking.reranker ? deps.telemetry.stage('rerank', reranked) : reranked())
  const preferred = preferring(deps, plan, namedFirst(ranked.hits))
  const diverse = query.diversity > 0 ? await diversify(deps, session.namespace.id, query, preferred) : preferred
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
  const isWhole = start === 0 && end >= (hit.text?.length ?? 0) && highlights.length <= maxHighlights
  if (isWhole && !members) return hit
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

/** What a hit was found by. */
interface FoundBy {
  unit: Unit
  explain: readonly LegExplanation[]
  /** In the Unit's text. */
  highlights: readonly Highlight[]
}

const maxWords = 5

/** Says for each hit of a query, in words, what found it and what did not. */
function reasonsFor(
  { texts, inference, analysis }: RankingDeps,
  sought: Sought,
  { legs, degraded }: Candidates,
): (hit: FoundBy) => string[] {
  const { text: q } = sought
  const byName = new Map(legs.map((leg) => [leg.name, leg]))
  const nearest = ({ leg: name, score }: LegExplanation) => {
    const leg = byName.get(name)
    return leg?.kind === 'picture' ? nearPicture(leg, score) : `near the vector of the query (${short(score)})`
  }
  if (q.trim() === '') return ({ explain }) => explain.filter(({ leg }) => leg !== 'filter').map(nearest)
  return ({ unit, explain, highlights }) => {
    // That letters are alike says nothing beside a word.
    const told = explain.filter(({ leg }) => explain.length === 1 || byName.get(leg)?.kind !== 'fallback')
    const reasons = told.map((one) => {
      const leg = byName.get(one.leg)
      if (leg === undefined || leg.kind === 'text') {
        const inTitle = unit.title === null ? [] : texts.highlights(sought, unit.title)
        return byWords([...wordsIn(unit.title ?? '', inTitle), ...wordsIn(unit.text ?? '', highlights)])
      }
      if (leg.kind === 'picture') return nearPicture(leg, one.score)
      return leg.kind === 'fallback' ? 'found by similar spelling' : byMeaning(leg, one.score)
    })
    const isNear = explain.some(({ leg }) => byName.get(leg)?.kind === 'vector')
    if (isNear) return reasons
    const own = `vector:${unit.plane}`
    if (degraded.some((name) => name === own || name.startsWith(`${own}:`))) {
      return [...reasons, 'meaning not used: the model failed']
    }
    const leg = byName.get(own)
    if (leg?.kind !== 'vector') return [...reasons, 'meaning not used: no model']
    const languages = inference.model(unit.plane).cosines?.languages
    const foreign = languages && unknownLanguage(analysis, q, languages)
    if (foreign) return [...reasons, `meaning not used: ${shortName(leg)} does not understand ${foreign}`]
    return [...reasons, 'not near in meaning']
  }
}

const nearPicture = (leg: Leg, cosine: number) => `like the picture (${short(cosine)} of 1 in ${shortName(leg)})`

function byWords(found: readonly string[]): string {
  const words = [...new Set(found.map((word) => word.toLowerCase()))]
  if (words.length === 0) return 'found by parts of words'
  const shown = words.slice(0, maxWords).map((word) => `“${word}”`)
  const more = words.length > maxWords ? ` and ${words.length - maxWords} more` : ''
  return `found by the word${words.length > 1 ? 's' : ''} ${shown.join(', ')}${more}`
}

const wordsIn = (text: string, places: readonly Highlight[]) => places.map(({ start, end }) => text.slice(start, end))

/** The cosine, and what it is worth in this model, whose unrelated texts are below its floor. */
function byMeaning(leg: Leg, cosine: number): string {
  const { sameLanguage: floor } = leg.floor
  if (floor === 0) return `found by meaning (${short(cosine)} of 1 in ${shortName(leg)})`
  return `found by meaning (${short(cosine)}, ${strength((cosine - floor) / (1 - floor))} for ${shortName(leg)})`
}

/** Of the way from the floor to identity: half of what answers a query is above a third of it, with both models measured. */
const strength = (share: number) => (share >= 0.35 ? 'strong' : share >= 0.15 ? 'fair' : 'weak')

/** Without the dimensions and the engine. */
const shortName = ({ model }: Leg) => model.replace(/@[^@]*$/, '')

const short = (value: number) => value.toFixed(2).replace(/^(-?)0\./, '$1.')

/** The name of the query's language, if the model does not understand it. */
function unknownLanguage(analysis: TextAnalysis, q: string, languages: readonly string[]): string | null {
  const language = analysis.language(q, 'query')
  if (language === null || languages.includes(language)) return null
  return language === 'und' ? 'this script' : languageName(language)
}
