/**
 * Which rows of a log are missing between the first and the last of these, or between other ends, as a sentence names them:
 * `rows 4, 7 to 9`. Null if none is.
 */
export function missingRows(
  rows: readonly { seq: number }[],
  ends: { first?: number; last?: number } = {},
): string | null {
  const seqs = rows.map(({ seq }) => seq).sort((a, b) => a - b)
  const before = ends.first === undefined ? [] : [ends.first - 1]
  const after = ends.last === undefined ? [] : [Math.max(ends.last, seqs.at(-1) ?? 0) + 1]
  const all = [...before, ...seqs, ...after]
  const gaps = all.flatMap((seq, i) => {
    const [from, to] = [(all[i - 1] ?? seq) + 1, seq - 1]
    return from > to ? [] : [from === to ? `${from}` : `${from} to ${to}`]
  })
  if (gaps.length === 0) return null
  return `${gaps.length === 1 && !gaps[0]?.includes(' ') ? 'row' : 'rows'} ${gaps.join(', ')}`
}
