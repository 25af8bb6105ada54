import { batchesOf } from '../../../../async/batches.ts'
import { text } from '../../database/columns.ts'
import type { Db } from '../../database/db.ts'
import { Prisma } from '../../generated/client.ts'
import { select } from '../select.ts'
import { isLong, type UnitRecord } from './rows.ts'

/** How much text one statement reads, unless one Unit has more: a result is decoded at once. Bytes of UTF-8. */
const batchBytes = 2 ** 19

type LongUnit = Pick<UnitRecord, 'unit_id' | 'seq' | 'text_bytes'>

/** The texts that the rows leave out, by Unit; none for a Unit that has changed since. */
export async function readLongTexts(
  db: Db,
  namespaceId: string,
  rows: readonly LongUnit[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const batch of batchesOf(rows.filter(isLong), { maxSize: batchBytes, sizeWith })) {
    const keys = batch.map(({ unit_id, seq }) => Prisma.sql`(${unit_id}, ${seq}::bigint)`)
    const found = await select(db, { unit_id: text, text: text })`
      SELECT unit_id, text FROM unit
      WHERE namespace_id = ${namespaceId} AND state = 'live' AND (unit_id, seq) IN (${Prisma.join(keys)})`
    for (const { unit_id, text } of found) texts.set(unit_id, text)
  }
  return texts
}

const sizeWith = ({ text_bytes }: LongUnit, before: number) => before + (text_bytes ?? 0)
