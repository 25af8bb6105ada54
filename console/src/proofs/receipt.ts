import { provesInclusion } from '../../../clients/typescript/src/verify/merkle.ts'
import { openCheckpoint } from '../../../clients/typescript/src/verify/note.ts'
import {
  type Checkpoint,
  checkContinues,
  hashesOf,
  headOf,
  isFlaw,
  type KeptCheckpoints,
  type Proof,
} from './checkpoint.ts'
import type { ProofSource, Verified } from './log.ts'
import { checkRows, type Flaw, type LogRow, leafOf } from './row.ts'

/** A row of a receipt with its own proof, as GraphQL answers it. */
export interface ProvenRow {
  row: LogRow
  proof: Proof & { checkpoint: Checkpoint }
}

export interface ReceiptInput {
  namespace: string
  rows: readonly ProvenRow[]
  source: Pick<ProofSource, 'consistency'>
  kept: KeptCheckpoints
}

/** Checks the rows of a deletion receipt: their hashes, and that each is in a signed log that agrees with the last one this browser saw. */
export async function verifyReceipt({ namespace, rows, source, kept }: ReceiptInput): Promise<Verified | Flaw> {
  const listed = rows.map(({ row }) => row)
  const flaw = await checkRows(namespace, listed)
  if (flaw) return flaw
  const seen: Verified = { rows: listed.length, notYetCovered: 0, size: 0, origin: '' }
  for (const { row, proof } of rows) {
    const head = await headOf(proof.checkpoint, namespace)
    if (isFlaw(head)) return { ...head, row: row.seq }
    const path = hashesOf(proof)
    const isProved = path && (await provesInclusion(await leafOf(row), row.seq - 1, head.size, path, head.root))
    if (!isProved) return { row: row.seq, reason: 'the proof does not lead from it to the signed root' }
    const { note, verifierKey } = proof.checkpoint
    const checkpoint = { note, verifierKey }
    const old = kept.get(head.origin)
    const change = await checkContinues({ head, checkpoint, kept: old, proof: source.consistency, isCurrent: false })
    if (change) return change
    if (head.size > (await sizeOf(old))) kept.set(head.origin, checkpoint)
    Object.assign(seen, { size: head.size, origin: head.origin })
  }
  return seen.size === 0 ? { row: null, reason: 'the receipt has no rows' } : seen
}

/** A receipt can be older than what this browser saw since, which it then must not replace. */
async function sizeOf(checkpoint: Checkpoint | null): Promise<number> {
  const head = checkpoint && (await openCheckpoint(checkpoint.note, checkpoint.verifierKey))
  return head && typeof head !== 'string' ? head.size : -1
}
