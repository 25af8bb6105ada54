import { bodiesOf } from '../../model/audit-sheet.ts'
import { createCompactRange } from '../../model/compact-range.ts'
import { type LeafRange, leafHash, nodeHash, rootOf, type Subtree, subtreesOf } from '../../model/merkle.ts'
import type { Namespace } from '../../model/registry.ts'
import { blockLevel, type TreeNode } from '../../ports/audit-tree.ts'
import type { Bindings } from '../deps.ts'

type Deps = Pick<Bindings, 'catalog'>

/** Rows under the smallest subtree that is kept. */
const blockRows = 2 ** blockLevel
/** Read and hashed at a time, between other requests. */
const rowsAtATime = 8 * blockRows

/** Keeps every complete subtree, from blocks up, over the first `size` rows of a log. */
export async function growTree({ catalog }: Deps, namespace: Namespace, size: number): Promise<void> {
  const covered = await catalog.auditTree.covered(namespace.id)
  const end = size - (size % blockRows)
  if (covered >= end) return
  const peaks = await catalog.auditTree.nodes(namespace.id, subtreesOf({ begin: 0, end: covered }))
  const nodes: TreeNode[] = []
  const inOrder = peaks.sort((a, b) => b.level - a.level).map(({ hash }) => hash)
  const range = createCompactRange({ size: covered, peaks: inOrder }, (subtree, root) => {
    if (subtree.level >= blockLevel) nodes.push({ ...subtree, hash: Buffer.from(root) })
  })
  while (range.size < end) {
    const leaves = await leavesOf({ catalog }, namespace, range.size, Math.min(end, range.size + rowsAtATime))
    for (const leaf of leaves) range.append(Buffer.from(leaf).toString('latin1'))
    await catalog.auditTree.keepNodes(namespace.id, nodes.splice(0))
  }
}

/** The roots over ranges of a log's rows, as proofs need them; the tree must have grown over them. */
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
  return parts.map((subtrees) => rootOf(subtrees.map((subtree) => rootIn(roots, subtree))))
}

const keyOf = ({ level, index }: Subtree) => `${level}/${index}`
const blockOf = ({ level, index }: Subtree) => Math.floor((index * 2 ** level) / blockRows)

function rootIn(roots: ReadonlyMap<string, Uint8Array>, subtree: Subtree): Uint8Array {
  const root = roots.get(keyOf(subtree))
  if (root === undefined) throw new Error(`subtree ${keyOf(subtree)} of an audit log is not kept`)
  return root
}

/** Of a complete subtree, from its leaves. */
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
  const bodies = bodiesOf(await catalog.audit.sheet(namespace, begin, end))
  if (bodies.length !== end - begin) {
    throw new Error(`rows ${begin + 1} to ${end} of an audit log are not all there`)
  }
  return bodies.map((body) => leafHash(Buffer.from(body)))
}
