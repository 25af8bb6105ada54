import type { Row } from './rows.ts'

/** A heading is at least this much larger than the body of the text. */
const larger = 1.12
const maxCharacters = 160
const maxLevels = 4

/**
 * Says which lines are headings, and of which level, by the size of their type: the body is the size in which most of the
 * document is set, larger sizes are levels, the largest is 1. A document has no headings where a large part of it would be.
 */
export function headingLevels(rows: readonly Row[]): (row: Row) => number | null {
  const letters = new Map<number, number>()
  for (const row of rows) letters.set(sizeOf(row), (letters.get(sizeOf(row)) ?? 0) + row.text.length)
  const body = [...letters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0
  const isHeading = (row: Row) =>
    sizeOf(row) >= body * larger &&
    row.text.length <= maxCharacters &&
    /\p{L}{2}/u.test(row.text) &&
    !row.text.includes('\t')
  const sizes = [...new Set(rows.filter(isHeading).map(sizeOf))].sort((a, b) => b - a)
  const share = rows.filter(isHeading).length / Math.max(1, rows.length)
  if (share > 0.4) return () => null
  return (row) => (isHeading(row) ? Math.min(maxLevels, sizes.indexOf(sizeOf(row)) + 1) : null)
}

/** Half points: the same type differs in the last digits. */
function sizeOf(row: Row): number {
  return Math.round(row.size * 2) / 2
}
