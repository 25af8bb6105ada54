import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist'
import { parseLimits } from '../../../model/parse-limits.ts'
import type { Attachment } from '../../../ports/parser.ts'
import type { OpenPdf } from './open-pdf.ts'
import type { Area, Run } from './runs.ts'

type Viewport = ReturnType<PDFPageProxy['getViewport']>

/** A mark on a page as the library gives it, as far as it is read here. */
interface Mark {
  subtype: string
  /** x and y of two corners, in the units of the page. */
  rect: number[]
  annotationFlags?: number
  fieldType?: string
  fieldValue?: unknown
  password?: boolean
  options?: { exportValue: string; displayValue: string }[]
  contentsObj?: { str: string }
  titleObj?: { str: string }
  /** What the mark shows on the page. */
  textContent?: string[]
  /** Set on a reply that is only a state, such as `Accepted`. */
  stateModel?: string | null
}

interface PageMarks {
  /** Values of form fields and text boxes, which stand on the page. */
  runs: Run[]
  /** Comments in the order of the page, a list of lines each. */
  comments: Run[][]
}

/** Marks whose text is what they lead to, or is said by another mark. */
const silent = new Set(['Link', 'Popup', 'FileAttachment', 'RichMedia', 'Screen', 'Widget', 'FreeText'])
const isHidden = ({ annotationFlags = 0 }: Mark) => (annotationFlags & (2 | 32)) !== 0

/** What is written on a page besides its content: values of form fields, text boxes, comments. */
export async function marksOf(page: PDFPageProxy, viewport: Viewport): Promise<PageMarks> {
  const marks = ((await page.getAnnotations()) as Mark[]).filter((mark) => !isHidden(mark) && Array.isArray(mark.rect))
  const onPage = (mark: Mark, lines: readonly string[]) => runsIn(areaOf(mark, viewport), lines)
  return {
    runs: marks.flatMap((mark) => onPage(mark, shownLines(mark))),
    comments: marks.map((mark) => onPage(mark, commentLines(mark))).filter((lines) => lines.length > 0),
  }
}

function shownLines(mark: Mark): string[] {
  const { subtype, fieldType, fieldValue, textContent, contentsObj, options = [], password } = mark
  if (subtype === 'FreeText') return textContent?.some(Boolean) ? textContent : linesOf(contentsObj?.str ?? '')
  if (subtype !== 'Widget' || password) return []
  if (fieldType === 'Tx' && typeof fieldValue === 'string' && fieldValue !== '') return linesOf(fieldValue)
  if (fieldType !== 'Ch') return textContent ?? []
  const shown = (value: unknown) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value
  return [fieldValue].flat().flatMap((value) => (typeof value === 'string' ? linesOf(String(shown(value))) : []))
}

function commentLines({ subtype, contentsObj, titleObj, stateModel }: Mark): string[] {
  const lines = linesOf(contentsObj?.str ?? '')
  if (silent.has(subtype) || stateModel || lines.length === 0) return []
  const author = titleObj?.str.trim() ?? ''
  return author === '' ? lines : [`${author}: ${lines[0]}`, ...lines.slice(1)]
}

const linesOf = (text: string): string[] => text.split(/\r\n?|\n/).filter((line) => line.trim() !== '')

function areaOf({ rect }: Mark, viewport: Viewport): Area {
  const [left = 0, bottom = 0, right = 0, top = 0] = rect
  const [x1 = 0, y1 = 0] = viewport.convertToViewportPoint(left, bottom) as number[]
  const [x2 = 0, y2 = 0] = viewport.convertToViewportPoint(right, top) as number[]
  return { left: Math.min(x1, x2), top: Math.min(y1, y2), right: Math.max(x1, x2), bottom: Math.max(y1, y2) }
}

/** Usual sizes of type, in points: what is written in a large box is not large itself. */
const maxSize = 12
const minSize = 6

/** Lines from the top of a box down; a single one stands in its middle. */
function runsIn({ left, top, right, bottom }: Area, lines: readonly string[]): Run[] {
  const step = Math.min(maxSize * 1.2, Math.max(minSize, (bottom - top) / Math.max(1, lines.length)))
  const first = lines.length === 1 ? (top + bottom - step) / 2 : top
  return lines.map((text, i) => ({
    text: text.trim(),
    ...{ left, right: Math.max(right, left + 1), top: first + i * step, bottom: first + (i + 1) * step },
    ...{ size: step / 1.2, rightToLeft: false, upright: true },
  }))
}

interface EmbeddedFile {
  id: string
  name: string
}

/** The files in the PDF, each once: those of the document, then those of its pages. One that can't be read is left out. */
export async function attachmentsOf({ document, annotations }: OpenPdf): Promise<Attachment[]> {
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

const filesOfDocument = async (document: PDFDocumentProxy): Promise<EmbeddedFile[]> =>
  Array.from((await document.getAttachments()) ?? [], ([id, { filename }]) => ({ id, name: filename }))

/** A file that a mark on a page opens, or a recording that plays there. The library gives each an id, if it has the bytes. */
async function filesOfPages(document: PDFDocumentProxy, types: OpenPdf['annotations']): Promise<EmbeddedFile[]> {
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
