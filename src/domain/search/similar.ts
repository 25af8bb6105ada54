import { notFound } from '../../errors.ts'
import type { Session } from '../../model/session.ts'
import type { Plane, Unit } from '../../model/unit.ts'
import { titledText } from '../../model/unit.ts'
import type { Embedding } from '../../ports/indexes/index-filter.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import { findUnit } from '../access/visibility.ts'
import type { Bindings } from '../bindings/bindings.ts'

/** A Unit that hits should be like. It is not among them. */
export interface Likeness {
  unitId: string
  plane: Plane
  /** What its text is searched by. */
  words: string
  vectors: readonly Embedding[]
}

/** Its words and vectors; 404 for a Unit that is unknown, hidden or out of scope. */
export async function likenessOf(
  { catalog, analysis }: Pick<Bindings, 'catalog' | 'analysis'>,
  session: Session,
  { unitId }: { unitId: string },
): Promise<Likeness> {
  const unit = await findUnit(catalog, session, unitId)
  if (unit === null) throw notFound('no such Unit: similar_to must be a Unit that you may read')
  const [change] = await catalog.changes.of(session.namespace.id, [unit.unitId])
  const { vector = null, otherVector = null } = change?.kind === 'put' ? change.unit : {}
  return {
    unitId: unit.unitId,
    plane: unit.plane,
    words: wordsOf(analysis, unit),
    vectors: [vector, otherVector].filter((one) => one !== null),
  }
}

/** Of a longer text, the words that it has most often: more would only make the search slower. */
const maxWords = 40
/** Texts may be a megabyte long. UTF-16 units. */
const longestText = 20_000

function wordsOf(analysis: TextAnalysis, unit: Pick<Unit, 'title' | 'text'>): string {
  const text = titledText(unit).slice(0, longestText)
  const words = analysis.words(text).filter(({ stop }) => !stop)
  const byTerm = [...Map.groupBy(words, ({ term }) => term).values()]
  if (byTerm.length <= maxWords && words.length <= 2 * maxWords) return text
  const chosen = byTerm.toSorted((a, b) => b.length - a.length).slice(0, maxWords)
  // In the order of the text, because neighbours count as pairs.
  const firsts = chosen.flatMap(([first]) => first ?? []).sort((a, b) => a.start - b.start)
  return firsts.map(({ start, end }) => text.slice(start, end)).join(' ')
}
