import type { Block, OpenFile, Structure } from '../../../ports/format.ts'
import { type ParsedUnit, ParseError } from '../../../ports/parser.ts'
import { headingsOf } from './headings.ts'
import { type Codes, drawn, type Matrix, type OpenPdf, type Operators, openPdf, transformed } from './open-pdf.ts'
import { attachmentsOf, marksOf } from './page-marks.ts'
import { type Line, pageText, type RowFacts, readingOrder } from './reading-order.ts'
import { type Area, around, orderLigatures, pageRuns, type Row, rows } from './runs.ts'
import { isLegible, joinerOf } from './words.ts'

/** A page that pictures and drawings cover by at least this share is a Unit of its own. */
const picturePage = 0.1

interface Page {
  regions: Row[][]
  rows: Row[]
  /** In points. */
  width: number
  height: number
  /** Worth looking at: pictures cover a tenth of it, or it has no text. */
  visual: boolean
  ref: string
  toTop(x: number, y: number): number
}

/** The text of a PDF in reading order. A page's text ends in U+000C, and a chunk stays on its page. */
export async function readPdf(file: OpenFile): Promise<Structure> {
  const pdf = await openPdf(await file.readAll())
  try {
    const pages: Page[] = []
    for (let number = 1; number <= pdf.document.numPages; number++) pages.push(await readPage(pdf, number))
    const running = runningRows(pages)
    const body = pages.map((page) => ({ ...page, rows: page.rows.filter((row) => !running.has(row)) }))
    const headings = await headingsOf(pdf.document, body)
    const joinWords = joinerOf(pages.flatMap((page) => page.rows.map(({ text }) => text)))
    return { ...structureOf(pages, { running, headings, joinWords }), attachments: await attachmentsOf(pdf) }
  } catch (error) {
    throw error instanceof ParseError ? error : new ParseError('malformed', 'A page of the PDF is damaged.')
  } finally {
    await pdf.close()
  }
}

async function readPage({ document, operators }: OpenPdf, number: number): Promise<Page> {
  const page = await document.getPage(number)
  const viewport = page.getViewport({ scale: 1 })
  const written = pageRuns(await page.getTextContent(), viewport)
  const own = isLegible(written.map(({ text }) => text)) ? written : []
  const { runs: marked, comments } = await marksOf(page, viewport)
  // Pages without text are rendered anyway; extracting their images is slow.
  const operations = own.length === 0 ? null : await page.getOperatorList()
  const runs = operations ? orderLigatures(own, operations, operators.showText) : own
  const regions = [...readingOrder([...runs, ...marked]), ...comments.map(rows)].filter((region) => region.length > 0)
  const visual = operations === null || pictureShare(operations, operators, page.view) >= picturePage
  page.cleanup()
  return {
    ...{ regions, rows: regions.flat(), width: viewport.width, height: viewport.height, visual },
    ref: `${page.ref?.num} ${page.ref?.gen}`,
    toTop: (x, y) => Number(viewport.convertToViewportPoint(x, y)[1]),
  }
}

function structureOf(pages: readonly Page[], facts: RowFacts): Omit<Structure, 'attachments'> {
  const blocks: Block[] = []
  const placed: PlacedPage[] = []
  const parts: string[] = []
  const path: string[] = []
  let at = 0
  pages.forEach(({ regions, width, height }, i) => {
    const page = pageText(marginsLast(regions, facts), at, facts)
    for (const { kind, begins, ...span } of page.blocks) {
      for (const { depth, title } of begins) path.splice(Math.min(path.length, depth), Infinity, title)
      // A heading is found by its size or the outline alone, so it stays part of the text that is quoted.
      if (kind !== 'margin') blocks.push({ ...span, kind, headings: [...path], metadata: { page: i + 1 } })
    }
    placed.push({ lines: page.lines, width, height })
    parts.push(page.text, '\f')
    at += page.text.length + 1
  })
  return {
    mime: 'application/pdf',
    text: parts.join(''),
    textIsFile: false,
    charset: null,
    blocks,
    locate: locateIn(placed),
    units: pages.flatMap(({ visual, regions }, i) => (visual ? [wholePage(i + 1, regions.length > 0)] : [])),
  }
}

/** A chunk is one slice of the text, so that what a page repeats of others must not stand in the middle of it. */
function marginsLast(regions: readonly Row[][], { running }: RowFacts): Row[][] {
  const body = regions.map((region) => region.filter((row) => !running.has(row)))
  const margins = regions.map((region) => region.filter((row) => running.has(row)))
  return [...body, ...margins].filter((region) => region.length > 0)
}

