/** A line each row, cells tab-separated. Rows without text are left out. */
export const tableText = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((cells) => cells.map(oneLine).join('\t').trimEnd())
    .filter((line) => line !== '')
    .join('\n')

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
