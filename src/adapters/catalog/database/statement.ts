import type { Column, ColumnsOf } from './columns.ts'

/** Checks what was selected, in place. */
export function readRows<R>(columns: ColumnsOf<R>, records: readonly unknown[]): R[] {
  const entries: [string, Column<unknown>][] = Object.entries(columns)
  return records.map((record) => {
    const row = record as Record<string, unknown>
    for (const [name, { read }] of entries) row[name] = read(row[name])
    return row as R
  })
}
