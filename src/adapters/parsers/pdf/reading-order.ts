import type { Span } from '../../../ports/format.ts'
import type { Heading } from './headings.ts'
import { type Area, around, type Row, type Run, rows, sharedHeight } from './runs.ts'
import { type JoinWords, joinerOf } from './words.ts'

/** Columns inside columns inside columns: deeper is a table. */
const maxDepth = 3
/** Width of a gutter at least, as a share of the size of the text beside it. */
const minGutter = 0.7

/**
 * The lines of a page as a person reads them: whole columns one after the other, what runs across the columns in between
 * (a title, a wide table) in its place. The rows of a table stay rows. Columns of a page in a script that is read from
 * the right begin at the right.
 */
export function readingOrder(runs: readonly Run[]): Row[][] {
  const upright = runs.filter((run) => run.upright)
  const letters = (list: readonly Run[]) => list.reduce((sum, run) => sum + run.text.length, 0)
  const fromRight = letters(upright.filter((run) => run.rightToLeft)) * 2 > letters(upright)
  const sideways = runs.filter((run) => !run.upright && run.text.trim() !== '')
  return [...regions(segments(upright), fromRight, 0), ...sideways.map((run) => rows([run]))].filter(
    (rows) => rows.length > 0,
  )
}

/** Runs that touch on one line are one segment, so that a gap between two words is not taken for a gutter. */
function segments(runs: readonly Run[]): Segment[] {
  const found: Segment[] = []
  for (const run of runs) {
    const last = found.at(-1)
    if (last !== undefined && sharedHeight(last, run) > 0.5 && gap(last, run) < run.size) {
      Object.assign(last, around([last, run]))
      last.runs.push(run)
    } else if (run.text.trim() !== '') found.push({ ...around([run]), size: run.size, runs: [run] })
  }
  return found
}

interface Segment extends ReturnType<typeof around> {
  size: number
  runs: Run[]
}

function gap(a: Segment, b: Run): number {
  return Math.max(b.left - a.right, a.left - b.right)
}

function regions(all: readonly Segment[], fromRight: boolean, depth: number): Row[][] {
  const split = depth < maxDepth && all.length > 5 ? bestGutter(all) : null
  if (split === null) return [rows(all.flatMap((segment) => segment.runs))]
  return bands(all, split).flatMap(({ across, left, right }) => {
    if (across !== undefined) return [rows(across.flatMap((segment) => segment.runs))]
    const sides = fromRight ? [right, left] : [left, right]
    return sides.flatMap((side) => (side.length === 0 ? [] : regions(side, fromRight, depth + 1)))
  })
}

interface Band {
  /** Segments that run across the gutter; else `left` and `right` are what stands beside it. */
  across?: Segment[]
  left: Segment[]
  right: Segment[]
}

/** The page from top to bottom, cut where something runs across the gutter. */
function bands(all: readonly Segment[], gutter: number): Band[] {
  const found: Band[] = []
  for (const segment of [...all].sort((a, b) => a.top + a.bottom - (b.top + b.bottom))) {
    const crosses = segment.left < gutter && segment.right > gutter
    const last = found.at(-1)
    const band = last !== undefined && crosses === (last.across !== undefined) ? last : { left: [], right: [] }
    if (band !== last) found.push(crosses ? { ...band, across: [] } : band)
    const current = found.at(-1) ?? band
    if (crosses) current.across?.push(segment)
    else if (segment.right <= gutter) current.left.push(segment)
    else current.right.push(segment)
  }
  return joinTables(found)
}

/** A band without prose on both sides is part of what runs across: a row of a table, a heading beside a number. */
function joinTables(all: readonly Band[]): Band[] {
  const joined: Band[] = []
  for (const band of all) {
    const across = band.across ?? (isColumns(band) ? undefined : [...band.left, ...band.right])
    const last = joined.at(-1)
    if (across !== undefined && last?.across !== undefined) last.across.push(...across)
    else joined.push(across === undefined ? band : { across, left: [], right: [] })
  }
  return joined
}

