import type { PDFDocumentProxy } from 'pdfjs-dist'
import type { Row } from './runs.ts'

/** A heading that a row begins. `depth` counts from 0. */
export interface Heading {
  depth: number
  title: string
}

/** An entry of the outline with its place; `top` is in the points of the page as it is shown. */
interface OutlineEntry extends Heading {
  page: number
  top: number | null
}

interface OutlinePage {
  rows: readonly Row[]
  /** Its name as the object of a PDF: `<number> <generation>`. */
  ref: string
  toTop(x: number, y: number): number
}

type Outline = Awaited<ReturnType<PDFDocumentProxy['getOutline']>>

const maxEntries = 10_000
const maxDepth = 6
/** An outline of less says nothing of a document's parts. */
const minEntries = 3

/** The headings that rows of a document begin: those of its outline, else lines in larger type. */
export async function headingsOf(
  document: PDFDocumentProxy,
  pages: readonly OutlinePage[],
): Promise<ReadonlyMap<Row, readonly Heading[]>> {
  const entries = await entriesOf(document, pages)
  return entries.length >= minEntries ? outlineHeadings(entries, pages) : largeRows(pages.flatMap(({ rows }) => rows))
}

async function entriesOf(document: PDFDocumentProxy, pages: readonly OutlinePage[]): Promise<OutlineEntry[]> {
  const outline = await document.getOutline().catch(() => null)
  const pageOf = new Map(pages.map(({ ref }, i) => [ref, i]))
  const entries: OutlineEntry[] = []
  const open = [{ items: outline ?? [], depth: 0 }]
  for (let next = open.pop(); next && entries.length < maxEntries; next = open.pop()) {
    const { items, depth } = next
    const [item, ...rest] = items as Outline
    if (item === undefined) continue
    open.push({ items: rest, depth }, { items: item.items as Outline, depth: depth + 1 })
    const title = item.title.replace(/\s+/g, ' ').trim()
    const dest = typeof item.dest === 'string' ? await document.getDestination(item.dest).catch(() => null) : item.dest
    if (title === '' || depth >= maxDepth || !Array.isArray(dest)) continue
    const [target, kind, ...place] = dest as [unknown, { name?: string } | undefined, ...(number | null)[]]
    const page = typeof target === 'number' ? target : pageOf.get(nameOf(target))
    const shown = page === undefined ? undefined : pages[page]
    if (page === undefined || shown === undefined) continue
    const [x, y] = kind?.name === 'XYZ' ? place : [0, kind?.name === 'FitH' ? place[0] : null]
    entries.push({ title, depth, page, top: typeof y === 'number' ? shown.toTop(x ?? 0, y) : null })
  }
  return entries
}

function nameOf(target: unknown): string {
  const { num, gen } = (target ?? {}) as { num?: number; gen?: number }
  return `${num} ${gen}`
}

const plain = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Each entry begins at the row that has its words, else at the first row below its place. */
function outlineHeadings(entries: readonly OutlineEntry[], pages: readonly OutlinePage[]): Map<Row, Heading[]> {
  const found = new Map<Row, Heading[]>()
  for (const { page, top, ...heading } of entries) {
    const rows = pages[page]?.rows ?? []
    const title = plain(heading.title)
    const isTitle = (row: Row) => {
      const text = plain(row.text)
      return text !== '' && (text === title || (text.length > 3 && title.startsWith(text)) || text.endsWith(title))
    }
    const distance = (row: Row) => Math.abs(row.top - (top ?? 0))
    const named = rows.filter((row) => title !== '' && row.text.length < 300 && isTitle(row))
    const at =
      named.sort((a, b) => distance(a) - distance(b))[0] ??
      rows.find((row) => top === null || row.bottom >= top) ??
      rows[0]
    if (at) found.set(at, [...(found.get(at) ?? []), heading])
  }
  return found
}

/** A heading is at least this much larger than the body of the text. */
const larger = 1.12
const maxCharacters = 160
const maxLevels = 4

/**
 * Headings by the size of their type: the body is the size in which most of the document is set, larger sizes are levels,
 * the largest is the first. A document has no headings where a large part of it would be.
 */
function largeRows(rows: readonly Row[]): Map<Row, Heading[]> {
  const letters = new Map<number, number>()
  for (const row of rows) letters.set(sizeOf(row), (letters.get(sizeOf(row)) ?? 0) + row.text.length)
  const body = [...letters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0
  const isHeading = (row: Row) =>
    sizeOf(row) >= body * larger &&
    row.text.length <= maxCharacters &&
    /\p{L}{2}/u.test(row.text) &&
    !row.text.includes('\t')
  const headings = rows.filter(isHeading)
  if (headings.length > 0.4 * rows.length) return new Map()
  const sizes = [...new Set(headings.map(sizeOf))].sort((a, b) => b - a)
  const depthOf = (row: Row) => Math.min(maxLevels - 1, sizes.indexOf(sizeOf(row)))
  return new Map(headings.map((row) => [row, [{ depth: depthOf(row), title: row.text }]]))
}

/** Half points: the same type differs in the last digits. */
function sizeOf(row: Row): number {
  return Math.round(row.size * 2) / 2
}
