/** Prints rows below their headers: the first column left-aligned, all others right-aligned. */
export function printTable(title: string, headers: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = headers.map((header, column) =>
    Math.max(header.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  console.log(`\n${title}`)
  for (const row of [headers, ...rows]) console.log(line(row))
}

/** Formats a measured number: three significant digits, grouped thousands. NaN (no value) is a dash. */
export function short(value: number): string {
  if (Number.isNaN(value)) return '-'
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3).replace(/\.?0+$/, '')
}

/** Prints rows below their headers as a table in Markdown. */
export function printMarkdown(headers: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [headers, headers.map(() => '---'), ...rows]
  console.log(lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n'))
}
