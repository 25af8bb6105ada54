import type { Row } from './runs.ts'

interface MarginPage {
  rows: readonly Row[]
  /** In points. */
  height: number
}

/** Headers and footers stand in this share of a page's height, at its top and bottom. */
const margin = 0.15
/** How far apart on their pages they are at most, as a share of the height. */
const drift = 0.02
const minPages = 3

interface Seen {
  row: Row
  page: number
  /** Of its middle, 0..1. */
  y: number
  numbers: number[]
}

/**
 * Headers, footers and page numbers: rows in the margins of at least three pages near each other that are the same, or
 * that count the pages. The first of those that are the same is not one of them, so that its words are found.
 */
export function runningRows(pages: readonly MarginPage[]): Set<Row> {
  const groups = new Map<string, Seen[]>()
  for (const [page, { rows, height }] of pages.entries()) {
    for (const [i, row] of rows.entries()) {
      const y = (row.top + row.bottom) / 2 / height
      const isInMargin = row.bottom < margin * height || row.top > (1 - margin) * height
      if (!isInMargin || isTableHead(row, rows[i + 1])) continue
      const key = `${y < 0.5} ${row.text.replace(/\d+/g, '#').replace(/\s+/g, ' ')}`
      groups.set(key, [...(groups.get(key) ?? []), { row, page, y, numbers: numbersOf(row) }])
    }
  }
  const running = new Set<Row>()
  for (const group of groups.values()) {
    for (const seen of alike(group)) running.add(seen.row)
  }
  // A page that would be empty is not all margin.
  for (const { rows } of pages) if (rows.every((row) => running.has(row))) for (const row of rows) running.delete(row)
  return running
}

const numbersOf = ({ text }: Row) => (text.match(/\d+/g) ?? []).map(Number)

/** The first row of a table is repeated on each page, too. */
function isTableHead(row: Row, next: Row | undefined): boolean {
  const cells = row.text.split('\t').length
  return cells > 1 && next !== undefined && next.text.split('\t').length === cells && next.top - row.bottom < row.size
}

function alike(group: readonly Seen[]): Seen[] {
  const middle = group.map(({ y }) => y).sort((a, b) => a - b)[group.length >> 1] ?? 0
  const level = group.filter(({ y }) => Math.abs(y - middle) <= drift)
  const gaps = level.slice(1).map(({ page }, i) => page - (level[i]?.page ?? 0))
  // On each page, or on each second one; a chapter's own ones end with it.
  const near = level.filter((_, i) => (gaps[i - 1] ?? Infinity) <= 2 || (gaps[i] ?? Infinity) <= 2)
  if (near.length < minPages) return []
  const texts = new Set(near.map(({ row }) => row.text))
  if (texts.size === 1) return near.slice(1)
  const places = near[0]?.numbers.map((_, place) => place) ?? []
  const counts = places.filter((place) => isSteady(near, place, (pages) => pages))
  const others = places.filter((place) => !counts.includes(place))
  return counts.length > 0 && others.every((place) => isSteady(near, place, () => 0)) ? near : []
}

/** Whether the number at this place mostly grows by so much from page to page. */
function isSteady(group: readonly Seen[], place: number, step: (pages: number) => number): boolean {
  const steady = group.slice(1).filter((seen, i) => {
    const before = group[i]
    const grown = (seen.numbers[place] ?? 0) - (before?.numbers[place] ?? 0)
    return grown === step(seen.page - (before?.page ?? 0))
  })
  return steady.length >= (group.length - 1) * 0.7
}
