import type { ChainLink } from './audit-chain.ts'
import type { RowHashes } from './row-hashes.ts'

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
