import type { ChainBreak } from '../../model/audit-chain.ts'
import { createCompactRange } from '../../model/compact-range.ts'
import { equal, keyOf, type Subtree } from '../../model/merkle.ts'
import { blockLevel, type TreeNode } from '../../ports/catalog/audit-tree.ts'
import type { KnownCheckpoint } from './known-checkpoints.ts'

/** The tree over a log's first rows: the roots of its complete subtrees, from left to right. */
export interface TreeStart {
  size: number
  peaks: readonly Uint8Array[]
}

/** A growing Merkle tree that is compared with the signed roots and with the stored subtrees. */
export function watchTree(start: TreeStart) {
  let grown: TreeNode[] = []
  let due: KnownCheckpoint[] = []
  let agreed = start.size
  let broken: ChainBreak | null = null
  /** Complete subtrees that are not stored yet. */
  const fresh: TreeNode[] = []
  const tree = createCompactRange(start, (subtree, root) => {
    if (subtree.level >= blockLevel) grown.push({ ...subtree, hash: Buffer.from(root) })
  })
  const compare = () => {
    for (let next = due[0]; next && next.size <= tree.size; next = due[0]) {
      due.shift()
      if (equal(next.root, tree.root())) agreed = next.size
      else broken ??= otherRows(agreed, next.size)
    }
  }
  return {
    fresh,
    root: () => tree.root(),
    broken: () => broken,
    /** Checkpoints of the next rows, by size. */
    expect: (checkpoints: readonly KnownCheckpoint[]) => {
      due = [...checkpoints]
      compare()
    },
    append: (leaf: string) => {
      tree.append(leaf)
      if (due[0]?.size === tree.size) compare()
    },
    /** Compares the growth since the last call with the stored subtrees; over `signed` rows all must be stored. */
    compareKept: (kept: readonly TreeNode[], signed: number) => {
      const hashes = new Map(kept.map((node) => [keyOf(node), node.hash]))
      for (const node of grown) {
        const hash = hashes.get(keyOf(node))
        if (hash === undefined && lastRow(node) > signed) fresh.push(node)
        else if (hash === undefined || !equal(hash, node.hash)) broken ??= otherSubtree(node, hash === undefined)
      }
      grown = []
    },
  }
}

const firstRow = ({ level, index }: Subtree) => index * 2 ** level + 1
const lastRow = ({ level, index }: Subtree) => (index + 1) * 2 ** level

/** The chain is valid, but it is not the signed one: it was rewritten somewhere between two checkpoints. */
const otherRows = (agreed: number, size: number): ChainBreak => ({
  breakAt: agreed + 1,
  reason: `rows ${agreed + 1} to ${size} are not those that the checkpoint of ${size} rows was signed for`,
})

const otherSubtree = (subtree: Subtree, isMissing: boolean): ChainBreak => {
  const [from, to] = [firstRow(subtree), lastRow(subtree)]
  const problem = isMissing ? 'is missing' : 'was changed'
  return { breakAt: from, reason: `the kept root of the Merkle subtree over rows ${from} to ${to} ${problem}` }
}

/** Null if no stored node lies beyond the end of the log. */
export const strayBreak = (stray: Subtree | null, head: { seq: number }): ChainBreak | null =>
  stray && {
    breakAt: head.seq + 1,
    reason: `a Merkle subtree (level ${stray.level}, index ${stray.index}) is kept that a log of ${head.seq} rows does not have`,
  }
