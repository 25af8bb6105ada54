import type { Block, Span, Structure } from '../../ports/format.ts'
import type { ParsedUnit } from '../../ports/parser.ts'
import { piecesOf } from './pieces.ts'
import { sectionsOf } from './sections.ts'

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
    packed(text, section, size).map((span) => unitOf(structure, text, section, span)),
  )
  return [...chunks, ...structure.units]
}

function packed(text: string, section: readonly Block[], size: number): Span[] {
  const spans: Span[] = []
  let open: Span | null = null
  for (const piece of section.flatMap((block) => piecesOf(text, block, size))) {
    if (open && piece.end - open.start <= size) open.end = piece.end
    else {
      open = { ...piece }
      spans.push(open)
    }
  }
  return spans.map((span) => trimmed(text, span)).filter(({ start, end }) => start < end)
}

function trimmed(text: string, { start, end }: Span): Span {
  const slice = text.slice(start, end)
  return { start: end - slice.trimStart().length, end: start + slice.trimEnd().length }
}

function unitOf(structure: Structure, text: string, [first]: readonly Block[], span: Span): ParsedUnit {
  const place = structure.locate?.(span)
  const title = first?.headings.join(' > ').slice(0, maxTitle) ?? ''
  const header = first?.header ? text.slice(first.header.start, first.header.end) : ''
  return {
    modality: 'chunk',
    text: header + text.slice(span.start, span.end),
    title: title === '' ? null : title,
    locator: place?.locator ?? { kind: 'char_span', ...span },
    metadata: { ...first?.metadata, ...place?.metadata },
  }
}
