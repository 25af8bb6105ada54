import type { PDFPageProxy } from 'unpdf/pdfjs'
import { type Area, around, type Run } from './run.ts'

type TextContent = Awaited<ReturnType<PDFPageProxy['getTextContent']>>
type TextItem = Extract<TextContent['items'][number], { str: string }>
type Viewport = ReturnType<PDFPageProxy['getViewport']>

// A control character in a font's own encoding stands for nothing that can be read.
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones
const unreadable = /[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]/g

/** The text of a page in the order of its file. Text outside of the page is left out, as a reader of the page does not see it. */
export function pageRuns(content: TextContent, viewport: Viewport): Run[] {
  const runs: Run[] = []
  const shown = new Map<string, Run[]>()
  for (const item of content.items) {
    if (!('str' in item) || item.str === '') continue
    const run = runOf(item, content.styles[item.fontName], viewport)
    // A wide blank is a gap: the library fills what lies between two columns.
    const isGap = run.text.trim() === '' && run.right - run.left > run.size
    if (run.text === '' || isGap || run.right <= 0 || run.bottom <= 0) continue
    if (run.left >= viewport.width || run.top >= viewport.height) continue
    const same = shown.get(run.text) ?? []
    if (same.some((other) => isOnTop(other, run))) continue
    shown.set(run.text, [...same.slice(-8), run])
    runs.push(run)
  }
  return runs
}

function runOf(item: TextItem, style: TextContent['styles'][string] | undefined, viewport: Viewport): Run {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = item.transform as number[]
  const size = Math.hypot(c, d) || Math.hypot(a, b)
  const width = Math.hypot(a, b) || 1
  const ascent = inRange(style?.ascent, 0.5, 1.1, 0.9)
  const descent = inRange(style?.descent, -0.4, -0.1, -0.25)
  // Along the line of writing, and across it.
  const along = [(a / width) * item.width, (b / width) * item.width] as const
  const corner = (share: number, height: number): Area => {
    const px = x + along[0] * share + c * height
    const py = y + along[1] * share + d * height
    const [left, top] = viewport.convertToViewportPoint(px, py) as [number, number]
    return { left, top, right: left, bottom: top }
  }
  const area = around([corner(0, descent), corner(0, ascent), corner(1, descent), corner(1, ascent)])
  const [, turned = 0] = viewport.transform as number[]
  const sideways = Math.abs(b) > Math.abs(a)
  return {
    ...area,
    text: item.str.replace(unreadable, ''),
    size,
    rightToLeft: item.dir === 'rtl',
    upright: sideways === Math.abs(turned) > 0.5,
  }
}

/** Bold type and shadows are made by the same text twice, a little aside. */
function isOnTop(a: Run, b: Run): boolean {
  return Math.abs(a.left - b.left) < 0.2 * b.size && Math.abs(a.top - b.top) < 0.2 * b.size
}

function inRange(value: number | undefined, min: number, max: number, otherwise: number): number {
  return value !== undefined && value >= min && value <= max ? value : otherwise
}
