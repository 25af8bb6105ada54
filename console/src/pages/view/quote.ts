import type { Span } from './places.ts'

/** A part of the chosen Unit's text that an answer quotes. */
export interface Quote {
  start: number
  words: string
}

/** `text` is the Unit's; `param` is `<start>-<end>` in it. Null if that names no part of it. */
export function quoteOf(param: string | undefined, text: string): Quote | null {
  const [, start, end] = /^(\d+)-(\d+)$/.exec(param ?? '')?.map(Number) ?? []
  const words = start === undefined ? '' : text.slice(start, end)
  return start === undefined || words === '' ? null : { start, words }
}

/** Marks the quote beside the Units. No Unit has this id. */
const quoteId = ' quote'

/** Where the source has these words: within the Unit's own span, if it has one. Null if it has them in other form. */
export function quoteSpan(words: string, text: string, unitId: string, spans: readonly Span[]): Span | null {
  if (words === '') return null
  const own = spans.find((span) => span.unitId === unitId)
  const start = text.indexOf(words, own?.start ?? 0)
  const end = start + words.length
  return start < 0 || end > (own?.end ?? text.length) ? null : { unitId: quoteId, start, end }
}

export const byStart = (a: Span, b: Span): number => a.start - b.start || a.end - b.end
