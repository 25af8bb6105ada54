/** How many of the first ten of one ranking are among the first ten of the other, as a share of the longer ten. */
export function overlapAt10(one: readonly string[], other: readonly string[]): number {
  const [first, second] = [one.slice(0, 10), new Set(other.slice(0, 10))]
  const most = Math.max(first.length, second.size)
  return most === 0 ? 1 : first.filter((id) => second.has(id)).length / most
}

/**
 * Kendall's tau (1938) of what both rankings found: pairs in the same order less pairs in the other order, as a share of
 * all pairs. Null where fewer than two are in both.
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
