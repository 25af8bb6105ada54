import { createHash, hash } from 'node:crypto'
import { genesisHash } from '../../src/model/audit.ts'
import { bytesOf, chain } from './fill.ts'

/** The same few rows are hashed repeatedly: a million different rows would measure the memory, not the hash. */
const kept = 50_000

/** Rows per second of SHA-256 over the bytes of N rows, by the usual call and by the fastest call. */
export function bareLoop(rows: number): { usual: number; fastest: number } {
  const bytes = chain('bench', { seq: 0, hash: genesisHash }, Math.min(kept, rows)).map(bytesOf)
  const rate = (digest: (bytes: Buffer) => unknown): number => {
    const started = performance.now()
    for (let done = 0; done < rows; done += bytes.length) for (const row of bytes) digest(row)
    return (Math.ceil(rows / bytes.length) * bytes.length * 1000) / (performance.now() - started)
  }
  return {
    usual: rate((row) => createHash('sha256').update(row).digest()),
    fastest: rate((row) => hash('sha256', row, 'hex')),
  }
}
