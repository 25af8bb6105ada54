import { type AuditRow, auditHash, genesisHash } from './audit.ts'

/** The end of a chain: its last row's `seq` and `hash`. */
export interface ChainLink {
  seq: number
  hash: string
}

/** The first invalid row of a chain, and why it is invalid. */
export interface ChainBreak {
  breakAt: number
  reason: string
}

/** What the first row follows. */
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

/** Equal meaning is not enough: the hash is over one exact text. */
export const respelledRow = (seq: number): ChainBreak => ({
  breakAt: seq,
  reason: `row ${seq} was changed: its detail is not stored in the canonical form that was hashed`,
})

/** What is wrong with the row after an intact chain up to `last`; null when it continues the chain. */
export function checkRow(last: ChainLink, row: AuditRow): ChainBreak | null {
  const { seq } = row
  if (seq !== last.seq + 1) return missingRow(last.seq + 1)
  if (row.prevHash !== last.hash) return looseRow(seq, last)
  if (row.hash !== recompute(row)) return changedRow(seq)
  return null
}

/** What is wrong with an intact chain up to `last` that should end at `head`. `strayAt` is a row outside of 1..head. */
export function checkEnd(last: ChainLink, head: ChainLink, strayAt: number | null): ChainBreak | null {
  if (last.seq < head.seq) return missingRow(last.seq + 1)
  if (last.hash !== head.hash) {
    return { breakAt: Math.max(1, head.seq), reason: `row ${head.seq} is not the one that the head row names` }
  }
  return strayAt === null ? null : { breakAt: strayAt, reason: `row ${strayAt} is not one that the head row counts` }
}

/** Null for content that cannot have been hashed: the database can store numbers without a canonical form. */
function recompute(row: AuditRow): string | null {
  try {
    return auditHash(row)
  } catch {
    return null
  }
}
