import type { Block, OpenFile, Structure } from '../../../ports/format.ts'
import { lineCounter } from '../lines/lines.ts'
import { delimiterOf } from './delimiter.ts'
import { rowsOf } from './rows.ts'

/** A header that is longer stands before no row: it would be most of every chunk. */
const maxHeader = 4_000

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
