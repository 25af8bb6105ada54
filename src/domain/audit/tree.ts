import { bodiesOf } from '../../model/audit-lines.ts'
import { keyOf, type LeafRange, leafHash, nodeHash, rootOf, type Subtree, subtreesOf } from '../../model/merkle.ts'
import type { Namespace } from '../../model/registry.ts'
import { blockLevel, blockRows } from '../../ports/catalog/audit-tree.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { notIntact } from './not-intact.ts'

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
