import { equal, fromBase64 } from '../../../clients/typescript/src/verify/bytes.ts'
import { provesConsistency } from '../../../clients/typescript/src/verify/merkle.ts'
import { type Head, isOf, openCheckpoint } from '../../../clients/typescript/src/verify/note.ts'
import type { Flaw } from './row.ts'

/** What counts of a checkpoint: the signed note, and the key that is said to have signed it. */
export interface Checkpoint {
  note: string
  verifierKey: string
}

/** What counts of a proof: its hashes, in base64. */
export interface Proof {
  hashes: readonly string[]
}

/** The last checkpoint that this browser saw, by origin. */
export interface KeptCheckpoints {
  get(origin: string): Checkpoint | null
  set(origin: string, checkpoint: Checkpoint): void
}

/** Opens the note: what it says is signed by its key, and about the log of this namespace. */
export async function headOf(checkpoint: Checkpoint, namespace: string): Promise<Head | Flaw> {
  const head = await openCheckpoint(checkpoint.note, checkpoint.verifierKey)
  if (typeof head === 'string') return { row: null, reason: head }
  return isOf(head, namespace) ? head : { row: null, reason: `the checkpoint is of another log, ${head.origin}` }
}

export interface Continuity {
  head: Head
  checkpoint: Checkpoint
  kept: Checkpoint | null
  /** The proof that the log of `size` rows begins with its first `from`. */
  proof: (from: number, size: number) => Promise<Proof>
  /** Whether the checkpoint was asked for just now. Then it cannot have fewer rows than one that this browser saw. */
  isCurrent: boolean
}

/**
 * Null if one log begins with the other, under one key: the log of this checkpoint, and the one that this browser saw last. The
 * earlier rows are always checked against what the key signed that this browser trusts. A new key is never trusted by itself.
 */
export async function checkContinues(continuity: Continuity): Promise<Flaw | null> {
  const { head, checkpoint, kept } = continuity
  if (kept === null) return null
  const old = await openCheckpoint(kept.note, kept.verifierKey)
  if (typeof old === 'string') return flaw(`the checkpoint that this browser kept: ${old}`)
  if (old.origin !== head.origin) return flaw(`the checkpoint that this browser kept is of ${old.origin}`)
  const broken = await reasonNotContinued(old, continuity)
  if (kept.verifierKey === checkpoint.verifierKey) return broken === null ? null : flaw(broken)
  const change = `the key of ${head.origin} has changed from ${kept.verifierKey} to ${checkpoint.verifierKey}`
  if (broken !== null) return flaw(`${change}, and ${broken}`)
  const same = Math.min(old.size, head.size)
  return {
    ...flaw(
      `${change}. The first ${same} rows are as the earlier key signed them. Only the new key signed later ones.`,
    ),
    underNewKey: { origin: head.origin, ...checkpoint },
  }
}

async function reasonNotContinued(old: Head, { head, proof, isCurrent }: Continuity): Promise<string | null> {
  if (old.size > head.size && isCurrent) {
    return `the log has become shorter: ${head.size} rows are signed, and this browser has seen ${old.size}`
  }
  const [small, large] = old.size > head.size ? [head, old] : [old, head]
  if (small.size === large.size) return equal(old.root, head.root) ? null : rewritten(old)
  if (small.size === 0) return null
  const path = hashesOf(await proof(small.size, large.size))
  const isProved = path !== null && (await provesConsistency(small.size, large.size, path, small.root, large.root))
  return isProved ? null : rewritten(old)
}

const rewritten = ({ size }: Head) => `the log does not begin with the ${size} rows that this browser has seen signed`
const flaw = (reason: string): Flaw => ({ row: null, reason })

/** Null if a hash is malformed. */
export function hashesOf({ hashes }: Proof): Uint8Array[] | null {
  const bytes = hashes.map(fromBase64).filter((hash) => hash?.length === 32)
  return bytes.length === hashes.length ? bytes.filter((hash) => hash !== null) : null
}

export const isFlaw = (value: Head | Flaw): value is Flaw => 'reason' in value
