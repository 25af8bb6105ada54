import type { LegExplanation } from '../../model/search.ts'
import type { Unit } from '../../model/unit.ts'
import { Slices } from '../../slices/slices.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Leg } from './candidates.ts'
import type { Fused, Fusion } from './fuse.ts'
import type { Plan } from './plan.ts'
import { sharesLetters } from './shares-letters.ts'
import type { LookUp } from './still-visible.ts'

export type Hydrated = Omit<Fused, 'doubtful'> & { explain: LegExplanation[]; unit: Unit }

export interface Hydration {
  hits: Hydrated[]
  /** The catalog rejected some candidates: the index is behind. */
  stale: boolean
}

/**
 * Reads candidates from the catalog, best first, until it has `topK`. Of the doubtful ones, which come last, it reads
 * the best `topK`, and keeps those that have something in common with the query. It reads none where the text leg
 * already found all of these.
 */
export async function hydrate(
  { analysis, texts }: Pick<Bindings, 'analysis' | 'texts'>,
  lookUp: LookUp,
  { query: { q, topK, minScore } }: Pick<Plan, 'query'>,
  legs: readonly Leg[],
  { entries, explain }: Pick<Fusion, 'entries' | 'explain'>,
): Promise<Hydration> {
  const hits: Hydrated[] = []
  let stale = false
  const slices = new Slices()
  const sure = entries.filter(({ doubtful }) => !doubtful).length
  const allFound = sure === entries.length || (legs.some(isWholeText) && texts.findsLetters(q))
  const shares = allFound ? () => true : sharesLetters(analysis, q)
  const considered = entries.slice(0, allFound ? sure : sure + topK)
  for (let start = 0; start < considered.length && hits.length < topK; start += topK) {
    const chunk = considered.slice(start, start + topK).filter(({ score }) => score >= minScore)
    const shown = await lookUp(chunk.map(({ unitId }) => unitId))
    for (const { unitId, score, doubtful } of chunk) {
      const unit = shown.get(unitId)
      if (unit === undefined) stale = true
      else if (hits.length < topK && !(doubtful && !shares(unit))) {
        hits.push({ unitId, score, explain: explain(unitId), unit })
      }
      if (slices.isOver) await slices.next()
    }
  }
  return { hits, stale }
}

const isWholeText = ({ kind, full }: Leg): boolean => kind === 'text' && !full
