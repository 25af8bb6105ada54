/** A part of a text: UTF-16 offsets, `end` exclusive. */
export interface Span {
  start: number
  end: number
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Longer text without a sentence end (transcripts, tables) is cut between words. */
const longestSentence = 400
/** How far back to look for the end of a sentence. */
const glance = 24
/** A cut leaves at least this much on each side. */
const shortestPiece = 40

/** A full stop here does not end a sentence: a title, an initial, or an abbreviation that text follows. */
const abbreviation =
  /(?:^|[\s("'“‘])(?:\p{Lu}|[Mm]rs?|[Mm]s|[Dd]r|[Pp]rof|[Ss]t|[Nn]o|[Ff]ig|vs|e\.g|i\.e|cf|approx|al|\p{Lu}(?:\.\p{Lu})+)\.$/u
/** Tokenised text has spaces before its full stops; these end sentences, whatever follows. */
const spacedStop = /\s[.!?](?=\s)/gu
const ends = /[.!?…。！？؟।:;]["'”’)\]]*$/u
const startsLower = /^\s*\p{Ll}/u

/**
 * The sentences of a text in order, without the white space around them. `Intl.Segmenter` (UAX #29) finds them in any
 * script; its breaks after abbreviations and inside wrapped lines are undone.
 */
export function sentences(text: string): Span[] {
  const found: Span[] = []
  let open: Span | null = null
  for (const { segment, index } of segmenter.segment(text)) {
    const end = index + segment.length
    if (open && index - open.start < longestSentence && continues(text.slice(0, index), segment)) open.end = end
    else {
      if (open) found.push(open)
      open = { start: index, end }
    }
  }
  if (open) found.push(open)
  return found
    .flatMap((span) => atSpacedStops(text, span))
    .flatMap((span) => inPieces(text, span))
    .map((span) => trimmed(text, span))
    .filter(({ start, end }) => start < end)
}

/** A line that ends in the middle of a sentence continues on the next line if that starts in lower case. */
function continues(before: string, next: string): boolean {
  const tail = before.slice(-glance).trimEnd()
  return tail === '' || abbreviation.test(tail) || (!ends.test(tail) && startsLower.test(next))
}

function atSpacedStops(text: string, { start, end }: Span): Span[] {
  const spans: Span[] = []
  let from = start
  for (const { 0: stop, index } of text.slice(start, end).matchAll(spacedStop)) {
    const at = start + index + stop.length
    spans.push({ start: from, end: at })
    from = at
  }
  return [...spans, { start: from, end }]
}

function inPieces(text: string, { start, end }: Span): Span[] {
  const spans: Span[] = []
  let from = start
  while (end - from > longestSentence) {
    const at = cutBefore(text, from + shortestPiece, from + longestSentence)
    spans.push({ start: from, end: at })
    from = at
  }
  return [...spans, { start: from, end }]
}

/** The last white space before `latest`; if there is none in range, `latest` itself, between whole characters. */
function cutBefore(text: string, earliest: number, latest: number): number {
  for (let at = latest; at > earliest; at--) if (/\s/u.test(text[at] ?? '')) return at
  const isTail = (text.charCodeAt(latest) & 0xfc00) === 0xdc00
  return isTail ? latest - 1 : latest
}

function trimmed(text: string, { start, end }: Span): Span {
  const piece = text.slice(start, end)
  return { start: start + piece.length - piece.trimStart().length, end: start + piece.trimEnd().length }
}
