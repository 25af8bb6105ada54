import type { AnswerStep } from '../../model/answer.ts'
import type { Hit } from '../../model/search.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Deadlines } from '../turns/turns.ts'
import { chainFor } from './chain.ts'
import { evidenceOf } from './evidence.ts'
import { isNew, nextQueries } from './next-queries.ts'
import { passagesOf } from './passages.ts'
import { analyseQuestion } from './question.ts'
import { bestTrail } from './trails.ts'

type Deps = Pick<Bindings, 'analysis' | 'planner' | 'log'>

/** The first search of an answer, and how to search again. */
interface Search<T extends { hit: Hit }> {
  /** As the search understood it. */
  question: string
  /** Best first. */
  found: readonly T[]
  tookMs: number
  /** The maximum of hits that an answer may rest on. */
  topK: number
  /** The maximum of searches, with the first. */
  maxSteps: number
  deadlines: Deadlines
  /** The same search of the same session with other words. */
  again(query: string): Promise<{ found: readonly T[]; degraded: readonly string[] }>
}

interface StepsResult<T> {
  /** What the answer rests on, at most `topK`: those of the first search first. */
  found: T[]
  /** How many of them the first search found. */
  own: number
  steps: AnswerStep[]
  degraded: string[]
}

/** How many hits of each search are read for the next one. */
const hitsRead = 10
/** More queries of a model at once, and longer ones, are cut. UTF-16 units. */
const maxQueries = 7
const maxQuery = 300

interface FinishedSearch<T> {
  query: string
  found: readonly T[]
  tookMs: number
}

/**
 * Searches again until the planner has nothing more to ask, or the searches, the time or the room are spent. A step that
 * fails ends them: the answer is written from what was found before.
 */
export async function runSteps<T extends { hit: Hit }>(deps: Deps, search: Search<T>): Promise<StepsResult<T>> {
  const { question, topK, maxSteps, deadlines } = search
  const done: FinishedSearch<T>[] = [{ query: question, found: search.found, tookMs: search.tookMs }]
  const degraded = new Set<string>()
  const planner = plannerOf(deps, degraded)
  let queue: string[] = []
  // Without hits there is nothing to follow, and with room for one there is nothing to combine.
  while (search.found.length > 0 && topK > 1 && done.length < maxSteps && deadlines.allowsStep()) {
    const asked = done.map(({ query }) => query)
    if (queue.length === 0) queue = await planner(question, hitsOf(done), asked, deadlines)
    const query = queue.shift()
    if (query === undefined) break
    if (!deadlines.allowsStep()) break
    // Of several queries that were planned together, one may say the same as another.
    if (!isNew(deps.analysis, query, asked)) continue
    const started = performance.now()
    try {
      const { found, degraded: failed } = await search.again(query)
      for (const leg of failed) degraded.add(leg)
      done.push({ query, found, tookMs: performance.now() - started })
    } catch (error) {
      deps.log.warn({ err: error }, 'a further search of an answer failed')
      degraded.add('steps')
      break
    }
  }
  const found = contextOf(deps.analysis, question, done, topK)
  const steps = tracesOf(done, found)
  return { found, own: steps[0]?.kept ?? 0, steps, degraded: [...degraded] }
}

/** Each Unit that was kept counts for the first search that found it. */
function tracesOf<T extends { hit: Hit }>(done: readonly FinishedSearch<T>[], kept: readonly T[]): AnswerStep[] {
  const left = new Set(kept.map(({ hit }) => hit.unitId))
  return done.map(({ query, found, tookMs }) => ({
    query,
    hits: found.length,
    kept: found.filter(({ hit }) => left.delete(hit.unitId)).length,
    tookMs,
  }))
}

const hitsOf = <T extends { hit: Hit }>(done: readonly FinishedSearch<T>[]): Hit[] => [
  ...new Map(
    done.flatMap(({ found }) => found.slice(0, hitsRead).map(({ hit }) => [hit.unitId, hit] as const)),
  ).values(),
]

