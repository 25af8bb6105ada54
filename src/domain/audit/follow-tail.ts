import { type ChainBreak, type ChainLink, chainStart, missingRow } from '../../model/audit-chain.ts'
import { emptyRoot, subtreesOf } from '../../model/merkle.ts'
import type { Namespace } from '../../model/registry.ts'
import { blockRows } from '../../ports/catalog/audit-tree.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type ChainFrom, type Followed, followChain } from './follow-chain.ts'
import { noAnchor, readKnownCheckpoints } from './known-checkpoints.ts'

type Logs = Pick<Bindings['catalog'], 'audit' | 'auditTree'>

/** Number of rows that are followed again each time, signed or not: a small log is always followed as a whole. */
const tailRows = 4096

/**
 * Follows a log to its head, from before its newest checkpoint, of `signed` rows. The next signature then depends only
 * on rows that were recomputed or signed. The cost does not grow with the number of signed rows.
 */
export async function followTail(
  catalog: Logs,
  namespace: Namespace,
  head: ChainLink,
  signed: number,
): Promise<Followed> {
  const before = Math.max(0, Math.min(signed, head.seq - tailRows))
  const from = await startAt(catalog, namespace, before - (before % blockRows))
  if ('reason' in from) return { last: chainStart, checked: 0, broken: from, root: emptyRoot, fresh: [] }
  const { seq } = from.last
  const checkpoints = readKnownCheckpoints({ catalog, anchor: noAnchor }, namespace, seq === 0 ? undefined : seq - 1)
  return followChain(catalog, namespace, { head, checkpoints, signed, from })
}

/** Where to start following the rows after the first `size`, or what is missing to do so. */
async function startAt(
  { audit, auditTree }: Logs,
  namespace: Namespace,
  size: number,
): Promise<ChainFrom | ChainBreak> {
  if (size === 0) return { last: chainStart, peaks: [] }
  const [last] = await audit.between(namespace, size - 1, size, 1)
  if (!last) return missingRow(size)
  const wanted = subtreesOf({ begin: 0, end: size })
  const kept = await auditTree.nodes(namespace.id, wanted)
  if (kept.length < wanted.length) {
    return { breakAt: 1, reason: `the Merkle tree over the first ${size} rows is not kept as a whole` }
  }
  // Subtrees become smaller from left to right.
  return { last, peaks: kept.toSorted((a, b) => b.level - a.level).map(({ hash }) => hash) }
}
