import { hash } from 'node:crypto'
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

/** The hashes of rows, one after the other, while their texts are available. */
export interface RowHashes {
  /** Hex, the expected hash of the row: over the previous row's hash, in hex, and its canonical JSON. */
  chained(prevHash: string, body: string): string
  /** The same row's hash in the Merkle tree, as 32 bytes in Latin-1. */
  leaf(): string
}

/** The inputs of a row's two hashes. */
interface Hashed {
  chained: Uint8Array
  leaf: Uint8Array
}

const hashBytes = 32
/** A UTF-16 unit takes at most this many bytes of UTF-8. */
const bytesPerUnit = 3

/** Rows share one buffer, and views are cached by length: creating them costs nearly as much as a hash. */
export function createRowHashes(): RowHashes {
  let bytes = Buffer.alloc(4096)
  let views: Hashed[] = []
  let view: Hashed = { chained: bytes, leaf: bytes }

  const grow = (max: number) => {
    bytes = Buffer.alloc(max)
    views = []
  }

  return {
    chained: (prevHash, body) => {
      const max = hashBytes + body.length * bytesPerUnit
      if (max > bytes.length) grow(max)
      bytes.write(prevHash, 0, 'hex')
      const end = hashBytes + bytes.write(body, hashBytes)
      view = views[end] ??= { chained: bytes.subarray(0, end), leaf: bytes.subarray(hashBytes - 1, end) }
      return hash('sha256', view.chained, 'hex')
    },
    leaf: () => {
      bytes[hashBytes - 1] = 0
      return hash('sha256', view.leaf, 'binary')
    },
  }
}

/** Where the parts of a line begin: hash, previous hash and seq, each followed by a space, then canonical JSON. */
const at = { hash: 0, prevHash: 65, seq: 130 }
const blank = 32

/**
 * Checks lines that should hold the rows after `last`, one by one. Returns the last valid row. If a row follows it,
 * check that row in detail. `onLeaf` receives every row's hash in the Merkle tree, as 32 bytes in Latin-1.
 */
export function followLines(
  lines: string,
  last: ChainLink,
  hashes: RowHashes,
  onLeaf: (leaf: string) => void,
): ChainLink {
  let link = last
  for (let begin = 0; begin < lines.length; ) {
    const found = lines.indexOf('\n', begin)
    const end = found < 0 ? lines.length : found
    const seq = link.seq + 1
    const body = bodyOf(lines, begin, link.hash, `${seq}`)
    if (body === null || body >= end) break
    const own = hashes.chained(link.hash, lines.slice(body, end))
    if (!lines.startsWith(own, begin + at.hash)) break
    onLeaf(hashes.leaf())
    link = { seq, hash: own }
    begin = end + 1
  }
  return link
}

/**
 * Where the canonical JSON of a line begins; null unless the line contains these two. They are compared in place:
 * copying each into a new string would cost more than a hash.
 */
function bodyOf(lines: string, begin: number, prevHash: string, seq: string): number | null {
  const body = begin + at.seq + seq.length + 1
  const isIt =
    lines.startsWith(prevHash, begin + at.prevHash) &&
    lines.startsWith(seq, begin + at.seq) &&
    isBlank(lines, begin + at.prevHash - 1) &&
    isBlank(lines, begin + at.seq - 1) &&
    isBlank(lines, body - 1)
  return isIt ? body : null
}

const isBlank = (lines: string, place: number) => lines.charCodeAt(place) === blank

/** The canonical JSON of the rows, each with its line. */
export const bodiesOf = (lines: readonly string[]): string[] =>
  lines
    .flatMap((lines) => (lines === '' ? [] : lines.split('\n')))
    .map((line) => line.slice(line.indexOf(' ', at.seq) + 1))
