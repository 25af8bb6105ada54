import type { Span } from '../../ports/format.ts'

/** From the coarsest to the finest place to split at. A separator belongs to the piece before it. */
const separators = [/\n[^\S\n]*\n\s*/g, /\n/g, /[.!?…]["'”’)\]]*\s+|[。！？]/g, /\s+/g]

/** Splits a span into pieces of at most `max` characters, as coarse as possible. Together they are the span. */
export function pieces(text: string, span: Span, max: number, level = 0): Span[] {
  if (span.end - span.start <= max) return [span]
  const separator = separators[level]
  if (!separator) return cut(text, span, max)
  const parts = splitAt(text, span, separator)
  return parts.flatMap((part) => pieces(text, part, max, level + 1))
}

function splitAt(text: string, { start, end }: Span, separator: RegExp): Span[] {
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
