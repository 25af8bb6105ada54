import type { Block, OpenFile, Structure } from '../../ports/format.ts'
import { type Line, lineCounter } from './lines.ts'
import { maxHeader } from './table.ts'

/** A table as text, whatever its delimiter. Its first row is the header. */
export async function readCsv(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const delimiter = delimiterOf(text)
  const [first, ...rows] = rowsOf(text, delimiter)
  const lineOf = lineCounter(text)
  const header = first && first.next - first.start <= maxHeader ? { start: first.start, end: first.next } : undefined
  const table = rows.length > 0 ? rows : first ? [first] : []
  const blocks = table.map(
    ({ start, end }): Block => ({
      kind: 'table',
      start,
      end,
      headings: [],
      ...(header && first !== table[0] && { header }),
    }),
  )
  return {
    mime: delimiter === '\t' ? 'text/tab-separated-values' : 'text/csv',
    ...{ text, textIsFile: true, charset, blocks, units: [], attachments: [] },
    locate: ({ start, end }) => ({ locator: { kind: 'line_range', start: lineOf(start), end: lineOf(end - 1) } }),
  }
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
    .map((line) => line.replace(/"[^"]*"/g, ''))
  const score = (delimiter: string) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1)
    const [first = 0] = counts
    return first === 0 ? 0 : counts.filter((count) => count === first).length / counts.length + first / 1e6
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
