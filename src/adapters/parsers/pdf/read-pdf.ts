import { parseLimits } from '../../../model/parse-limits.ts'
import type { Block, OpenFile, Structure } from '../../../ports/format.ts'
import { type Attachment, type ParsedUnit, ParseError } from '../../../ports/parser.ts'
import { pictureShare } from './drawings.ts'
import { headingLevels } from './headings.ts'
import { orderLigatures } from './ligatures.ts'
import { locateIn, type PlacedPage } from './locate.ts'
import { type OpenPdf, openPdf } from './open-pdf.ts'
import { pageRuns } from './page-runs.ts'
import { pageText } from './page-text.ts'
import { readingOrder } from './reading-order.ts'
import type { Row } from './rows.ts'

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
  // A page without text is looked at in any case, and to unpack its pictures takes long.
  const drawn = runs.length === 0 ? null : await page.getOperatorList()
  const regions = readingOrder(drawn ? orderLigatures(runs, drawn, operators.showText) : runs)
  const visual = regions.length === 0 || drawn === null || pictureShare(drawn, operators, page.view) >= picturePage
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
