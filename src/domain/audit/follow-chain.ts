import { setImmediate } from 'node:timers/promises'
import {
  type ChainBreak,
  type ChainLink,
  chainStart,
  checkRow,
  missingRow,
  respelledRow,
} from '../../model/audit-chain.ts'
import { followLines } from '../../model/audit-lines.ts'
import type { Namespace } from '../../model/registry.ts'
import { createRowHashes, type RowHashes } from '../../model/row-hashes.ts'
import type { AuditReader } from '../../ports/catalog/audit-reader.ts'
import type { AuditTree, TreeNode } from '../../ports/catalog/audit-tree.ts'
import type { KnownCheckpoints } from './known-checkpoints.ts'
import { readLinePages } from './read-lines.ts'
import { watchTree } from './watch-tree.ts'

/** How far the chain was followed, and where it broke. */
export interface Followed {
  last: ChainLink
  checked: number
  broken: ChainBreak | null
  /** The Merkle root over all rows up to `last`. */
  root: Uint8Array
  /** Complete subtrees over these rows that are not stored yet. */
  fresh: readonly TreeNode[]
}

interface Logs {
  audit: AuditReader
  auditTree: AuditTree
}

/** A position in a chain, and the roots of the complete subtrees over the rows up to it. */
export interface ChainFrom {
  last: ChainLink
  peaks: readonly Uint8Array[]
}

interface Course {
  head: ChainLink
  checkpoints: Pick<KnownCheckpoints, 'upTo'>
  /** The number of signed rows: every subtree over them must be stored. */
  signed: number
  /** Where to begin; by default at the first row. */
  from?: ChainFrom
}

/** Recomputes each row, and the tree over the rows at every checkpoint, up to the head or the first break. */
export async function followChain(
  { audit, auditTree }: Logs,
  namespace: Namespace,
  { head, checkpoints, signed, from = { last: chainStart, peaks: [] } }: Course,
): Promise<Followed> {
  const watch = watchTree({ size: from.last.seq, peaks: from.peaks })
  const hashes = createRowHashes()
  let last = from.last
  const reached = (checked: number, broken: ChainBreak | null): Followed => ({
    ...{ last, checked, broken },
    ...{ root: watch.root(), fresh: watch.fresh },
  })
  for await (const { end, lines: pages } of readLinePages(audit, namespace, last.seq, head.seq)) {
    watch.expect(await checkpoints.upTo(end))
    const begin = last.seq
    last = await followPages(pages, last, hashes, watch.append)
    const closer = last.seq === end ? null : await examine(audit, namespace, last, end)
    if (!closer) watch.compareKept(await auditTree.nodesOver(namespace.id, begin, end), signed)
    const broken = closer?.broken ?? watch.broken()
    if (broken) return reached(closer?.checked ?? last.seq, broken)
  }
  return reached(last.seq, null)
}

/** Returns the last valid row. */
export async function followPages(
  pages: readonly string[],
  last: ChainLink,
  hashes: RowHashes,
  onLeaf: (leaf: string) => void,
): Promise<ChainLink> {
  let reached = last
  for (const lines of pages) {
    // Lets the request for the next page start, and other requests run.
    await setImmediate()
    reached = followLines(lines, reached, hashes, onLeaf)
  }
  return reached
}

/** Finds the problem with the row after `last`, which its line in the pages does not show. */
export async function examine(
  audit: AuditReader,
  namespace: Namespace,
  last: ChainLink,
  end: number,
): Promise<{ checked: number; broken: ChainBreak }> {
  const [row] = await audit.between(namespace, last.seq, end, 1)
  if (!row) return { checked: last.seq, broken: missingRow(last.seq + 1) }
  const broken = checkRow(last, row) ?? respelledRow(row.seq)
  return { checked: broken.breakAt === row.seq ? row.seq : last.seq, broken }
}
