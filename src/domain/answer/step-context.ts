import type { Hit } from '../../model/search.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import { chainFor } from './chain.ts'
import { evidenceOf } from './evidence.ts'
import { passagesOf } from './passages.ts'
import { analyseQuestion } from './question.ts'
import { bestTrail } from './trails.ts'

/** How many hits of the first search are combined with those of others. */
const hitsRead = 10
/** The room of all steps together. */
export const maxPassages = 40

/**
 * The hits that an answer rests on, at most `topK`, of those that its searches found. From each further search come its
 * best new hit and those with sentences that link the evidence; they take the places of the first search's last hits.
 */
export function contextOf<T extends { hit: Hit }>(
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
  const linked = linkedUnits(analysis, question, [...ranked.slice(0, hitsRead), ...ranked.slice(start.length)])
  const seen = new Set(start.map(({ hit }) => hit.unitId))
  const brought = further.flatMap(({ found }) => {
    const fresh = found.filter(({ hit }) => !seen.has(hit.unitId))
    const kept = fresh.filter(({ hit }, i) => i === 0 || linked.has(hit.unitId))
    for (const { hit } of kept) seen.add(hit.unitId)
    return kept
  })
  const best = [
    ...brought.filter(({ hit }) => linked.has(hit.unitId)),
    ...brought.filter(({ hit }) => !linked.has(hit.unitId)),
  ]
  // The best hit of the question itself always stays.
  const added = best.slice(0, topK - 1)
  const places = topK - added.length
  const staying = [
    ...start.filter(({ hit }) => linked.has(hit.unitId)),
    ...start.filter(({ hit }) => !linked.has(hit.unitId)),
  ]
  const kept = new Set([...start.slice(0, 1), ...staying].slice(0, places + 1).map(({ hit }) => hit.unitId))
  return [...start.filter(({ hit }) => kept.has(hit.unitId)).slice(0, places), ...added]
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
