/** How a hit moved from the other side: up, down, the same, or not there. There is room for it before the other side comes. */
export function RankMove({ rank, otherRank }: { rank: number; otherRank: number | null | undefined }) {
  const [look, words] = movedBy(rank, otherRank)
  return <span className={`w-20 text-small ${look}`}>{words}</span>
}

function movedBy(rank: number, otherRank: number | null | undefined): [look: string, words: string] {
  if (otherRank === undefined) return ['', '']
  if (otherRank === null) return ['text-ok', 'only here']
  const by = otherRank - rank
  if (by === 0) return ['text-muted', 'same rank']
  return by > 0 ? ['text-ok', `▲ ${by} up`] : ['text-warn', `▼ ${-by} down`]
}
