import type { Line } from '../lines/lines.ts'

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
