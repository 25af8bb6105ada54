import { hash } from 'node:crypto'

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