/** Where a gutter could be: what the fewest lines cover, of at least the width of a letter, away from the margins. */
function bestGutter(all: readonly Segment[]): number | null {
  const page = around(all)
  const step = (page.right - page.left) / 200
  if (step <= 0) return null
  const covered = new Float64Array(200)
  for (const segment of all) {
    const first = Math.max(0, Math.floor((segment.left - page.left) / step))
    const last = Math.min(199, Math.ceil((segment.right - page.left) / step) - 1)
    for (let i = first; i <= last; i++) covered[i] = (covered[i] ?? 0) + segment.bottom - segment.top
  }
  let best: { at: number; lines: number } | null = null
  for (const at of candidates(covered, page.left, step, medianSize(all))) {
    const lines = bands(all, at).reduce(
      (sum, band) => sum + (band.across === undefined ? band.left.length + band.right.length : 0),
      0,
    )
    if (lines > 0 && lines > (best?.lines ?? 0)) best = { at, lines }
  }
  return best?.at ?? null
}

/** The middles of the stretches of low cover, at most eight of them. */
function candidates(covered: Float64Array, left: number, step: number, size: number): number[] {
  const low = Math.max(...covered) * 0.45
  const found: { at: number; cover: number }[] = []
  for (let from = 20; from < 180; from++) {
    if ((covered[from] ?? 0) > low) continue
    let until = from
    while (until < 180 && (covered[until] ?? 0) <= low) until++
    const least = Math.min(...covered.subarray(from, until))
    let start = from
    while ((covered[start] ?? 0) > least) start++
    let end = start
    while (end < until && (covered[end] ?? 0) <= least) end++
    if ((end - start) * step >= minGutter * size) found.push({ at: left + ((start + end) / 2) * step, cover: least })
    from = until
  }
  return found
    .sort((a, b) => a.cover - b.cover)
    .slice(0, 8)
    .map((each) => each.at)
}

/** Columns of prose have lines that fill them; cells of a table are short, or few. */
function isColumns({ left, right }: Band): boolean {
  return isProse(left) && isProse(right)
}

/** Lines of prose fill their column, or continue in the next one. What is written in a table begins and ends in its cell. */
function isProse(side: readonly Segment[]): boolean {
  if (side.length < 2) return false
  const lines = rows(side.flatMap((segment) => segment.runs))
  const column = around(lines)
  const width = column.right - column.left
  const fill = (line: Row) => (line.right - line.left) / width
  const isIdeographic = /[^\0-\u2e7f]/u
  const wordsOf = ({ text }: Row) => (isIdeographic.test(text) ? text.length / 2 : text.split(' ').length)
  const full = lines.filter((line) => fill(line) > 0.6 && line.text.length > 12 && wordsOf(line) > 3)
  if (lines.length < 3 || full.length * 2 < lines.length || width <= 8 * medianSize(side)) return false
  const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0
  const goesOn = lines.filter(({ text }) => /^\p{Ll}/u.test(text)).length
  return goesOn * 4 >= lines.length || (median(lines.map(fill)) > 0.85 && median(lines.map(wordsOf)) > 6)
}

function medianSize(list: readonly Segment[]): number {
  return list.map((segment) => segment.size).sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 10
}

/** A line of a page in the text of the document: `start` and `end` are UTF-16 offsets into it. */
export interface Line extends Area {
  start: number
  end: number
}

/** Lines that belong together: a paragraph, a list, the rows of a table, a heading, or what a page repeats of others. */
interface Block {
  start: number
  end: number
  kind: 'prose' | 'table' | 'margin'
  /** The headings that it begins with. */
  begins: readonly Heading[]
  /** The first row of a table. */
  header?: Span
}

interface PageText {
  text: string
  lines: Line[]
  blocks: Block[]
}

/** What is known of the rows of a document. */
export interface RowFacts {
  headings: ReadonlyMap<Row, readonly Heading[]>
  running: ReadonlySet<Row>
  joinWords: JoinWords
}

/**
 * The text of a page: a line a line, paragraphs apart by an empty line. A word that the end of a line divides is one word
 * again: the line break goes, and the hyphen, unless it belongs to the word. `at`: offset of the page in the document's text.
 */
