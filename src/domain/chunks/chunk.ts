import type { Block, Span, Structure } from '../../ports/format.ts'
import type { ParsedUnit } from '../../ports/parser.ts'

/** Characters of a chunk at most, about 200 tokens of English: what `bench/chunking` found best. */
const defaultSize = 800

/** A text of many megabytes has longer chunks, so that it does not fail for their number. */
const maxChunks = 8_000

const maxTitle = 1_024

/**
 * The Units of a structure: its blocks in chunks, then those that the format gives. A chunk lies within one section.
 * Whole blocks are joined up to `wanted` characters; a longer one is split where it breaks least.
 */
export function chunk(structure: Structure, wanted = defaultSize): ParsedUnit[] {
  const text = structure.chunked ?? structure.text
  if (text === null) return [...structure.units]
  const size = Math.max(wanted, Math.ceil(text.length / maxChunks))
  const chunks = sectionsOf(structure.blocks).flatMap((section) =>
    packed(text, section, size).map((piece) => unitOf(structure, text, section, piece)),
  )
  return [...chunks, ...structure.units]
}

/** A part of a block. `header` is that of its table, if it stands before it. */
interface Piece extends Span {
  header: Span | undefined
}

function packed(text: string, section: readonly Block[], size: number): Piece[] {
  const pieces: Piece[] = []
  let open: Piece | null = null
  // A block at a time: a large table has a piece for each of its rows.
  for (const block of section)
    for (const piece of piecesOf(text, block, size)) {
      if (open && piece.end - open.start <= size && (!piece.header || hasHeader(open, piece.header)))
        open.end = piece.end
      else {
        open = { ...piece }
        pieces.push(open)
      }
    }
  return pieces.map((piece) => ({ ...piece, ...trimmed(text, piece) })).filter(({ start, end }) => start < end)
}

/** Whether a chunk begins with the header of a table, or holds the table from its start. */
const hasHeader = ({ start, header }: Piece, { start: wanted }: Span) => header?.start === wanted || start <= wanted

function trimmed(text: string, { start, end }: Span): Span {
  const slice = text.slice(start, end)
  return { start: end - slice.trimStart().length, end: start + slice.trimEnd().length }
}

function unitOf(structure: Structure, text: string, [first]: readonly Block[], piece: Piece): ParsedUnit {
  const { start, end } = piece
  const span = { start, end }
  const place = structure.locate?.(span)
  const title = first?.headings.join(' > ').slice(0, maxTitle) ?? ''
  const header = piece.header ? text.slice(piece.header.start, piece.header.end) : ''
  return {
    modality: 'chunk',
    text: header + text.slice(start, end),
    title: title === '' ? null : title,
    locator: place?.locator ?? { kind: 'char_span', ...span },
    metadata: { ...first?.metadata, ...place?.metadata },
  }
}

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
function* piecesOf(text: string, { kind, start, end, header }: Block, max: number): Generator<Piece> {
  const span = { start, end }
  if (kind === 'prose' || kind === 'heading') yield* plain(split(text, span, max, proseSeparators))
  else if (kind === 'data') yield* plain(split(text, span, max, dataSeparators))
  else if (!header) yield* plain(splitLines(text, span, max))
  else {
    let own = isOwn(header, span)
    for (const row of splitLines(text, { start: Math.max(start, header.end), end }, max)) {
      yield own ? { start, end: row.end, header: undefined } : { ...row, header }
      own = false
    }
  }
}

function* plain(spans: Iterable<Span>): Generator<Piece> {
  for (const { start, end } of spans) yield { start, end, header: undefined }
}

/** Whether a table's header is a part of the block, at its start. */
const isOwn = (header: Span, { start }: Span) => header.start === start

const splitLines = (text: string, span: Span, max: number): Iterable<Span> =>
  split(text, span, max, lineSeparators, (line) =>
    line.end - line.start <= maxLine ? [line] : split(text, line, max, dataSeparators),
  )

/** One part after the other: a line of many megabytes has a part for each of its words. */
function* split(
  text: string,
  whole: Span,
  max: number,
  separators: readonly RegExp[],
  finest = (rest: Span): Iterable<Span> => cut(text, rest, max),
): Generator<Span> {
  const open: Iterator<Span>[] = [[whole].values()]
  for (let level = 0; level >= 0; level = open.length - 1) {
    const { value: part, done } = open[level]?.next() ?? { done: true }
    const separator = separators[level]
    if (done) open.pop()
    else if (part.end - part.start <= max) yield part
    else if (separator) open.push(partsAt(text, part, separator))
    else yield* finest(part)
  }
}

function* partsAt(text: string, { start, end }: Span, separator: RegExp): Generator<Span> {
  const part = text.slice(start, end)
  let from = 0
  for (const match of part.matchAll(separator)) {
    const to = match.index + match[0].length
    yield { start: start + from, end: start + to }
    from = to
  }
  if (from < part.length) yield { start: start + from, end }
}

/** A word longer than a chunk: cut anywhere but within a surrogate pair. */
function* cut(text: string, { start, end }: Span, max: number): Generator<Span> {
  for (let from = start; from < end; ) {
    const to = Math.min(end, from + max)
    const isSplitPair = to < end && (text.charCodeAt(to) & 0xfc00) === 0xdc00
    yield { start: from, end: isSplitPair ? to - 1 : to }
    from = isSplitPair ? to - 1 : to
  }
}

/**
 * Neighbouring blocks under the same headings with equal metadata and the same header. A heading is in the title of
 * what follows; only one that nothing follows is a section of its own.
 */
function sectionsOf(blocks: readonly Block[]): Block[][] {
  const sections: Block[][] = []
  let key: string | null = null
  blocks.forEach((block, i) => {
    if (block.kind === 'heading') {
      key = null
      if (isBare(block, blocks[i + 1])) sections.push([block])
      return
    }
    const above = block.header && !isOwn(block.header, block) ? block.header : null
    const own = JSON.stringify([block.headings, block.metadata, above])
    if (own === key) sections.at(-1)?.push(block)
    else sections.push([block])
    key = own
  })
  return sections
}

const isBare = (heading: Block, next: Block | undefined): boolean =>
  next === undefined || (next.kind === 'heading' && next.headings.length <= heading.headings.length)
