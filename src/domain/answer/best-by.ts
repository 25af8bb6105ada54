/** The item of most worth, the first of equal ones, with its worth; null without any. */
export function bestBy<T>(items: Iterable<T>, worthOf: (item: T) => number): { item: T; worth: number } | null {
  let best: { item: T; worth: number } | null = null
  for (const item of items) {
    const worth = worthOf(item)
    if (!best || worth > best.worth) best = { item, worth }
  }
  return best
}
