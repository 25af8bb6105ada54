import type { Block, Span, Structure } from '../../ports/format.ts'
import type { ParsedUnit } from '../../ports/parser.ts'
import { pieces } from './pieces.ts'

const maxTitle = 1024

/** Characters of a chunk. */
const maxChunk = 1200

/** The Units of a structure: its blocks in chunks, then those that the format gives. */
export function chunk(structure: Structure): ParsedUnit[] {
  const { text } = structure
  if (text === null) return [...structure.units]
  const groups = groupsOf(structure.blocks)
  const chunks = groups.flatMap((group) => packed(text, group).map((span) => unitOf(structure, text, group, span)))
  return [...chunks, ...structure.units]
}

interface Group {
  blocks: Block[]
}

/** Neighbours under the same headings with equal metadata. */
function groupsOf(blocks: readonly Block[]): Group[] {
  const groups: Group[] = []
  let key = ''
  for (const block of blocks) {
    const own = JSON.stringify([block.headings, block.metadata])
    const last = groups.at(-1)
    if (last && own === key) last.blocks.push(block)
    else groups.push({ blocks: [block] })
    key = own
  }
  return groups
}

function packed(text: string, { blocks }: Group): Span[] {
  const spans: Span[] = []
  let open: Span | null = null
  for (const piece of blocks.flatMap((block) => pieces(text, block, maxChunk))) {
    if (open && piece.end - open.start <= maxChunk) open.end = piece.end
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

function unitOf(structure: Structure, text: string, { blocks: [first] }: Group, span: Span): ParsedUnit {
  const place = structure.locate?.(span)
  return {
    modality: 'chunk',
    text: text.slice(span.start, span.end),
    title: first && first.headings.length > 0 ? first.headings.join(' > ').slice(0, maxTitle) : null,
    locator: place?.locator ?? { kind: 'char_span', ...span },
    metadata: { ...first?.metadata, ...place?.metadata },
  }
}
