import { type AuditRow, auditHash, genesisHash } from './audit.ts'

/** Where a chain stands: its last row's `seq` and `hash`. */
export interface ChainLink {
  seq: number
  hash: string
}

/** The first row of a chain that is not what it should be, and why. */
export interface ChainBreak {
  breakAt: number
  reason: string
}

/** What the first row continues. */
export const chainStart: ChainLink = { seq: 0, hash: genesisHash }

export const missingRow = (seq: number): ChainBreak => ({ breakAt: seq, reason: `row ${seq} is missing` })
export const looseRow = (seq: number, last: ChainLink): ChainBreak => ({
  breakAt: seq,
  reason: `row ${seq} does not continue row ${last.seq}`,
})
export const changedRow = (seq: number): ChainBreak => ({
  breakAt: seq,
  reason: `row ${seq} was changed: its hash does not match`,
})

/** What means the same is not the same: the hash is over one text alone. */
export const respelledRow = (seq: number): ChainBreak => ({
  breakAt: seq,
  reason: `row ${seq} was changed: its detail is not stored in the canonical form that was hashed`,
})

/** What is wrong with the row that follows an intact chain up to `last`; null when it continues it. */
export function checkRow(last: ChainLink, row: AuditRow): ChainBreak | null {
  const { seq } = row
  if (seq !== last.seq + 1) return missingRow(last.seq + 1)
  if (row.prevHash !== last.hash) return looseRow(seq, last)
  if (row.hash !== recompute(row)) return changedRow(seq)
  return null
}

/** What is wrong with an intact chain up to `last` whose end should be `head`; `strayAt` is a row outside of 1..head. */
export function checkEnd(last: ChainLink, head: ChainLink, strayAt: number | null): ChainBreak | null {
  if (last.seq < head.seq) return missingRow(last.seq + 1)
  if (last.hash !== head.hash) {
    return { breakAt: Math.max(1, head.seq), reason: `row ${head.seq} is not the one that the head row names` }
  }
  return strayAt === null ? null : { breakAt: strayAt, reason: `row ${strayAt} is not one that the head row counts` }
}

/** Null for content that was never hashed: the database can hold numbers that have no canonical form. */
function recompute(row: AuditRow): string | null {
  try {
    return auditHash(row)
  } catch {
    return null
  }
}
