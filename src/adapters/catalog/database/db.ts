import type { Prisma } from '../generated/client.ts'

/** A connection or a transaction. Inside a transaction only its own handle may be used: the pool may be of one. */
export type Db = Prisma.TransactionClient

/** PostgreSQL's bigint arrives as JavaScript's; all of ours (times, seqs, counts) are safe integers. */
export const toNumber = (value: bigint | number): number => Number(value)

/** A list of rows as one parameter, for `json_to_recordset`. */
export const asJson = (rows: readonly object[]): string => JSON.stringify(rows)
