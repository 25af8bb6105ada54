/**
 * Which rows of a log are missing between the first and the last of these, as a sentence names them: `rows 4, 7 to 9`. Null
 * if none is.
 */
export function missingRows(rows: readonly { seq: number }[]): string | null {
  const seqs = rows.map(({ seq }) => seq).sort((a, b) => a - b)
  const gaps = seqs.flatMap((seq, i) => {
    const [from, to] = [(seqs[i - 1] ?? seq) + 1, seq - 1]
    return from > to ? [] : [from === to ? `${from}` : `${from} to ${to}`]
  })
  if (gaps.length === 0) return null
  return `${gaps.length === 1 && !gaps[0]?.includes(' ') ? 'row' : 'rows'} ${gaps.join(', ')}`
}
