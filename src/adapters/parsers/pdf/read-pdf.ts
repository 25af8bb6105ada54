import { parseLimits } from '../../../model/parse-limits.ts'
import type { Block, OpenFile, Structure } from '../../../ports/format.ts'
import { type Attachment, type ParsedUnit, ParseError } from '../../../ports/parser.ts'
import { type Codes, drawn, type Matrix, type Operators, transformed } from './drawn.ts'
import { type OpenPdf, openPdf } from './open-pdf.ts'
import { locateIn, type PlacedPage, pageText, readingOrder } from './reading-order.ts'
import { orderLigatures, pageRuns, type Row } from './runs.ts'

/** A page that pictures and drawings cover by at least this share is a Unit of its own. */
const picturePage = 0.1

interface Page {
  regions: Row[][]
  width: number
  height: number
  /** Worth looking at: pictures cover a tenth of it, or it has no text. */
  visual: boolean
}

/** The text of a PDF in reading order. A page's text ends in U+000C, and a chunk stays on its page. */
export async function readPdf(file: OpenFile): Promise<Structure> {
  const pdf = await openPdf(await file.readAll())
  try {
    const pages: Page[] = []
    for (let number = 1; number <= pdf.document.numPages; number++) pages.push(await readPage(pdf, number))
    return { ...structureOf(pages), attachments: await attachmentsOf(pdf) }
  } catch (error) {
    throw error instanceof ParseError ? error : new ParseError('malformed', 'A page of the PDF is damaged.')
  } finally {
    await pdf.close()
  }
}

async function readPage({ document, operators }: OpenPdf, number: number): Promise<Page> {
  const page = await document.getPage(number)
  const viewport = page.getViewport({ scale: 1 })
  const runs = pageRuns(await page.getTextContent(), viewport)
  // Pages without text are rendered anyway; extracting their images is slow.
  const operations = runs.length === 0 ? null : await page.getOperatorList()
  const regions = readingOrder(operations ? orderLigatures(runs, operations, operators.showText) : runs)
  const visual =
    regions.length === 0 || operations === null || pictureShare(operations, operators, page.view) >= picturePage
  page.cleanup()
  return { regions, width: viewport.width, height: viewport.height, visual }
}

function structureOf(pages: readonly Page[]): Omit<Structure, 'attachments'> {
  const headingLevel = headingLevels(pages.flatMap(({ regions }) => regions.flat()))
  const blocks: Block[] = []
  const placed: PlacedPage[] = []
  const parts: string[] = []
  const path: string[] = []
  let at = 0
  pages.forEach(({ regions, width, height }, i) => {
    const page = pageText(regions, at, headingLevel)
    for (const { start, end, heading } of page.blocks) {
      if (heading !== null) {
        path.length = Math.min(path.length, heading - 1)
        path.push(page.text.slice(start - at, end - at).replace(/\s+/g, ' '))
      }
      // A heading is found by its size alone, so it stays part of the text that is quoted.
      blocks.push({ kind: 'prose', start, end, headings: [...path], metadata: { page: i + 1 } })
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

function wholePage(page: number, hasText: boolean): ParsedUnit {
  const locator = { kind: 'bbox', page, x: 0, y: 0, w: 1, h: 1 } as const
  const unit = { modality: 'doc_page', text: null, title: null, locator, metadata: { page } } as const
  return hasText ? unit : { ...unit, media: 'page' }
}

interface EmbeddedFile {
  id: string
  name: string
}

/** The files in the PDF, each once: those of the document, then those of its pages. One that can't be read is left out. */
async function attachmentsOf({ document, annotations }: OpenPdf): Promise<Attachment[]> {
  const found: Attachment[] = []
  for (const { id, name } of [...(await filesOfDocument(document)), ...(await filesOfPages(document, annotations))]) {
    // A file of more is refused.
    if (found.length > parseLimits.attachments) break
    const bytes = await document.getAttachmentContent(id).catch(() => null)
    if (!bytes?.length || found.some((other) => other.name === name && Buffer.compare(other.bytes, bytes) === 0))
      continue
    found.push({ name, bytes })
  }
  return found
}

const filesOfDocument = async (document: OpenPdf['document']): Promise<EmbeddedFile[]> =>
  Array.from((await document.getAttachments()) ?? [], ([id, { filename }]) => ({ id, name: filename }))

/** A file that a mark on a page opens, or a recording that plays there. The library gives each an id, if it has the bytes. */
async function filesOfPages(document: OpenPdf['document'], types: OpenPdf['annotations']): Promise<EmbeddedFile[]> {
  const wanted = new Set([types.FILEATTACHMENT, types.RICHMEDIA, types.SCREEN].filter((type) => type !== undefined))
  const marks = (await document.getAnnotationsByType(wanted, new Set())) as PageFile[] | null
  return (marks ?? []).flatMap(({ fileId, file, richMedia }) => {
    const [id, name] = richMedia ? [richMedia.fileId, richMedia.filename] : [fileId, file?.filename]
    return id === undefined ? [] : [{ id, name: name || 'unnamed' }]
  })
}

interface PageFile {
  fileId?: string
  file?: { filename: string }
  richMedia?: { fileId?: string; filename: string }
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
