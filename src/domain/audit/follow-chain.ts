import { setImmediate } from 'node:timers/promises'
import { auditBody } from '../../model/audit.ts'
import { type ChainBreak, type ChainLink, chainStart, checkRow } from '../../model/audit-chain.ts'
import { followSheet } from '../../model/audit-sheet.ts'
import { createCompactRange } from '../../model/compact-range.ts'
import { equal, leafHash } from '../../model/merkle.ts'
import type { Namespace } from '../../model/registry.ts'
import type { AuditReader } from '../../ports/audit-reader.ts'
import type { Witness, Witnesses } from './witnesses.ts'

/** How far a chain was followed, and what stopped it. */
export interface Followed {
  last: ChainLink
  checked: number
  broken: ChainBreak | null
}

/** Rows held, and hashed, at a time: other requests have their turn while the next ones are read. */
const pageRows = 4000

/** Recomputes row after row, and the tree over them at every checkpoint, up to the head or the first break. */
export async function followChain(
  audit: AuditReader,
  namespace: Namespace,
  head: ChainLink,
  witnesses: Witnesses,
): Promise<Followed> {
  const watch = watchRoots()
  let last = chainStart
  let coming = audit.sheet(namespace, 0, Math.min(pageRows, head.seq))
  while (last.seq < head.seq) {
    const end = Math.min(last.seq + pageRows, head.seq)
    watch.expect(await witnesses.upTo(end))
    const { rows, lines } = await coming
    coming = audit.sheet(namespace, end, Math.min(end + pageRows, head.seq))
    // The request for the next page leaves before this one is hashed, and other requests have their turn.
    await setImmediate()
    const isWhole = rows === end - last.seq
    const reached = isWhole ? followSheet(lines, last, watch.append) : last
    const page =
      reached.seq === end
        ? { last: reached, checked: end, broken: null }
        : await followRows(audit, namespace, reached, end, watch.append)
    const broken = page.broken ?? watch.broken()
    last = page.last
    if (broken || last.seq < end) {
      await coming.catch(() => {})
      return { ...page, broken }
    }
  }
  await coming
  return { last, checked: last.seq, broken: null }
}

/** A Merkle tree that is compared with what is known of its roots while it grows. */
function watchRoots() {
  const tree = createCompactRange()
  let due: Witness[] = []
  let agreed = 0
  let broken: ChainBreak | null = null
  const compare = () => {
    for (let next = due[0]; next && next.size <= tree.size; next = due[0]) {
      due.shift()
      if (equal(next.root, tree.root())) agreed = next.size
      else broken ??= otherRows(agreed, next.size)
    }
  }
  return {
    /** Witnesses of the rows to come, by size. */
    expect: (witnesses: readonly Witness[]) => {
      due = [...witnesses]
      compare()
    },
    append: (leaf: string) => {
      tree.append(leaf)
      if (due[0]?.size === tree.size) compare()
    },
    broken: () => broken,
  }
}

/** The chain holds, and yet it is not the one that was signed: it was written anew somewhere between two checkpoints. */
const otherRows = (agreed: number, size: number): ChainBreak => ({
  breakAt: agreed + 1,
  reason: `rows ${agreed + 1} to ${size} are not those that the checkpoint of ${size} rows was signed for`,
})

/** Rows one by one: what is told apart from what only looks unusual, and names the row. */
async function followRows(
  audit: AuditReader,
  namespace: Namespace,
  from: ChainLink,
  end: number,
  append: (leaf: string) => void,
): Promise<Followed> {
  let last = from
  for (const row of await audit.between(namespace, from.seq, end, end - from.seq)) {
    const broken = checkRow(last, row)
    if (broken) return { last, checked: broken.breakAt === row.seq ? row.seq : last.seq, broken }
    append(leafHash(Buffer.from(auditBody(row))).toString('latin1'))
    last = row
  }
  return { last, checked: last.seq, broken: null }
}
