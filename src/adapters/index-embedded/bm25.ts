import type { InvertedField } from './inverted-field.ts'

/** One shard's part in a search: a field, and by row number whether the search may see the row. */
export interface FieldView {
  field: InvertedField
  visible: Uint8Array
}

const k1 = 1.2
const b = 0.75

/**
 * BM25 (Robertson & Zaragoza 2009, k1 = 1.2, b = .75) of every visible row that holds a term of the query; 0 elsewhere.
 *
 *   sum_t qtf * ln(1 + (N - df + .5)/(df + .5)) * tf * 2.2 / (tf + 1.2 * (.25 + .75 * dl/avgdl))
 *
 * N, df and avgdl span all views and count visible rows only (N: those with a term in the field), so rows that are not
 * visible cannot move a score by one bit. Each row sums its terms in query order, whatever order rows came in.
 *
 * @param terms how often the query says each term
 * @returns scores by row number, for each view
 */
export function bm25(terms: ReadonlyMap<string, number>, views: readonly FieldView[]): Float64Array[] {
  const scores = views.map(({ visible }) => new Float64Array(visible.length))
  const { rows, averageLength } = lengthStatistics(views)
  for (const [term, mentions] of terms) {
    const holding = views.reduce((sum, view) => sum + documentFrequency(term, view), 0)
    const weight = mentions * Math.log(1 + (rows - holding + 0.5) / (holding + 0.5))
    views.forEach(({ field, visible }, v) => {
      const posting = field.posting(term)
      const viewScores = scores[v]
      if (posting === undefined || viewScores === undefined) return
      for (let i = 0; i < posting.rows.length; i++) {
        const row = posting.rows[i] ?? 0
        if (visible[row] !== 1) continue
        const tf = posting.counts[i] ?? 0
        const saturation = tf + k1 * (1 - b + b * (field.length(row) / averageLength))
        viewScores[row] = (viewScores[row] ?? 0) + (weight * tf * (k1 + 1)) / saturation
      }
    })
  }
  return scores
}

function lengthStatistics(views: readonly FieldView[]): { rows: number; averageLength: number } {
  let rows = 0
  let total = 0
  for (const { field, visible } of views) {
    for (let row = 0; row < visible.length; row++) {
      const length = visible[row] === 1 ? field.length(row) : 0
      if (length === 0) continue
      rows++
      total += length
    }
  }
  return { rows, averageLength: total / rows }
}

function documentFrequency(term: string, { field, visible }: FieldView): number {
  let holding = 0
  for (const row of field.posting(term)?.rows ?? []) if (visible[row] === 1) holding++
  return holding
}