function wholePage(page: number, hasText: boolean): ParsedUnit {
  const locator = { kind: 'bbox', page, x: 0, y: 0, w: 1, h: 1 } as const
  const unit = { modality: 'doc_page', text: null, title: null, locator, metadata: { page } } as const
  return hasText ? unit : { ...unit, media: 'page' }
}

/** The page is cut into this many fields each way, and those that a picture covers are counted. */
const fields = 50

/**
 * The share of a page, 0..1, that pictures and drawings cover. A drawing is what has curves or slanting lines: straight
 * lines and rectangles are the rules and the shading of tables and text. `view` is the page in its own units.
 */
export function pictureShare(operators: Operators, codes: Codes, view: readonly number[]): number {
  const covered = new Uint8Array(fields * fields)
  const [x0 = 0, y0 = 0, x1 = 1, y1 = 1] = view
  const mark = (matrix: Matrix, box: readonly number[]) => {
    const [left, bottom, right, top] = transformed(matrix, box)
    const fieldOf = (at: number, from: number, until: number) =>
      Math.min(fields, Math.max(0, Math.round(((at - from) / (until - from)) * fields)))
    for (let x = fieldOf(left, x0, x1); x < fieldOf(right, x0, x1); x++) {
      covered.fill(1, x * fields + fieldOf(bottom, y0, y1), x * fields + fieldOf(top, y0, y1))
    }
  }
  const pictures = new Set([codes.paintImageXObject, codes.paintInlineImageXObject, codes.paintImageMaskXObject])
  for (const { code, args, matrix } of drawn(operators, codes)) {
    if (pictures.has(code)) mark(matrix, [0, 0, 1, 1])
    else if (code === codes.constructPath && isDrawing(args, codes))
      mark(matrix, Array.from(args[2] as ArrayLike<number>))
  }
  return covered.reduce((sum, field) => sum + field, 0) / covered.length
}

/** Curves and slanting lines that are painted. The library's path is a list: 0 move, 1 line, 2 and 3 curves, 4 close. */
function isDrawing([paint, paths, box]: readonly unknown[], codes: Codes): boolean {
  const path = Array.isArray(paths) ? (paths[0] as unknown) : null
  if (box == null || paint === codes.endPath || !(path instanceof Float32Array)) return false
  let [x, y] = [0, 0]
  for (let i = 0; i < path.length; ) {
    const step = path[i]
    if (step === 2 || step === 3) return true
    const [nextX, nextY] = [path[i + 1] ?? 0, path[i + 2] ?? 0]
    if (step === 1 && Math.abs(nextX - x) > 1 && Math.abs(nextY - y) > 1) return true
    if (step === 4) i += 1
    else {
      ;[x, y] = [nextX, nextY]
      i += 3
    }
  }
  return false
}

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

interface PlacedPage {
  /** In the order of the text. */
  lines: readonly Line[]
  /** In points. */
  width: number
  height: number
}

/** Places a span of the text on its page: the box around the lines that it has a part of. */
function locateIn(pages: readonly PlacedPage[]): NonNullable<Structure['locate']> {
  const all = pages.flatMap(({ lines }, page) => lines.map((line) => ({ line, page })))
  return ({ start, end }) => {
    let low = 0
    let high = all.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((all[middle]?.line.end ?? 0) <= start) low = middle + 1
      else high = middle
    }
    const page = all[low]?.page ?? 0
    const lines: Line[] = []
    for (let i = low; i < all.length; i++) {
      const next = all[i]
      if (next === undefined || next.page !== page || next.line.start >= end) break
      lines.push(next.line)
    }
    const { width = 1, height = 1 } = pages[page] ?? {}
    return { locator: { kind: 'bbox', page: page + 1, ...fractions(around(lines), width, height) } }
  }
}

/** Rounded outwards, to a ten thousandth of the page. */
function fractions({ left, top, right, bottom }: Area, width: number, height: number) {
  const down = (share: number) => Math.floor(Math.min(1, Math.max(0, share)) * 10_000)
  const up = (share: number) => Math.ceil(Math.min(1, Math.max(0, share)) * 10_000)
  const [x, y] = [down(left / width), down(top / height)]
  const [x2, y2] = [up(right / width), up(bottom / height)]
  return { x: x / 10_000, y: y / 10_000, w: (x2 - x) / 10_000, h: (y2 - y) / 10_000 }
}
