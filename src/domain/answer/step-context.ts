import type { Hit } from '../../model/search.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import { chainFor, sharesOf } from './chain.ts'
import { comparedIn } from './compared.ts'
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
 * best new hit and those with sentences that link the evidence. They take the places of the first search's last hits, but
 * a hit that links nothing takes no place of one that does.
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
  const isLinked = ({ hit }: T) => linked.has(hit.unitId)
  // The best hit of the question itself always stays.
  const staying = [...new Set([...start.slice(0, 1), ...start.filter(isLinked), ...start])]
  const links = brought.filter(isLinked).slice(0, topK - 1)
  const free = topK - links.length - staying.filter((one, i) => i === 0 || isLinked(one)).length
  const added = [...links, ...brought.filter((one) => !isLinked(one)).slice(0, Math.max(0, free))]
  const kept = new Set(staying.slice(0, topK - added.length))
  return [...start.filter((one) => kept.has(one)), ...added]
}

/** The Units whose sentences link the evidence of the question, or tell of a thing that it compares. */
function linkedUnits(analysis: TextAnalysis, question: string, found: readonly { hit: Hit }[]): ReadonlySet<string> {
  const passages = passagesOf(
    found.map(({ hit }) => hit),
    found.length,
    maxPassages,
  )
  const pool = evidenceOf(analysis, passages)
  const linking = analyseQuestion(analysis, question).flatMap((part) => {
    const shares = sharesOf(part, pool)
    return [
      ...(bestTrail(analysis, part, pool)?.sentences ?? []),
      ...(chainFor(part, pool, shares)?.sentences ?? []),
      ...comparedIn(analysis, question, part, pool, shares),
    ]
  })
  return new Set(linking.flatMap(({ passage }) => passages[passage]?.hit.unitId ?? []))
}
