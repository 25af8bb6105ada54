/** What candidates are compared by: how often each contains which terms. */
type Bag = ReadonlyMap<string, number>

const nearest = 5

/**
 * The scores of the nearest other candidates (score regularisation, Diaz 2005): the mean of `scores` over the 5 with
 * the greatest cosine, weighted by the cosines; 0 for a candidate that is near no other. A text is a vector of
 * (1 + ln tf) * ln(1 + (n - df + .5)/(df + .5)) by its terms, df among the n candidates. Terms in more than half of
 * them are ignored.
 */
export function neighbourScores(bags: readonly Bag[], scores: readonly number[]): number[] {
  const n = bags.length
  const cosines = cosinesOf(vectorsOf(bags), n)
  return bags.map((_, i) => {
    const row = cosines.subarray(i * n, (i + 1) * n)
    const others = [...row.keys()].filter((j) => j !== i && (row[j] ?? 0) > 0)
    const near = others.sort((a, b) => (row[b] ?? 0) - (row[a] ?? 0) || a - b).slice(0, nearest)
    const total = near.reduce((sum, j) => sum + (row[j] ?? 0), 0)
    return total === 0 ? 0 : near.reduce((sum, j) => sum + (row[j] ?? 0) * (scores[j] ?? 0), 0) / total
  })
}

interface Posting {
  bag: number
  weight: number
}

/** By term, the bags that contain it and its weight there; vectors have length 1. */
function vectorsOf(bags: readonly Bag[]): Posting[][] {
  const postings = new Map<string, Posting[]>()
  for (const [bag, terms] of bags.entries()) {
    for (const [term, count] of terms) {
      const known = postings.get(term) ?? []
      postings.set(term, known)
      known.push({ bag, weight: 1 + Math.log(count) })
    }
  }
  const telling = [...postings.values()].filter(({ length }) => length > 1 && length <= bags.length / 2)
  const squares = new Float64Array(bags.length)
  for (const list of postings.values()) {
    if (list.length > bags.length / 2) continue
    const idf = Math.log(1 + (bags.length - list.length + 0.5) / (list.length + 0.5))
    for (const posting of list) {
      posting.weight *= idf
      squares[posting.bag] = (squares[posting.bag] ?? 0) + posting.weight ** 2
    }
  }
  for (const list of telling) for (const posting of list) posting.weight /= Math.sqrt(squares[posting.bag] ?? 1)
  return telling
}

function cosinesOf(vectors: readonly Posting[][], n: number): Float64Array {
  const cosines = new Float64Array(n * n)
  for (const list of vectors) {
    for (const one of list) {
      for (const other of list) {
        const at = one.bag * n + other.bag
        cosines[at] = (cosines[at] ?? 0) + one.weight * other.weight
      }
    }
  }
  return cosines
}