export function pageText(regions: readonly Row[][], at: number, facts: RowFacts): PageText {
  const page: PageText = { text: '', lines: [], blocks: [] }
  const headers = new Map<Table, Span>()
  for (const region of regions) {
    const leading = usualLeading(region)
    const tables = tableRows(region)
    let last: Row | undefined
    for (const row of region) {
      const table = tables.get(row)
      const kind = facts.running.has(row) ? 'margin' : table === undefined ? 'prose' : 'table'
      const begins = facts.headings.get(row) ?? []
      const goesOn = last !== undefined && !breaksText(last, row, facts) && tables.get(last) === table
      const joins = goesOn && last !== undefined && (table !== undefined || !isApart(last, row, leading))
      const word = joins && kind === 'prose' ? facts.joinWords(page.text, row.text) : null
      if (word === 'joined') page.text = page.text.slice(0, -1)
      else if (word === null && page.text !== '') page.text += joins ? '\n' : '\n\n'
      const start = at + page.text.length
      page.text += row.text
      const end = at + page.text.length
      const block = page.blocks.at(-1)
      const header = table && headers.get(table)
      if (table !== undefined && row === table.header) headers.set(table, { start, end: end + 1 })
      else if (joins && block !== undefined && last !== table?.header) {
        block.end = end
        const before = page.lines.at(-1)
        if (before !== undefined && before.end > start) before.end = start
      } else page.blocks.push({ start, end, kind, begins, ...(header && { header }) })
      page.lines.push({ start, end, left: row.left, top: row.top, right: row.right, bottom: row.bottom })
      last = row
    }
  }
  return page
}

/** The text of a page of which nothing but its lines is known. */
export function layOut(runs: readonly Run[]): PageText {
  const regions = readingOrder(runs)
  const joinWords = joinerOf(regions.flat().map(({ text }) => text))
  return pageText(regions, 0, { headings: new Map(), running: new Set(), joinWords })
}

/** Whether a row is of another kind than the one above it: a heading, or what the page repeats of others. */
function breaksText(above: Row, row: Row, { headings, running }: RowFacts): boolean {
  if (running.has(above) !== running.has(row)) return true
  const [before, begins] = [headings.get(above), headings.get(row)]
  if (before === undefined && begins === undefined) return false
  // A heading may have several lines.
  const isNear = row.bottom - above.bottom <= 1.6 * row.size && Math.abs(above.size - row.size) < 0.5
  return !isNear || before?.at(-1)?.depth !== begins?.[0]?.depth
}

/** Fewer rows are not a table. */
const minTableRows = 3
/** Characters of a table that is one chunk: it needs no second header. */
const maxWhole = 700

interface Table {
  /** Stands at the beginning of each chunk of the table. */
  header?: Row
}

/** The rows of tables, each with its table: lines that follow each other, of nearly the same number of cells. */
function tableRows(region: readonly Row[]): Map<Row, Table> {
  const found = new Map<Row, Table>()
  const cells = (row: Row | undefined) => row?.text.split('\t') ?? []
  const isNext = (above: Row | undefined, row: Row | undefined) =>
    cells(row).length > 1 && Math.abs(cells(row).length - cells(above).length) <= 1
  for (let from = 0; from < region.length; ) {
    let until = from + 1
    while (isNext(region[until - 1], region[until])) until++
    const [first, ...rest] = region.slice(from, until)
    if (first !== undefined && cells(first).length > 1 && rest.length + 1 >= minTableRows) {
      const isLong = rest.reduce((sum, { text }) => sum + text.length, 0) > maxWhole
      const hasNames = !/\d/.test(first.text) && rest.filter(({ text }) => /\d/.test(text)).length * 2 > rest.length
      const table = isLong && (hasNames || cells(first).length > 2) ? { header: first } : {}
      for (const row of [first, ...rest]) found.set(row, table)
    }
    from = until
  }
  return found
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
function isApart(above: Row, below: Row, leading: number): boolean {
  const step = below.bottom - above.bottom
  if (step < -0.5 * below.size) return true
  if (step > 1.35 * leading) return true
  return Math.abs(above.size - below.size) > 0.2 * Math.max(above.size, below.size)
}
