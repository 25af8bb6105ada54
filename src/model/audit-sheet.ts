import { hash } from 'node:crypto'
import type { ChainLink } from './audit-chain.ts'

/** Where the parts of a line begin: hash, previous hash and seq, each with a blank behind it, then canonical JSON. */
const at = { hash: 0, prevHash: 65, seq: 130 }
const newline = 10

/**
 * Follows a chain over the lines of a sheet that should hold the rows after `last`, one by one. Returns the last row
 * that is what it should be; the one after it, if there is one, needs a closer look. Every row's hash in the Merkle tree
 * goes to `onLeaf`, as 32 bytes in Latin-1.
 */
export function followSheet(lines: string, last: ChainLink, onLeaf: (leaf: string) => void): ChainLink {
  // Hashed in place: what is put in front of a row's bytes overwrites what was read there already.
  const bytes = Buffer.from(lines)
  const prevHash = Buffer.from(last.hash, 'hex')
  let link = last
  for (let begin = 0; begin < bytes.length; ) {
    const found = bytes.indexOf(newline, begin)
    const end = found < 0 ? bytes.length : found
    const seq = link.seq + 1
    const expected = `${link.hash} ${seq} `
    const body = begin + at.prevHash + expected.length
    if (bytes.toString('latin1', begin + at.prevHash, body) !== expected || end <= body) break
    prevHash.copy(bytes, body - prevHash.length)
    const own = hash('sha256', bytes.subarray(body - prevHash.length, end), 'hex')
    if (bytes.toString('latin1', begin, begin + at.prevHash) !== `${own} `) break
    bytes[body - 1] = 0
    onLeaf(hash('sha256', bytes.subarray(body - 1, end), 'binary'))
    prevHash.write(own, 'hex')
    link = { seq, hash: own }
    begin = end + 1
  }
  return link
}

/** The canonical JSON of a sheet's rows, each with its line. */
export const bodiesOf = (lines: string): string[] =>
  lines === '' ? [] : lines.split('\n').map((line) => line.slice(line.indexOf(' ', at.seq) + 1))
