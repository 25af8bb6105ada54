import type { Prisma } from '../generated/client.ts'

/** A connection or a transaction. Inside a transaction use only its own handle: the pool may have one connection. */
export type Db = Prisma.TransactionClient

/** PostgreSQL's bigint becomes JavaScript's; all of ours (times, seqs, counts) are safe integers. */
export const toNumber = (value: bigint | number): number => Number(value)

/** A list of rows as one parameter, for `json_to_recordset`. */
export const asJson = (rows: readonly object[]): string => JSON.stringify(rows)
