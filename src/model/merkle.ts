import { hash } from 'node:crypto'

/** The Merkle tree of RFC 6962, section 2.1, over SHA-256: what a checkpoint signs. Hashes are 32 bytes. */

/** Leaves `begin` up to, but not including, `end`; leaf 0 is the row with seq 1. */
export interface LeafRange {
  begin: number
  end: number
}

/** A complete subtree: the 2^level leaves that begin at index * 2^level. */
export interface Subtree {
  level: number
  index: number
}

/** The lowest level of subtrees that are stored. Roots of smaller ones are computed from rows. */
export const blockLevel = 8
/** Rows under such a subtree. */
export const blockRows = 2 ** blockLevel

/** For maps by subtree. */
export const keyOf = ({ level, index }: Subtree): string => `${level}/${index}`

const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer')

/** The root of a tree without leaves. */
export const emptyRoot = sha256(Buffer.alloc(0))

export const leafHash = (leaf: Uint8Array): Buffer => sha256(Buffer.concat([Buffer.of(0), leaf]))

export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  sha256(Buffer.concat([Buffer.of(1), left, right]))

/** The complete subtrees of a range, from left to right. Its begin must be a multiple of its span rounded up. */
export function subtreesOf({ begin, end }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = []
  for (let from = begin; from < end; ) {
    const level = Math.floor(Math.log2(end - from))
    subtrees.push({ level, index: from / 2 ** level })
    from += 2 ** level
  }
  return subtrees
}

/** The root over adjacent subtrees, from left to right, each smaller than the one before. */
export const rootOf = (hashes: readonly Uint8Array[]): Uint8Array =>
  hashes.length === 0 ? emptyRoot : hashes.reduceRight((right, left) => nodeHash(left, right))

/** The ranges whose roots prove that leaf `index` is in a tree of `size` leaves, from the leaf's sibling upwards. */
export function inclusionPath(index: number, size: number): LeafRange[] {
  const path = (begin: number, end: number): LeafRange[] => {
    if (end - begin === 1) return []
    const middle = begin + split(end - begin)
    return index < middle
      ? [...path(begin, middle), { begin: middle, end }]
      : [...path(middle, end), { begin, end: middle }]
  }
  return path(0, size)
}

/** The ranges whose roots prove that a tree of `size` leaves continues its first `from` leaves; 1 <= from <= size. */
export function consistencyPath(from: number, size: number): LeafRange[] {
  const path = (begin: number, end: number, isOld: boolean): LeafRange[] => {
    if (end === from) return isOld ? [] : [{ begin, end }]
    const middle = begin + split(end - begin)
    return from <= middle
      ? [...path(begin, middle, isOld), { begin: middle, end }]
      : [...path(middle, end, false), { begin, end: middle }]
  }
  return path(0, size, true)
}

/** The largest power of two below `count`, which is above 1. */
const split = (count: number): number => 2 ** (Math.ceil(Math.log2(count)) - 1)

/** Does the proof lead from the leaf at `index` to the root of a tree of `size` leaves? */
export function provesInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  if (!(index >= 0 && index < size)) return false
  const path = inclusionPath(index, size)
  if (path.length !== proof.length) return false
  const found = proof.reduce<Uint8Array>(
    (own, other, i) => ((path[i]?.begin ?? 0) > index ? nodeHash(own, other) : nodeHash(other, own)),
    leaf,
  )
  return equal(found, root)
}

/** Does the tree of `size` leaves with `root` begin with the tree of `from` leaves with `oldRoot`, by this proof? */
export function provesConsistency(
  from: number,
  size: number,
  proof: readonly Uint8Array[],
  oldRoot: Uint8Array,
  root: Uint8Array,
): boolean {
  if (!(from >= 1 && from <= size)) return false
  const path = consistencyPath(from, size)
  if (path.length !== proof.length) return false
  const isOldWhole = path[0]?.end !== from
  const seed = isOldWhole ? oldRoot : proof[0]
  if (seed === undefined) return false
  let [oldFound, found] = [seed, seed]
  for (let i = isOldWhole ? 0 : 1; i < proof.length; i += 1) {
    const [range, other] = [path[i], proof[i]]
    if (range === undefined || other === undefined) return false
    // Everything left of the old tree's end belongs to both trees.
    if (range.end <= from) [oldFound, found] = [nodeHash(other, oldFound), nodeHash(other, found)]
    else found = nodeHash(found, other)
  }
  return equal(oldFound, oldRoot) && equal(found, root)
}

export const equal = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/** A Merkle tree that grows leaf by leaf in constant memory: it stores only the roots of its complete subtrees. */
interface CompactRange {
  readonly size: number
  /** Adds a leaf's hash, as 32 bytes in Latin-1: several times faster than one buffer for each. */
  append(leaf: string): void
  root(): Uint8Array
}

/** Called with every subtree when it becomes complete. */
type OnSubtree = (subtree: Subtree, root: Uint8Array) => void

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
