/** The overlap of the top ten of two rankings, as a share of the longer one. */
export function overlapAt10(one: readonly string[], other: readonly string[]): number {
  const [first, second] = [one.slice(0, 10), new Set(other.slice(0, 10))]
  const max = Math.max(first.length, second.size)
  return max === 0 ? 1 : first.filter((id) => second.has(id)).length / max
}

/**
 * Kendall's tau (1938) over the results that both rankings have: (pairs in the same order - pairs in the opposite
 * order) / all pairs. Null if they share fewer than two results.
 */
export function kendallTau(one: readonly string[], other: readonly string[]): number | null {
  const rankOf = new Map(other.map((id, rank) => [id, rank]))
  const ranks = one.flatMap((id) => rankOf.get(id) ?? [])
  if (ranks.length < 2) return null
  let order = 0
  for (const [i, rank] of ranks.entries()) {
    for (const later of ranks.slice(i + 1)) order += Math.sign(later - rank)
  }
  return order / ((ranks.length * (ranks.length - 1)) / 2)
}
