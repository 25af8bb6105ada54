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
  for await (const { end, lines } of sheetsOf(audit, namespace, head.seq)) {
    watch.expect(await witnesses.upTo(end))
    const reached = followSheet(lines, last, watch.append)
    const page =
      reached.seq === end
        ? { last: reached, checked: end, broken: null }
        : await followRows(audit, namespace, reached, end, watch.append)
    last = page.last
    const broken = page.broken ?? watch.broken()
    if (broken || last.seq < end) return { ...page, broken }
  }
  return { last, checked: last.seq, broken: null }
}

/** A log's pages up to a seq. The next one is read while one is worked on, and other requests have their turn between. */
async function* sheetsOf(audit: AuditReader, namespace: Namespace, upTo: number) {
  const read = (from: number) => {
    const end = Math.min(from + pageRows, upTo)
    return from < end ? audit.sheet(namespace, from, end).then((lines) => ({ end, lines })) : null
  }
  let coming = read(0)
  try {
    while (coming) {
      const page: Awaited<typeof coming> = await coming
      coming = read(page.end)
      // The request for the next page leaves before the work on this one begins.
      await setImmediate()
      yield page
    }
  } finally {
    await coming?.catch(() => {})
  }
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
