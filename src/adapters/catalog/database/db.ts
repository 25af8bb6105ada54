import type { Listed, PageRange } from '../../../model/page.ts'
import type { Prisma } from '../generated/client.ts'

/** A connection or a transaction. Inside a transaction use only its own handle: the pool may have one connection. */
export type Db = Prisma.TransactionClient

/** PostgreSQL's bigint becomes JavaScript's; all of ours (times, seqs, counts) are safe integers. */
export const toNumber = (value: bigint | number): number => Number(value)

type Numbers<Row> = { [Name in keyof Row]: bigint extends Row[Name] ? number | Exclude<Row[Name], bigint> : Row[Name] }

/** The same row with a number for each bigint. */
export const numbersOf = <Row extends object>(row: Row): Numbers<Row> => {
  const entries = Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value])
  return Object.fromEntries(entries) as Numbers<Row>
}

/** A list of rows as one parameter, for `json_to_recordset`. */
export const asJson = (rows: readonly object[]): string => JSON.stringify(rows)

/** Vectors are stored as little-endian float32 bytes: the byte order of every platform that Node supports. */
export const toBytes = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

export function toFloats(bytes: Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer)
}

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
