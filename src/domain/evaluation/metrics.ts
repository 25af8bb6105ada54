/** nDCG at `k` with binary relevance (Järvelin & Kekäläinen 2002): gains discounted by log2(rank + 1). */
export function ndcg(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 2)
  const got = ranked.slice(0, k).reduce((sum, id, rank) => sum + (relevant.has(id) ? gain(rank) : 0), 0)
  let ideal = 0
  for (let rank = 0; rank < Math.min(k, relevant.size); rank++) ideal += gain(rank)
  return ideal === 0 ? 0 : got / ideal
}

/** The share of relevant documents among the first `k`. */
export function recall(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  return ranked.slice(0, k).filter((id) => relevant.has(id)).length / relevant.size
}

export const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length

/** 1 / the rank of the first relevant document among the first `k`; 0 for none (Voorhees 1999). */
export function reciprocalRank(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  const at = ranked.slice(0, k).findIndex((id) => relevant.has(id))
  return at < 0 ? 0 : 1 / (at + 1)
}

const words = new Intl.Segmenter('en', { granularity: 'word' })

/** How often each word occurs, ignoring case and Unicode form. */
function wordCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { segment, isWordLike } of words.segment(text.normalize('NFKC').toLowerCase())) {
    if (isWordLike) counts.set(segment, (counts.get(segment) ?? 0) + 1)
  }
  return counts
}

/** Whether an expected text has a word: without one, no answer could contain it. */
export const hasWord = (text: string): boolean => wordCounts(text).size > 0

/** The share of the words of the expected text in an answer, counting repetitions (ROUGE-1 recall, Lin 2004). */
export function wordRecall(answer: string, expected: string): number {
  const held = wordCounts(answer)
  let [found, all] = [0, 0]
  for (const [word, count] of wordCounts(expected)) {
    found += Math.min(count, held.get(word) ?? 0)
    all += count
  }
  return all === 0 ? 0 : found / all
}

/** The value at or below which a share `p` of the values lies, by nearest rank. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN
}
