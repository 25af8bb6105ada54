import type { Listed, PageRange } from '../../../model/page.ts'

/** Reads a page and counts the list. Without a range the whole list is read, which needs no counting. */
export async function listed<Row, T>(
  range: PageRange | undefined,
  find: (page: { skip?: number; take?: number }) => Promise<Row[]>,
  count: () => Promise<number>,
  toItem: (row: Row) => T,
): Promise<Listed<T>> {
  const rows = await find(range ? { skip: range.cursor, take: range.limit } : {})
  return { items: rows.map(toItem), count: range ? await count() : rows.length }
}
