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
