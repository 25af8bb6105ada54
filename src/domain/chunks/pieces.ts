import type { Block, Span } from '../../ports/format.ts'

/** From the coarsest to the finest place to split at. A separator belongs to the piece before it. */
const proseSeparators = [
  /\n[^\S\n]*\n\s*/g,
  /\n/g,
  /[.!?…]["'”’)\]]*\s+|[。！？]/g,
  /[,;:)\]}>]\s+|[，、；}>]/g,
  /\s+/g,
]
const lineSeparators = [/\n[^\S\n]*\n/g, /\n/g]
const dataSeparators = [...lineSeparators, /[,;:)\]}>|]\s*|\s+/g]

/** A longer line is not written by hand, and read by nobody: only that is cut. */
const maxLine = 8_000

/** Splits a block into pieces of at most `max` characters, as coarse as possible. Together they are the block. */
export function piecesOf(text: string, { kind, start, end }: Block, max: number): Span[] {
  const span = { start, end }
  if (kind === 'prose' || kind === 'heading') return split(text, span, max, proseSeparators)
  if (kind === 'data') return split(text, span, max, dataSeparators)
  return splitLines(text, span, max)
}

const splitLines = (text: string, span: Span, max: number): Span[] =>
  split(text, span, max, lineSeparators, (line) =>
    line.end - line.start <= maxLine ? [line] : split(text, line, max, dataSeparators),
  )

function split(
  text: string,
  span: Span,
  max: number,
  [separator, ...finer]: readonly RegExp[],
  finest = (rest: Span) => cut(text, rest, max),
): Span[] {
  if (span.end - span.start <= max) return [span]
  if (!separator) return finest(span)
  return partsAt(text, span, separator).flatMap((part) => split(text, part, max, finer, finest))
}

function partsAt(text: string, { start, end }: Span, separator: RegExp): Span[] {
  const part = text.slice(start, end)
  const parts: Span[] = []
  let from = 0
  for (const match of part.matchAll(separator)) {
    const to = match.index + match[0].length
    parts.push({ start: start + from, end: start + to })
    from = to
  }
  if (from < part.length) parts.push({ start: start + from, end })
  return parts
}

/** A word longer than a chunk: cut anywhere but within a surrogate pair. */
function cut(text: string, { start, end }: Span, max: number): Span[] {
  const parts: Span[] = []
  for (let from = start; from < end; ) {
    const to = Math.min(end, from + max)
    const isSplitPair = to < end && (text.charCodeAt(to) & 0xfc00) === 0xdc00
    parts.push({ start: from, end: isSplitPair ? to - 1 : to })
    from = isSplitPair ? to - 1 : to
  }
  return parts
}