type Plan = (
  question: string,
  hits: readonly Hit[],
  asked: readonly string[],
  deadlines: Deadlines,
) => Promise<string[]>

/** The chat model's sub-questions; by rules without one, or once it failed. */
function plannerOf({ analysis, planner, log }: Deps, degraded: Set<string>): Plan {
  let failed = false
  return async (question, hits, asked, deadlines) => {
    const passages = passagesOf(hits, hits.length, maxPassages)
    if (planner && !failed) {
      try {
        const queries = await planner.next(question, passages, asked, deadlines.forPlanning())
        // A query that was searched before ends the steps: planning again could bring it again.
        return queries
          .slice(0, maxQueries)
          .flatMap((query) => cleaned(query) ?? [])
          .filter((query) => isNew(analysis, query, asked))
      } catch (error) {
        log.warn({ err: error, model: planner.model }, 'no step could be planned')
        failed = true
        degraded.add('steps')
      }
    }
    return nextQueries(analysis, question, passages, asked).flatMap((query) => cleaned(query) ?? [])
  }
}

function cleaned(query: string): string | null {
  const text = query
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxQuery)
    .toWellFormed()
    .trim()
  return text === '' ? null : text
}

/** How many hits of the first search are combined with those of others. */
const hitsCombined = 10
/** The room of all steps together. */
const maxPassages = 40

/**
 * The hits that an answer rests on, at most `topK`, of those that its searches found. From each further search come its
 * best new hit and those with sentences that link the evidence. They take the places of the first search's last hits, but
 * a hit that links nothing takes no place of one that does.
 */
function contextOf<T extends { hit: Hit }>(
  analysis: TextAnalysis,
  question: string,
  searches: readonly { found: readonly T[] }[],
  topK: number,
): T[] {
  const [first, ...further] = searches
  const start = first?.found.slice(0, topK) ?? []
  if (further.length === 0) return start
  const all = new Map<string, T>()
  for (const { found } of searches) for (const one of found) if (!all.has(one.hit.unitId)) all.set(one.hit.unitId, one)
  const ranked = [...all.values()]
  const linked = linkedUnits(analysis, question, [...ranked.slice(0, hitsCombined), ...ranked.slice(start.length)])
  const seen = new Set(start.map(({ hit }) => hit.unitId))
  const brought = further.flatMap(({ found }) => {
    const fresh = found.filter(({ hit }) => !seen.has(hit.unitId))
    const kept = fresh.filter(({ hit }, i) => i === 0 || linked.has(hit.unitId))
    for (const { hit } of kept) seen.add(hit.unitId)
    return kept
  })
  const isLinked = ({ hit }: T) => linked.has(hit.unitId)
  // The best hit of the question itself always stays.
  const staying = [...new Set([...start.slice(0, 1), ...start.filter(isLinked), ...start])]
  const links = brought.filter(isLinked).slice(0, topK - 1)
  const free = topK - links.length - staying.filter((one, i) => i === 0 || isLinked(one)).length
  const added = [...links, ...brought.filter((one) => !isLinked(one)).slice(0, Math.max(0, free))]
  const kept = new Set(staying.slice(0, topK - added.length))
  return [...start.filter((one) => kept.has(one)), ...added]
}

/** The Units whose sentences link the evidence of the question. */
function linkedUnits(analysis: TextAnalysis, question: string, found: readonly { hit: Hit }[]): ReadonlySet<string> {
  const passages = passagesOf(
    found.map(({ hit }) => hit),
    found.length,
    maxPassages,
  )
  const pool = evidenceOf(analysis, passages)
  const linking = analyseQuestion(analysis, question).flatMap((part) => [
    ...(bestTrail(analysis, part, pool)?.sentences ?? []),
    ...(chainFor(part, pool)?.sentences ?? []),
  ])
  return new Set(linking.flatMap(({ passage }) => passages[passage]?.hit.unitId ?? []))
}
