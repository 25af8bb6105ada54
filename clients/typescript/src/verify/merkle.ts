import { concat, equal, sha256 } from './bytes.ts'

/** The Merkle tree of RFC 6962 over SHA-256. Proofs are checked as in RFC 9162, sections 2.1.3.2 and 2.1.4.2. */

export const leafHash = (leaf: Uint8Array) => sha256(concat(Uint8Array.of(0), leaf))
export const nodeHash = (left: Uint8Array, right: Uint8Array) => sha256(concat(Uint8Array.of(1), left, right))

/** Does the path lead from the leaf at `index` to the root of a tree of `size` leaves? */
export async function provesInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
  root: Uint8Array,
): Promise<boolean> {
  if (!(Number.isSafeInteger(index) && index >= 0 && index < size)) return false
  let [node, last, hash] = [index, size - 1, leaf]
  for (const other of path) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      hash = await nodeHash(other, hash)
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)]
    } else hash = await nodeHash(hash, other)
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && equal(hash, root)
}

/** Does the tree of `size` leaves with `root` begin with the tree of `from` leaves with `oldRoot`? */
export async function provesConsistency(
  from: number,
  size: number,
  path: readonly Uint8Array[],
  oldRoot: Uint8Array,
  root: Uint8Array,
): Promise<boolean> {
  if (!(Number.isSafeInteger(from) && from >= 1 && from <= size)) return false
  if (from === size) return path.length === 0 && equal(oldRoot, root)
  const [first, ...rest] = isPowerOfTwo(from) ? [oldRoot, ...path] : path
  if (first === undefined) return false
  let [node, last] = [from - 1, size - 1]
  while (node % 2 === 1) [node, last] = [half(node), half(last)]
  let [oldHash, hash] = [first, first]
  for (const other of rest) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      oldHash = await nodeHash(other, oldHash)
      hash = await nodeHash(other, hash)
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)]
    } else hash = await nodeHash(hash, other)
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && equal(oldHash, oldRoot) && equal(hash, root)
}

/** The root over leaves that are added one by one. It keeps one hash for each complete subtree. */
export function createTree() {
  const subtrees: { level: number; hash: Uint8Array }[] = []
  return {
    async add(leaf: Uint8Array): Promise<void> {
      let [level, hash] = [0, await leafHash(leaf)]
      for (let last = subtrees.at(-1); last?.level === level; last = subtrees.at(-1)) {
        subtrees.pop()
        ;[level, hash] = [level + 1, await nodeHash(last.hash, hash)]
      }
      subtrees.push({ level, hash })
    },
    async root(): Promise<Uint8Array> {
      const [last, ...others] = subtrees.toReversed()
      if (last === undefined) return sha256(new Uint8Array(0))
      let root = last.hash
      for (const { hash } of others) root = await nodeHash(hash, root)
      return root
    },
  }
}

/** Sizes can be larger than 32 bits, so bit operators do not work. */
const half = (value: number) => Math.floor(value / 2)
const isPowerOfTwo = (value: number) => 2 ** Math.round(Math.log2(value)) === value
