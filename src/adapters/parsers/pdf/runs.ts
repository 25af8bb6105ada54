import type { PDFPageProxy } from 'pdfjs-dist'

/** A piece of text on a page, in points from the top left corner of the page as it is shown. */
export interface Run {
  text: string
  left: number
  top: number
  right: number
  bottom: number
  /** Size of the font in points. */
  size: number
  rightToLeft: boolean
  /** False for text that runs up or down the page, such as a stamp in the margin. */
  upright: boolean
}

export type Area = Pick<Run, 'left' | 'top' | 'right' | 'bottom'>

/** The smallest area around all of `areas`, of which there is at least one. */
export function around(areas: readonly Area[]): Area {
  const area = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity }
  for (const each of areas) {
    area.left = Math.min(area.left, each.left)
    area.top = Math.min(area.top, each.top)
    area.right = Math.max(area.right, each.right)
    area.bottom = Math.max(area.bottom, each.bottom)
  }
  return area
}

/** What two runs share of the height of the lower one: 1 for text on one line, 0 for text above each other. */
export function sharedHeight(a: Area, b: Area): number {
  const shared = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
  return shared / Math.max(0.01, Math.min(a.bottom - a.top, b.bottom - b.top))
}

/** Runs on one line of writing, as they are read, with the text that they make. */
export interface Row extends Area {
  text: string
  /** Size of its largest font. */
  size: number
  rightToLeft: boolean
}

/** Lines of writing from top to bottom. */
export function rows(runs: readonly Run[]): Row[] {
  const groups: Run[][] = []
  // From the middle, since letters of another size share a line's baseline, not its top.
  for (const run of [...runs].sort((a, b) => a.top + a.bottom - (b.top + b.bottom))) {
    const group = groups.slice(-3).find((each) => each[0] !== undefined && sharedHeight(each[0], run) > 0.5)
    if (group === undefined) groups.push([run])
    else group.push(run)
  }
  return groups.map(rowOf).filter((row) => row.text !== '')
}

function rowOf(runs: Run[]): Row {
  const letters = runs.reduce((sum, run) => sum + (run.rightToLeft ? run.text.length : 0), 0)
  const all = runs.reduce((sum, run) => sum + run.text.trim().length, 0)
  const rightToLeft = letters * 2 > all
  const inOrder = rightToLeft ? fromTheRight(runs) : [...runs].sort((a, b) => a.left - b.left)
  return { ...around(runs), text: joined(inOrder), size: Math.max(...runs.map((run) => run.size)), rightToLeft }
}

/** In a line that is read from the right, words of a script that is read from the left keep their own order. */
function fromTheRight(runs: Run[]): Run[] {
  const order: Run[] = []
  let leftToRight: Run[] = []
  for (const run of [...runs].sort((a, b) => b.right - a.right)) {
    if (!run.rightToLeft && /[\p{L}\p{N}]/u.test(run.text)) {
      leftToRight.unshift(run)
      continue
    }
    order.push(...leftToRight, run)
    leftToRight = []
  }
  return [...order, ...leftToRight]
}

/** A space where runs have a gap as wide as one; a tab where the gap is as wide as between columns of a table. */
function joined(runs: readonly Run[]): string {
  let text = ''
  let last: Run | undefined
  for (const run of runs) {
    const gap = last === undefined ? 0 : Math.max(run.left - last.right, last.left - run.right)
    if (gap > 2 * run.size) text = `${text.trimEnd()}\t${run.text.trimStart()}`
    else if (!/\s$/.test(text) && !/^\s/.test(run.text) && (gap > 0.18 * run.size || changesScript(last, run)))
      text += ` ${run.text}`
    else text += run.text
    if (run.text.trim() !== '') last = run
  }
  return text.replace(/[^\S\t]+/g, ' ').trim()
}

/** Words of two directions are two words, also where the file gives the space between them no width. */
function changesScript(before: Run | undefined, after: Run): boolean {
  if (before === undefined || before.rightToLeft === after.rightToLeft) return false
  return /\p{L}$/u.test(before.text) && /^\p{L}/u.test(after.text)
}

type Operators = Awaited<ReturnType<PDFPageProxy['getOperatorList']>>

/**
 * Puts the letters of ligatures in order. In a script from the right one glyph may stand for two letters (lam and alef);
 * the library turns a line around letter by letter, and those two with it. Words are compared with the page's glyphs.
 */
export function orderLigatures(runs: readonly Run[], operators: Operators, showText: number | undefined): Run[] {
  const words = turnedWords(operators, showText)
  if (words.size === 0) return [...runs]
  const right = (word: string) => words.get(word) ?? word
  return runs.map((run) => (run.rightToLeft ? { ...run, text: run.text.replace(/\S+/g, right) } : run))
}

/** Words as the library turns them around, with what they are; none that could be a word of its own. */
function turnedWords({ fnArray, argsArray }: Operators, showText: number | undefined): Map<string, string> {
  const turned = new Map<string, string>()
  const plain = new Set<string>()
  for (const word of glyphWords(fnArray, argsArray, showText)) {
    const right = word.toReversed().join('')
    const wrong = [...word.join('')].toReversed().join('')
    if (right === wrong) plain.add(right)
    else turned.set(wrong, right)
  }
  for (const word of plain) turned.delete(word)
  return turned
}

/** The glyphs of each word from the left to the right of the page. */
function* glyphWords(
  codes: readonly number[],
  args: readonly unknown[],
  showText: number | undefined,
): Generator<string[]> {
  for (const [i, code] of codes.entries()) {
    if (code !== showText) continue
    let word: string[] = []
    const glyphs = ((args[i] as unknown[] | undefined)?.[0] ?? []) as ({ unicode?: string } | number | null)[]
    for (const glyph of glyphs) {
      // Numbers are the space between two glyphs.
      const letters = typeof glyph === 'object' ? glyph?.unicode : undefined
      if (letters === undefined) continue
      if (letters.trim() !== '') word.push(letters)
      else {
        yield word
        word = []
      }
    }
    yield word
  }
}

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
