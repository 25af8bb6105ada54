import { chainStart, looseRow, missingRow } from '../../model/audit-chain.ts'
import type { Namespace } from '../../model/registry.ts'
import { createRowHashes } from '../../model/row-hashes.ts'
import type { AuditReader } from '../../ports/catalog/audit-reader.ts'
import { blockRows } from '../../ports/catalog/audit-tree.ts'
import { examine, followPages } from './follow-chain.ts'
import { notIntact } from './not-intact.ts'

/**
 * Follows the chain through the block that contains `seq`, in a log of at least `size` rows, from the row before the
 * block to the row after it. Throws 503 `audit_inconsistent` at a break.
 */
export async function followBlock(audit: AuditReader, namespace: Namespace, seq: number, size: number): Promise<void> {
  const begin = seq - 1 - ((seq - 1) % blockRows)
  const end = Math.min(begin + blockRows, size)
  const [before] = begin === 0 ? [chainStart] : await audit.between(namespace, begin - 1, begin, 1)
  if (!before) throw notIntact(namespace, missingRow(begin).reason)
  const last = await followPages(await audit.lines(namespace, begin, end), before, createRowHashes(), () => {})
  if (last.seq < end) throw notIntact(namespace, (await examine(audit, namespace, last, end)).broken.reason)
  const [next] = await audit.between(namespace, end, end + 1, 1)
  if (next && next.prevHash !== last.hash) throw notIntact(namespace, looseRow(next.seq, last).reason)
}
