import { setImmediate } from 'node:timers/promises'
import {
  type ChainBreak,
  type ChainLink,
  chainStart,
  checkRow,
  createRowHashes,
  followLines,
  looseRow,
  missingRow,
  type RowHashes,
  respelledRow,
} from '../../model/audit-chain.ts'
import { blockRows, emptyRoot, subtreesOf } from '../../model/merkle.ts'
import type { Namespace } from '../../model/registry.ts'
import type { AuditReader, TreeNode } from '../../ports/catalog.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type KnownCheckpoints, noAnchor, readKnownCheckpoints } from './known-checkpoints.ts'
import { notIntact, watchTree } from './tree.ts'

/** Rows per read: the embedded database serves others between reads, and each read costs as much as 500 rows. */
const pageRows = 8000
const pagesAhead = 2

interface Page {
  end: number
  lines: string[]
}

/**
 * Reads the pages of a log above one seq and up to another, in order and ahead of the hashing: on a busy machine the
 * database and the hashing are slow at different times.
 */
async function* readLinePages(
  audit: AuditReader,
  namespace: Namespace,
  above: number,
  upTo: number,
): AsyncGenerator<Page> {
  const coming: Promise<Page>[] = []
  let from = above
  let isWanted = true
  const read = async (begin: number, end: number, before: Promise<Page> | undefined): Promise<Page> => {
    await before
    return { end, lines: isWanted ? await audit.lines(namespace, begin, end) : [] }
  }
  const readAhead = () => {
    for (; coming.length < pagesAhead && from < upTo; from = Math.min(from + pageRows, upTo)) {
      const page = read(from, Math.min(from + pageRows, upTo), coming.at(-1))
      // The error is handled when this page is used.
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

/** How far the chain was followed, and where it broke. */
interface Followed {
  last: ChainLink
  checked: number
  broken: ChainBreak | null
  /** The Merkle root over all rows up to `last`. */
  root: Uint8Array
  /** Complete subtrees over these rows that are not stored yet. */
  fresh: readonly TreeNode[]
}

type Logs = Pick<Bindings['catalog'], 'audit' | 'auditTree'>

/** A position in a chain, and the roots of the complete subtrees over the rows up to it. */
interface ChainFrom {
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
async function followPages(
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
async function examine(
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
