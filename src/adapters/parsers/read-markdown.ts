import type { Block, OpenFile, Structure } from '../../ports/format.ts'
import { type Line, linesOf } from './lines.ts'
import { maxHeader, Outline } from './text-builder.ts'

export async function readMarkdown(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const blocks = markdownBlocks(text)
  return { mime: 'text/markdown', text, textIsFile: true, charset, blocks, units: [], attachments: [] }
}

const fence = /^ {0,3}(`{3,}|~{3,})/
const heading = /^ {0,3}(#{1,6})(?:[ \t]|$)/
const underline = /^ {0,3}(=+|-+)[ \t]*$/
const delimiterRow = /^[|:\-\s]+$/

/**
 * The blocks of Markdown: headings, fenced code, tables, and paragraphs between empty lines. They are found line by
 * line: the syntax tree of a large file does not fit in the memory of a parser.
 */
export function markdownBlocks(text: string): Block[] {
  const lines = [...linesOf(text)]
  const read = ({ start, end }: Line) => text.slice(start, end)
  const blocks: Block[] = []
  const outline = new Outline()
  const add = (kind: Block['kind'], from: number, to: number) => {
    const [first, last] = [lines[from], lines[to - 1]]
    if (!first || !last || from >= to) return
    const { start } = first
    // The names of the columns, and the line below them.
    const end = lines[from + 1]?.next ?? start
    const header = kind === 'table' && end < last.end && end - start <= maxHeader && { header: { start, end } }
    blocks.push({ kind, start, end: last.end, headings: outline.path, ...header })
  }
  const isBlank = (i: number) => lines[i] === undefined || read(lines[i]).trim() === ''
  const at = (i: number) => (lines[i] ? read(lines[i]) : '')

  /** Where a block that starts at a line ends, unless it is a paragraph's line. */
  const special = (i: number): { kind: 'code' | 'table'; to: number } | null => {
    const line = at(i)
    if (i === 0 && /^---[ \t]*$/.test(line)) {
      const end = lines.findIndex((other, n) => n > 0 && /^(---|\.\.\.)[ \t]*$/.test(read(other)))
      if (end > 0) return { kind: 'code', to: end + 1 }
    }
    const mark = fence.exec(line)?.[1]
    if (mark) {
      let to = i + 1
      while (to < lines.length && !isClosing(at(to), mark)) to++
      return { kind: 'code', to: Math.min(to + 1, lines.length) }
    }
    if (line.includes('|') && at(i + 1).includes('-') && at(i + 1).includes('|') && delimiterRow.test(at(i + 1))) {
      let to = i + 2
      while (!isBlank(to)) to++
      return { kind: 'table', to }
    }
    return null
  }

  const addHeading = (level: number, title: string, from: number, to: number) => {
    outline.enter(level, plainInline(title))
    add('heading', from, to)
  }

  let paragraph = 0
  for (let i = 0; i < lines.length; ) {
    const line = at(i)
    const found = special(i)
    const marks = heading.exec(line)?.[1]
    const under = isTitle(at(paragraph), i - paragraph) ? underline.exec(line)?.[1] : undefined
    if (found) {
      add('prose', paragraph, i)
      add(found.kind, i, found.to)
      paragraph = i = found.to
    } else if (marks) {
      add('prose', paragraph, i)
      addHeading(marks.length, withoutMarks(line), i, i + 1)
      paragraph = ++i
    } else if (under) {
      const title = lines.slice(paragraph, i).map(read).join(' ')
      addHeading(under.startsWith('=') ? 1 : 2, title, paragraph, i + 1)
      paragraph = ++i
    } else if (isBlank(i)) {
      add('prose', paragraph, i)
      paragraph = ++i
    } else i++
  }
  add('prose', paragraph, lines.length)
  return blocks
}

/** Whether the lines above an underline are a title: an item of a list, a quote and a long paragraph are none. */
const isTitle = (first: string, lines: number) => lines > 0 && lines <= 3 && !/^\s*([-*+>|]|\d+[.)])\s/.test(first)

const isClosing = (line: string, mark: string) => {
  const trimmed = line.trim()
  return trimmed.length >= mark.length && trimmed === (mark[0] ?? '').repeat(trimmed.length)
}

/** `## Title ##` -> `Title`. */
const withoutMarks = (line: string) => {
  const title = line.trim().replace(/^#+/, '').trim()
  const end = title.replace(/#+$/, '')
  return end === '' || /\s$/.test(end) ? end.trim() : title
}

/** A heading as it reads: without marks of emphasis, code and links. */
export const plainInline = (markdown: string): string =>
  markdown
    .slice(0, 2000)
    .replace(/!?\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g, '$1')
    .replace(/<[^<>]*>/g, '')
    .replace(/(\*\*|__|~~|`+)(?=\S)/g, '')
    .replace(/(?<=\S)(\*\*|__|~~|`+)/g, '')
    .replace(/(?<![\p{L}\p{N}])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}])/gu, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
