/** A cell of a table, and how many columns and rows it takes. */
export interface Cell {
  text: string
  columns?: number
  rows?: number
}

/** A header that is longer stands before no row: it would be most of every chunk. Characters. */
export const maxHeader = 4_000

const maxColumns = 1_000
/** Cells that are merged over more places than this in one table are not repeated any more. */
const maxPlaces = 2_000_000
const maxHeaderRows = 5

/** The cells by row and column: a merged one stands in each of its places, but one that is a whole row only once. */
export function spread(table: readonly (readonly Cell[])[]): string[][] {
  const grid: string[][] = table.map(() => [])
  let places = 0
  table.forEach((cells, r) => {
    let column = 0
    for (const { text, columns = 1, rows = 1 } of cells) {
      const row = grid[r] ?? []
      while (row[column] !== undefined) column++
      const isRow = cells.length === 1 && row.length === 0
      const width = isRow ? 1 : Math.min(Math.max(1, columns), maxColumns)
      const height = isRow ? 1 : Math.min(Math.max(1, rows), table.length - r)
      places += width * height
      const isTooMuch = places > maxPlaces
      for (let down = 0; down < (isTooMuch ? 1 : height); down++) {
        for (let right = 0; right < (isTooMuch ? 1 : width); right++) (grid[r + down] ?? [])[column + right] = text
      }
      column += isTooMuch ? 1 : width
    }
  })
  // Places that no cell takes are holes.
  return grid.map((row) => Array.from(row, (text) => text ?? ''))
}

/**
 * How many rows are the header: those that the file marks; else the first, and the next ones without a number as long as
 * merged cells stand over them. None where no row follows.
 */
export function headerOf(table: readonly (readonly Cell[])[], marked = 0): number {
  let count = Math.min(Math.max(marked, 1), maxHeaderRows)
  if (marked === 0) while (count < maxHeaderRows && isOver(table[count - 1]) && hasLabels(table[count])) count++
  return count < table.length ? count : 0
}

const isOver = (cells: readonly Cell[] = []) => cells.some(({ columns = 1, rows = 1 }) => columns > 1 || rows > 1)

const hasLabels = (cells: readonly Cell[] | undefined) =>
  cells !== undefined && !cells.some(({ text }) => isNumber(text))

/** A year is a label as often as it is a value. */
export const isNumber = (text: string): boolean =>
  /^[-+\u2212(]?[\p{Sc}\s]*\d[\d.,'\s]*[\p{Sc}%)\s]*$/u.test(text) && !/^(19|20)\d\d$/.test(text)
