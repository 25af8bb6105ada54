import type { Row } from './rows.ts'
import type { Area } from './run.ts'

/** A line of a page in the text of the document: `start` and `end` are UTF-16 offsets into it. */
export interface Line extends Area {
  start: number
  end: number
}

/** Lines that belong together: a paragraph, a list, the rows of a table, or a heading of a level from 1. */
export interface Block {
  start: number
  end: number
  heading: number | null
}

export interface PageText {
  text: string
  lines: Line[]
  blocks: Block[]
}

/**
 * The text of a page: a line a line, paragraphs apart by an empty line. A word that the end of a line divides is one word
 * again: the hyphen and the line break go. `at`: offset of the page in the document's text. `headingLevel` says which
 * sizes of type are headings.
 */
export function pageText(regions: readonly Row[][], at: number, headingLevel: (row: Row) => number | null): PageText {
  const page: PageText = { text: '', lines: [], blocks: [] }
  for (const region of regions) {
    const leading = usualLeading(region)
    let last: Row | undefined
    for (const row of region) {
      const heading = headingLevel(row)
      const block = page.blocks.at(-1)
      const joins =
        last !== undefined &&
        block !== undefined &&
        block.heading === heading &&
        !isApart(last, row, leading, heading !== null)
      if (joins && dividesWord(page.text, row.text)) page.text = page.text.slice(0, -1)
      else if (page.text !== '') page.text += joins ? '\n' : '\n\n'
      const start = at + page.text.length
      page.text += row.text
      const end = at + page.text.length
      if (joins) {
        block.end = end
        const before = page.lines.at(-1)
        if (before !== undefined && before.end > start) before.end = start
      } else page.blocks.push({ start, end, heading })
      page.lines.push({ start, end, left: row.left, top: row.top, right: row.right, bottom: row.bottom })
      last = row
    }
  }
  return page
}

/** The usual distance from line to line, in points. */
function usualLeading(region: readonly Row[]): number {
  const steps: number[] = []
  for (let i = 1; i < region.length; i++) {
    const [above, below] = [region[i - 1], region[i]]
    if (above !== undefined && below !== undefined && below.bottom > above.bottom)
      steps.push(below.bottom - above.bottom)
  }
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 3)] ?? 0
}

/** Whether a new paragraph begins: a wider step than usual, or another size of type. */
function isApart(above: Row, below: Row, leading: number, heading: boolean): boolean {
  const step = below.bottom - above.bottom
  if (step < -0.5 * below.size) return true
  if (step > 1.35 * Math.max(leading, heading ? below.size * 1.2 : 0)) return true
  return Math.abs(above.size - below.size) > 0.2 * Math.max(above.size, below.size)
}

/** `infor-` before `mation`, but not `state-of-` before `the-art`. */
function dividesWord(text: string, next: string): boolean {
  return /(?:^|[\s(\u201c"])\p{L}{2,}[-\u00ad\u2010]$/u.test(text) && /^\p{Ll}{2,}/u.test(next)
}
