import { setImmediate } from 'node:timers/promises'
import { auditBody } from '../../model/audit.ts'
import { type ChainBreak, type ChainLink, chainStart, checkRow } from '../../model/audit-chain.ts'
import { followLines } from '../../model/audit-sheet.ts'
import { createCompactRange } from '../../model/compact-range.ts'
import { equal, leafHash } from '../../model/merkle.ts'
import type { Namespace } from '../../model/registry.ts'
import { createRowHashes } from '../../model/row-hashes.ts'
import type { AuditReader } from '../../ports/audit-reader.ts'
import type { Witness, Witnesses } from './witnesses.ts'

/** How far a chain was followed, and what stopped it. */
export interface Followed {
  last: ChainLink
  checked: number
  broken: ChainBreak | null
}

/** Rows read at a time: the embedded database serves others between, and each reading costs as much as 500 rows. */
const pageRows = 8000
const pagesAhead = 2

/** Recomputes row after row, and the tree over them at every checkpoint, up to the head or the first break. */
export async function followChain(
  audit: AuditReader,
  namespace: Namespace,
  head: ChainLink,
  witnesses: Witnesses,
): Promise<Followed> {
  const watch = watchRoots()
  const hashes = createRowHashes()
  let last = chainStart
  for await (const { end, sheet } of sheetsOf(audit, namespace, head.seq)) {
    watch.expect(await witnesses.upTo(end))
    let reached = last
    for (const lines of sheet) {
      // The request for the next page leaves, and other requests have their turn.
      await setImmediate()
      reached = followLines(lines, reached, hashes, watch.append)
    }
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

interface Page {
  end: number
  sheet: string[]
}

/**
 * A log's pages up to a seq, read one after another and ahead of the work on them: a busy machine holds up the database
 * and the hashing at different moments.
 */
async function* sheetsOf(audit: AuditReader, namespace: Namespace, upTo: number): AsyncGenerator<Page> {
  const coming: Promise<Page>[] = []
  let from = 0
  let isWanted = true
  const read = async (begin: number, end: number, before: Promise<Page> | undefined): Promise<Page> => {
    await before
    return { end, sheet: isWanted ? await audit.sheet(namespace, begin, end) : [] }
  }
  const readAhead = () => {
    for (; coming.length < pagesAhead && from < upTo; from = Math.min(from + pageRows, upTo)) {
      const page = read(from, Math.min(from + pageRows, upTo), coming.at(-1))
      // It is told when the page has its turn.
      page.catch(() => {})
      coming.push(page)
    }
  }
  try {
    for (readAhead(); coming[0]; ) {
      const page = await coming[0]
      coming.shift()
      readAhead()
      yield page
    }
  } finally {
    isWanted = false
    await Promise.allSettled(coming)
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
