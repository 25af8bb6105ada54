import { auditInconsistent, type ServiceError } from '../../errors.ts'
import { bodiesOf, type ChainBreak } from '../../model/audit-chain.ts'
import {
  blockLevel,
  blockRows,
  createCompactRange,
  equal,
  keyOf,
  type LeafRange,
  leafHash,
  nodeHash,
  rootOf,
  type Subtree,
  subtreesOf,
} from '../../model/merkle.ts'
import type { Namespace } from '../../model/registry.ts'
import type { TreeNode } from '../../ports/catalog.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { KnownCheckpoint } from './known-checkpoints.ts'

/** Why nothing is signed or proved: the log was changed, as verification reports too. */
export const notIntact = ({ name }: Pick<Namespace, 'name'>, reason: string): ServiceError =>
  auditInconsistent(`the audit log of ${name} is not intact: ${reason}`)

type Deps = Pick<Bindings, 'catalog'>

/**
 * The roots over ranges of a log's rows, for proofs, computed from stored subtrees and from rows. Errors: 503
 * `audit_inconsistent` if one of them is missing.
 */
export async function rootsOf(deps: Deps, namespace: Namespace, ranges: readonly LeafRange[]): Promise<Uint8Array[]> {
  const parts = ranges.map(subtreesOf)
  const wanted = parts.flat()
  const kept = await deps.catalog.auditTree.nodes(
    namespace.id,
    wanted.filter(({ level }) => level >= blockLevel),
  )
  const roots = new Map(kept.map((node) => [keyOf(node), node.hash]))
  const small = wanted.filter(({ level }) => level < blockLevel)
  for (const [block, subtrees] of Map.groupBy(small, blockOf)) {
    const begin = block * blockRows
    const end = Math.max(...subtrees.map(({ level, index }) => (index + 1) * 2 ** level))
    const leaves = await leavesOf(deps, namespace, begin, end)
    for (const subtree of subtrees) {
      const from = subtree.index * 2 ** subtree.level - begin
      roots.set(keyOf(subtree), rootOfAll(leaves.slice(from, from + 2 ** subtree.level)))
    }
  }
  const rootIn = (subtree: Subtree): Uint8Array => {
    const root = roots.get(keyOf(subtree))
    if (root === undefined) throw notIntact(namespace, `its Merkle subtree ${keyOf(subtree)} is not kept`)
    return root
  }
  return parts.map((subtrees) => rootOf(subtrees.map(rootIn)))
}

const blockOf = ({ level, index }: Subtree) => Math.floor((index * 2 ** level) / blockRows)

/** The root over leaves, from complete subtrees. */
const rootOfAll = (leaves: readonly Uint8Array[]): Uint8Array =>
  rootOf(subtreesOf({ begin: 0, end: leaves.length }).map((subtree) => complete(leaves, subtree)))

function complete(leaves: readonly Uint8Array[], { level, index }: Subtree): Uint8Array {
  const leaf = leaves[index]
  if (level === 0 && leaf !== undefined) return leaf
  return nodeHash(
    complete(leaves, { level: level - 1, index: index * 2 }),
    complete(leaves, { level: level - 1, index: index * 2 + 1 }),
  )
}

async function leavesOf({ catalog }: Deps, namespace: Namespace, begin: number, end: number): Promise<Uint8Array[]> {
  const bodies = bodiesOf(await catalog.audit.lines(namespace, begin, end))
  if (bodies.length !== end - begin) {
    throw notIntact(namespace, `rows ${begin + 1} to ${end} are not all there`)
  }
  return bodies.map((body) => leafHash(Buffer.from(body)))
}

/** The tree over a log's first rows: the roots of its complete subtrees, from left to right. */
interface TreeStart {
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
