import { equal } from '../../../clients/typescript/src/verify/bytes.ts'
import { provesInclusion } from '../../../clients/typescript/src/verify/merkle.ts'
import { missingRows } from '../../../clients/typescript/src/verify/missing.ts'
import type { Head } from '../../../clients/typescript/src/verify/note.ts'
import {
  type Checkpoint,
  checkContinues,
  hashesOf,
  headOf,
  isFlaw,
  type KeptCheckpoints,
  type Proof,
} from './checkpoint.ts'
import { addSiblings, endsOfRuns, type Nodes, rootOver } from './known-tree.ts'
import { checkRows, type Flaw, type LogRow, leafOf } from './row.ts'

/** Where proofs come from. Nothing of what it says is trusted. Its errors (402, 503, no connection) are the caller's. */
export interface ProofSource {
  inclusion(seq: number, size: number): Promise<Proof>
  consistency(from: number, size: number): Promise<Proof>
  /** The rows after this one, in any order. */
  after(seq: number): Promise<readonly LogRow[]>
}

export interface Verified {
  /** Number of rows that the checkpoint covers, and that are as it was signed. */
  rows: number
  /** Number of rows with correct hashes that the checkpoint does not cover yet. */
  notYetCovered: number
  size: number
  origin: string
}

export interface LogInput {
  namespace: string
  rows: readonly LogRow[]
  /**
   * Whether the list shows its rows one after another from the last one on, without a filter, to one who sees all rows.
   * `to end`: also the first one.
   */
  whole: 'no' | 'from last' | 'to end'
  checkpoint: Checkpoint
  source: ProofSource
  kept: KeptCheckpoints
}

/**
 * Checks rows of a log by what came alone: their hashes, the links between neighbours, the signature of the checkpoint, that
 * it covers the rows, and that it continues the checkpoint that this browser saw last. Only what verifies is kept.
 */
export async function verifyLog({
  namespace,
  rows,
  whole,
  source,
  kept,
  ...given
}: LogInput): Promise<Verified | Flaw> {
  const checkpoint = { note: given.checkpoint.note, verifierKey: given.checkpoint.verifierKey }
  const flaw = await checkRows(namespace, rows)
  if (flaw) return flaw
  const head = await headOf(checkpoint, namespace)
  if (isFlaw(head)) return head
  const gap = whole === 'no' ? null : await checkListed(namespace, rows, head, whole === 'to end', source)
  if (gap) return gap
  const change = await checkContinues({
    head,
    checkpoint,
    kept: kept.get(head.origin),
    proof: source.consistency,
    isCurrent: true,
  })
  if (change && !change.underNewKey) return change
  const covered = rows.filter(({ seq }) => seq <= head.size).toSorted((a, b) => a.seq - b.seq)
  const stranger = await checkIncluded(covered, head, source)
  if (stranger) return stranger
  if (change) return change
  kept.set(head.origin, checkpoint)
  return { rows: covered.length, notYetCovered: rows.length - covered.length, size: head.size, origin: head.origin }
}

/** Null if no row is missing. The checkpoint may cover rows that came after the list. */
async function checkListed(
  namespace: string,
  rows: readonly LogRow[],
  { size }: Head,
  toEnd: boolean,
  source: ProofSource,
): Promise<Flaw | null> {
  const last = Math.max(0, ...rows.map(({ seq }) => seq))
  const newer = last < size ? (await source.after(last)).filter(({ seq }) => seq > last) : []
  const missing = missingRows([...rows, ...newer], { ...(toEnd && { first: 1 }), last: size })
  if (missing) return { row: null, reason: `${missing} missing from the list, which no filter explains` }
  return checkRows(namespace, newer)
}

/** Null if all rows are leaves of the signed tree, each at its place. They are ascending. */
async function checkIncluded(rows: readonly LogRow[], head: Head, source: ProofSource): Promise<Flaw | null> {
  const leaves = await Promise.all(rows.map(async (row) => [row.seq - 1, await leafOf(row)] as const))
  const nodes: Nodes = new Map()
  const ends = new Set(endsOfRuns(leaves.map(([index]) => index)))
  const prove = async (index: number, leaf: Uint8Array): Promise<Uint8Array[] | null> => {
    const path = hashesOf(await source.inclusion(index + 1, head.size))
    return path && (await provesInclusion(leaf, index, head.size, path, head.root)) ? path : null
  }
  for (const [index, leaf] of leaves) {
    if (!ends.has(index)) continue
    const path = await prove(index, leaf)
    if (path === null) return notSigned(index)
    addSiblings(nodes, index, head.size, path)
  }
  const root = leaves.length === 0 ? head.root : await rootOver(head.size, leaves, nodes)
  if (root && equal(root, head.root)) return null
  // Some row within a run is not the signed one. Their own proofs say which.
  for (const [index, leaf] of leaves) if ((await prove(index, leaf)) === null) return notSigned(index)
  return { row: null, reason: 'the rows do not lead to the signed root' }
}

const notSigned = (index: number): Flaw => ({
  row: index + 1,
  reason: 'the proof does not lead from it to the signed root',
})
