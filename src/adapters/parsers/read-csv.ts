import type { Block, OpenFile, Span, Structure } from '../../ports/format.ts'
import { type Line, lineCounter } from './lines.ts'
import { maxHeader } from './text-builder.ts'

/** A table as text, whatever its delimiter. Its first row is the header; lines before it of fewer cells are not of the table. */
export async function readCsv(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const delimiter = delimiterOf(text)
  const lineOf = lineCounter(text)
  const headerAt = headerStart(text, delimiter)
  const blocks: Block[] = []
  const joined = text.length > longText ? maxJoined : 0
  let header: Line | undefined
  let above: Span | undefined
  for (const row of rowsOf(text, delimiter)) {
    const last = blocks.at(-1)
    if (row.start >= headerAt && header === undefined) {
      header = row
      if (row.next - row.start <= maxHeader) above = { start: row.start, end: row.next }
    } else if (last && last.header === above && row.end - last.start <= joined) last.end = row.end
    else blocks.push(blockOf(row, above))
  }
  // A header alone is a row.
  if (header && (blocks.at(-1)?.start ?? 0) < header.next) blocks.push(blockOf(header))
  return {
    mime: delimiter === '\t' ? 'text/tab-separated-values' : 'text/csv',
    ...{ text, textIsFile: true, charset, blocks, units: [], attachments: [] },
    locate: ({ start, end }) => ({ locator: { kind: 'line_range', start: lineOf(start), end: lineOf(end - 1) } }),
  }
}

const noHeadings: readonly string[] = []

/** Rows of a longer text stand in blocks of at most this number of characters: a chunk of it is not shorter. */
const longText = 8_000_000
const maxJoined = 1_000

const blockOf = ({ start, end }: Line, header?: Span): Block => ({
  kind: 'table',
  start,
  end,
  headings: noHeadings,
  ...(header && { header }),
})

/** Lines before the header at most. */
const maxPreamble = 20

/** Where the first row begins that has as many cells as most of the first rows do. */
function headerStart(text: string, delimiter: string): number {
  const starts: number[] = []
  const counts: number[] = []
  for (const { start, end } of rowsOf(text, delimiter)) {
    if (starts.length === 2 * maxPreamble) break
    starts.push(start)
    counts.push(cellsIn(text.slice(start, end), delimiter))
  }
  const usualCount = mode(counts)
  const first = counts.indexOf(usualCount)
  const isPreamble = first <= maxPreamble && counts.slice(0, first).every((count) => count < usualCount)
  return isPreamble ? (starts[first] ?? 0) : 0
}

const cellsIn = (line: string, delimiter: string) => line.replace(/"[^"]*"/g, '').split(delimiter).length

/** The value that occurs most often; 0 for none. */
function mode(values: readonly number[]): number {
  const times = (value: number) => values.filter((other) => other === value).length
  return values.reduce((best, value) => (times(value) > times(best) ? value : best), values[0] ?? 0)
}

const usual = [',', ';', '\t', '|', '^', '~', ':']
const sampleLines = 20

/** The character that divides the first lines into the most columns of an equal number; a comma where none does. */
export function delimiterOf(text: string): string {
  const lines = text
    .slice(0, 64 * 1024)
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .slice(0, sampleLines)
  const score = (delimiter: string) => {
    const counts = lines.map((line) => cellsIn(line, delimiter))
    const columns = mode(counts.filter((count) => count > 1))
    return columns === 0 ? 0 : counts.filter((count) => count === columns).length / counts.length + columns / 1e6
  }
  const best = usual.reduce((a, b) => (score(b) > score(a) ? b : a))
  return score(best) > 0 ? best : ','
}

/** A quoted cell may hold line breaks, but one quote that is never closed must not take in the rest of the table. */
const maxQuoted = 64 * 1024

/** The rows of a table (RFC 4180): lines, where a quoted cell may span several. Empty ones are left out. */
export function* rowsOf(text: string, delimiter: string): Generator<Line> {
  for (let start = 0; start < text.length; ) {
    const lineFeed = endOfRow(text, start, delimiter)
    const end = lineFeed > start && text[lineFeed - 1] === '\r' ? lineFeed - 1 : lineFeed
    const next = Math.min(lineFeed + 1, text.length)
    if (text.slice(start, end).trim() !== '') yield { start, end, next }
    start = next
  }
}

function endOfRow(text: string, start: number, delimiter: string): number {
  const lineEnd = endOfLine(text, start)
  if (!text.slice(start, lineEnd).includes('"')) return lineEnd
  let end = lineEnd
  for (let at = start; ; ) {
    if (text[at] === '"') {
      at = endOfQuoted(text, at) ?? at + 1
      if (at > end) end = endOfLine(text, at)
    }
    const next = text.indexOf(delimiter, at)
    if (next === -1 || next >= end) return end
    at = next + 1
  }
}

const endOfLine = (text: string, from: number) => {
  const found = text.indexOf('\n', from)
  return found === -1 ? text.length : found
}

/** The offset after the closing quote. A doubled quote stands for one. */
function endOfQuoted(text: string, open: number): number | null {
  for (let at = open + 1; ; at += 2) {
    at = text.indexOf('"', at)
    if (at === -1 || at - open > maxQuoted) return null
    if (text[at + 1] !== '"') return at + 1
  }
}
