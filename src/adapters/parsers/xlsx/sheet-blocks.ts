import type { Block, Span, Structure } from '../../../ports/format.ts'
import type { SheetRow } from './read-sheet.ts'

interface Line extends Span {
  /** Of the row in the workbook. */
  row: number
}

/** Puts the rows of sheets together: the text, and tables with their headers. */
export function sheetBlocks() {
  const lines: Line[] = []
  const parts: string[] = []
  const blocks: Block[] = []
  let at = 0

  const addLine = (row: SheetRow, columns: readonly number[]): Line => {
    const text = columns
      .map((column) => row.cells.get(column) ?? '')
      .join('\t')
      .trimEnd()
    const line = { start: at, end: at + text.length, row: row.number }
    lines.push(line)
    parts.push(text, '\n')
    at = line.end + 1
    return line
  }

  return {
    add(sheet: string, rows: readonly SheetRow[]): void {
      const columns = [...new Set(rows.flatMap((row) => [...row.cells.keys()]))].sort((a, b) => a - b)
      const place = { headings: sheet === '' ? [] : [sheet], metadata: { sheet } }
      for (const { title, header, body } of tables(rows)) {
        for (const row of title) blocks.push({ kind: 'prose', ...span(addLine(row, columns)), ...place })
        const first = header && addLine(header, columns)
        const head = first && { start: first.start, end: first.end + 1 }
        if (first && body.length === 0) blocks.push({ kind: 'table', ...span(first), ...place })
        for (const row of body) {
          blocks.push({ kind: 'table', ...span(addLine(row, columns)), ...place, ...(head && { header: head }) })
        }
      }
    },
    finish(): Pick<Structure, 'text' | 'blocks' | 'locate'> {
      return { text: parts.join(''), blocks, locate: locateIn(lines) }
    },
  }
}

const span = ({ start, end }: Span): Span => ({ start, end })

interface Table {
  /** Lines of one cell above a table. */
  title: SheetRow[]
  header: SheetRow | null
  body: SheetRow[]
}

/**
 * The tables of a sheet: after an empty row a new one begins where the next row could be its header, which is text
 * without a number.
 */
function tables(rows: readonly SheetRow[]): Table[] {
  const found: Table[] = []
  let last: SheetRow | undefined
  for (const row of rows) {
    const begins = last === undefined || (row.number > last.number + 1 && isHeader(row))
    if (begins) found.push({ title: [], header: null, body: [] })
    const table = found.at(-1)
    if (table?.header) table.body.push(row)
    else if (table && row.cells.size === 1) table.title.push(row)
    else if (table) table.header = row
    last = row
  }
  return found
}

const isHeader = ({ cells }: SheetRow) => [...cells.values()].every((cell) => !/^[-+\d.,%\s]+$/.test(cell))

/** Lines count from 1; `rows` are those of the workbook: `7` or `7-12`. */
function locateIn(lines: readonly Line[]): Structure['locate'] {
  const lineAt = (offset: number) => {
    let [low, high] = [0, lines.length]
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((lines[middle]?.start ?? 0) <= offset) low = middle
      else high = middle
    }
    return low
  }
  return ({ start, end }) => {
    const [first, last] = [lineAt(start), lineAt(end - 1)]
    const [from, to] = [lines[first]?.row ?? 0, lines[last]?.row ?? 0]
    return {
      locator: { kind: 'line_range', start: first + 1, end: last + 1 },
      metadata: { rows: from === to ? String(from) : `${from}-${to}` },
    }
  }
}
