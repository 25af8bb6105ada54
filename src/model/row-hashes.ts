import { hash } from 'node:crypto'

/** The hashes of one row after the other, as long as its texts are at hand. */
export interface RowHashes {
  /** Hex, as it should stand in the row: of its canonical JSON behind the hash, in hex, of the row before. */
  chained(prevHash: string, body: string): string
  /** The same row's hash in the Merkle tree, as 32 bytes in Latin-1. */
  leaf(): string
}

/** What the two hashes of a row are over. */
interface Hashed {
  chained: Uint8Array
  leaf: Uint8Array
}

const hashBytes = 32
/** UTF-16 units take at most this many bytes of UTF-8 each. */
const bytesPerUnit = 3

/** Rows are written over one another, and views kept by their length: making those costs nearly as much as a hash. */
export function createRowHashes(): RowHashes {
  let bytes = Buffer.alloc(4096)
  let views: Hashed[] = []
  let view: Hashed = { chained: bytes, leaf: bytes }

  const grow = (most: number) => {
    bytes = Buffer.alloc(most)
    views = []
  }

  return {
    chained: (prevHash, body) => {
      const most = hashBytes + body.length * bytesPerUnit
      if (most > bytes.length) grow(most)
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
