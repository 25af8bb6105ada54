import { hash } from 'node:crypto'
import { rootOf, type Subtree } from './merkle.ts'

/** A Merkle tree that grows leaf by leaf in constant memory: it holds the roots of its complete subtrees alone. */
export interface CompactRange {
  readonly size: number
  /** Adds a leaf's hash, given as 32 bytes in Latin-1: several times faster than a buffer for each. */
  append(leaf: string): void
  root(): Uint8Array
}

/** Told of every subtree as it becomes complete. */
export type OnSubtree = (subtree: Subtree, root: Uint8Array) => void

const hashBytes = 32
/** 2^53 leaves have at most 54 complete subtrees. */
const most = 64

/** Goes on from `size` leaves whose complete subtrees, from left to right, have the roots `peaks`. */
export function createCompactRange(
  { size, peaks }: { size: number; peaks: readonly Uint8Array[] } = { size: 0, peaks: [] },
  onSubtree?: OnSubtree,
): CompactRange {
  const stack = Buffer.alloc(most * hashBytes)
  const pair = Buffer.alloc(1 + 2 * hashBytes, 1)
  let depth = 0
  let count = size
  for (const peak of peaks) stack.set(peak, hashBytes * depth++)

  const mergeLastTwo = () => {
    depth -= 1
    stack.copy(pair, 1, (depth - 1) * hashBytes, (depth + 1) * hashBytes)
    stack.write(hash('sha256', pair, 'binary'), (depth - 1) * hashBytes, 'latin1')
  }

  return {
    get size() {
      return count
    },
    append: (leaf) => {
      stack.write(leaf, hashBytes * depth++, 'latin1')
      count += 1
      for (let level = 1, rest = count; rest % 2 === 0; level += 1) {
        mergeLastTwo()
        rest /= 2
        onSubtree?.({ level, index: rest - 1 }, stack.subarray((depth - 1) * hashBytes, depth * hashBytes))
      }
    },
    root: () =>
      rootOf(Array.from({ length: depth }, (_, i) => Buffer.from(stack.subarray(i * hashBytes, (i + 1) * hashBytes)))),
  }
}
