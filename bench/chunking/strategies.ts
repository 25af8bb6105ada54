import { markdownBlocks } from '../../src/adapters/parsers/read-markdown.ts'
import { chunk } from '../../src/domain/chunks/chunk.ts'
import type { Span } from '../../src/ports/format.ts'

export interface Chunk extends Span {
  title: string | null
}

export interface Strategy {
  name: string
  split(text: string): Chunk[]
}

/** English has about four characters a token. */
const charactersPerToken = 4

/** Windows of a fixed length, cut between words. */
const windows = (tokens: number, overlap: number): Strategy => ({
  name: overlap === 0 ? `windows of ${tokens}` : `windows of ${tokens}, ${overlap} of them shared`,
  split: (text) => packed(spansOf(text, /\s+/g), tokens * charactersPerToken, overlap * charactersPerToken),
})

const sentences = (tokens: number): Strategy => ({
  name: `sentences packed to ${tokens}`,
  split: (text) => packed(spansOf(text, /[.!?]["'”’)\]]*\s+|\n+/g), tokens * charactersPerToken, 0),
})

const structural = (tokens: number, name: string): Strategy => ({
  name,
  split: (text) => {
    const file = { mime: 'text/markdown', text, textIsFile: true, charset: 'utf-8', units: [], attachments: [] }
    return chunk({ ...file, blocks: markdownBlocks(text) }, tokens * charactersPerToken).flatMap(
      ({ locator, title }) => (locator?.kind === 'char_span' ? [{ ...locator, title }] : []),
    )
  },
})

export const strategies: readonly Strategy[] = [
  ...[100, 200, 300, 400, 500].flatMap((tokens) => [
    windows(tokens, 0),
    windows(tokens, tokens / 2),
    sentences(tokens),
    structural(tokens, `structure, ${tokens}`),
  ]),
]

function spansOf(text: string, separator: RegExp): Span[] {
  const ends = [...[...text.matchAll(separator)].map(({ index, 0: match }) => index + match.length), text.length]
  return ends.map((end, i) => ({ start: ends[i - 1] ?? 0, end })).filter(({ start, end }) => start < end)
}

function packed(spans: readonly Span[], size: number, overlap: number): Chunk[] {
  const chunks: Chunk[] = []
  for (let from = 0; from < spans.length; ) {
    const start = spans[from]?.start ?? 0
    let to = from + 1
    while (to < spans.length && (spans[to]?.end ?? 0) - start <= size) to++
    const end = spans[to - 1]?.end ?? start
    chunks.push({ start, end, title: null })
    if (to >= spans.length) break
    let next = to
    while (next - 1 > from && end - (spans[next - 1]?.start ?? 0) <= overlap) next--
    from = next
  }
  return chunks
}
