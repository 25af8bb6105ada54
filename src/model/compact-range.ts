import { hash } from 'node:crypto'
import { rootOf, type Subtree } from './merkle.ts'

/** A Merkle tree that grows leaf by leaf in constant memory: it stores only the roots of its complete subtrees. */
export interface CompactRange {
  readonly size: number
  /** Adds a leaf's hash, as 32 bytes in Latin-1: several times faster than one buffer for each. */
  append(leaf: string): void
  root(): Uint8Array
}

/** Called with every subtree when it becomes complete. */
export type OnSubtree = (subtree: Subtree, root: Uint8Array) => void

const hashBytes = 32
/** The prefix of the hashed bytes of an inner node (RFC 6962, section 2.1). */
const nodePrefix = 1
/** 2^53 leaves have at most 54 complete subtrees. */
const max = 64

/** Continues from `size` leaves whose complete subtrees have the roots `peaks`, from left to right. */
export function createCompactRange(
  { size, peaks }: { size: number; peaks: readonly Uint8Array[] } = { size: 0, peaks: [] },
  onSubtree?: OnSubtree,
): CompactRange {
  const stack = Buffer.alloc(1 + max * hashBytes)
  /**
   * A byte precedes each slot; it may belong to another hash. While two adjacent hashes are hashed in place, it holds
   * their prefix.
   */
  const placeOf = (slot: number) => 1 + slot * hashBytes
  const pairs = Array.from({ length: max - 1 }, (_, slot) => stack.subarray(placeOf(slot) - 1, placeOf(slot + 2)))
  const peakAt = (slot: number) => stack.subarray(placeOf(slot), placeOf(slot + 1))
  let depth = 0
  let count = size
  for (const peak of peaks) stack.set(peak, placeOf(depth++))

  const mergeLastTwo = () => {
    depth -= 1
    const pair = pairs[depth - 1]
    if (pair === undefined) throw new Error('a tree has two subtrees of a size at most')
    const before = pair[0] ?? 0
    pair[0] = nodePrefix
    const node = hash('sha256', pair, 'binary')
    pair[0] = before
    stack.write(node, placeOf(depth - 1), 'latin1')
  }

  return {
    get size() {
      return count
    },
    append: (leaf) => {
      stack.write(leaf, placeOf(depth++), 'latin1')
      count += 1
      for (let level = 1, rest = count; rest % 2 === 0; level += 1) {
        mergeLastTwo()
        rest /= 2
        onSubtree?.({ level, index: rest - 1 }, peakAt(depth - 1))
      }
    },
    root: () => rootOf(Array.from({ length: depth }, (_, slot) => Buffer.from(peakAt(slot)))),
  }
}
