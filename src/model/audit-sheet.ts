import type { ChainLink } from './audit-chain.ts'
import { createRowHashes } from './row-hashes.ts'

/** Where the parts of a line begin: hash, previous hash and seq, each with a blank behind it, then canonical JSON. */
const at = { hash: 0, prevHash: 65, seq: 130 }
const blank = 32

/**
 * Follows a chain over the lines of a sheet that should hold the rows after `last`, one by one. Returns the last row
 * that is what it should be; the one after it, if there is one, needs a closer look. Every row's hash in the Merkle tree
 * goes to `onLeaf`, as 32 bytes in Latin-1.
 */
export function followSheet(lines: string, last: ChainLink, onLeaf: (leaf: string) => void): ChainLink {
  const hashes = createRowHashes()
  const blankAt = (place: number) => lines.charCodeAt(place) === blank
  let link = last
  for (let begin = 0; begin < lines.length; ) {
    const found = lines.indexOf('\n', begin)
    const end = found < 0 ? lines.length : found
    const seq = link.seq + 1
    const digits = String(seq)
    const body = begin + at.seq + digits.length + 1
    // Compared in place: a text of its own for each part would cost more than the hash.
    const continues =
      lines.startsWith(link.hash, begin + at.prevHash) &&
      lines.startsWith(digits, begin + at.seq) &&
      blankAt(begin + at.prevHash - 1) &&
      blankAt(begin + at.seq - 1) &&
      blankAt(body - 1)
    if (!continues || end <= body) break
    const own = hashes.chained(link.hash, lines.slice(body, end))
    if (!lines.startsWith(own, begin + at.hash)) break
    onLeaf(hashes.leaf())
    link = { seq, hash: own }
    begin = end + 1
  }
  return link
}

/** The canonical JSON of a sheet's rows, each with its line. */
export const bodiesOf = (lines: string): string[] =>
  lines === '' ? [] : lines.split('\n').map((line) => line.slice(line.indexOf(' ', at.seq) + 1))
