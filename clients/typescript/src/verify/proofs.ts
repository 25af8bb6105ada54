import type { AuditRow, Proof } from '../answers.ts'
import { concat, encode, equal, fromBase64, fromHex, sha256, toHex } from './bytes.ts'
import { rowBody } from './canonical.ts'
import { leafHash, provesConsistency, provesInclusion } from './merkle.ts'
import { type Head, isOf, openCheckpoint, type SignedCheckpoint } from './note.ts'
import { bad, good, type Verdict, verdictOf } from './verdict.ts'

/** The hash of an audit row: over the 32 bytes of the previous row's hash, and its own canonical JSON. */
export async function rowHash(prevHash: string, body: string): Promise<string | null> {
  const before = fromHex(prevHash)
  return before?.length === 32 ? toHex(await sha256(concat(before, encode(body)))) : null
}

/** Is the row unchanged, and does the proof lead from it to a root that the key has signed? */
export function verifyInclusion(input: { row: AuditRow; proof: Proof; verifierKey: string }): Promise<Verdict> {
  const { row, proof, verifierKey } = input
  return verdictOf(async () => {
    const body = rowBody({ ...row })
    if ((await rowHash(row.prev_hash, body)) !== row.hash) return bad('the hash of the row does not match its content')
    const head = await openCheckpoint(proof.checkpoint, verifierKey)
    if (typeof head === 'string') return bad(head)
    if (proof.seq !== row.seq || isSet(proof.from)) return bad('the proof is of another row')
    if (!isOf(head, row.namespace)) return bad('the checkpoint is of another log')
    if (contradicts(proof, head)) return bad('the proof says other than its checkpoint')
    const leaf = await leafHash(encode(body))
    if (isSet(proof.leaf_hash) && !isHash(proof.leaf_hash, leaf)) return bad('the proof is of another row')
    const path = hashesOf(proof.hashes)
    const isProved = path !== null && (await provesInclusion(leaf, row.seq - 1, head.size, path, head.root))
    return isProved ? good : bad('the proof does not lead from the row to the signed root')
  }, 'the proof')
}

/** Does the log of the proof's checkpoint begin with the log of an earlier, kept checkpoint? */
export function verifyConsistency(input: {
  checkpoint: SignedCheckpoint
  proof: Proof
  verifierKey: string
}): Promise<Verdict> {
  const { checkpoint, proof, verifierKey } = input
  return verdictOf(async () => {
    const [old, head] = [
      await openCheckpoint(checkpoint, verifierKey),
      await openCheckpoint(proof.checkpoint, verifierKey),
    ]
    if (typeof old === 'string') return bad(`earlier checkpoint: ${old}`)
    if (typeof head === 'string') return bad(head)
    if (old.origin !== head.origin) return bad('the checkpoints are of different logs')
    if (isSet(proof.seq) || isSet(proof.leaf_hash)) return bad('the proof is of a row')
    if (isSet(proof.from) && proof.from !== old.size) return bad('the proof is of another earlier checkpoint')
    if (contradicts(proof, head)) return bad('the proof says other than its checkpoint')
    const path = hashesOf(proof.hashes)
    if (path === null) return bad('the proof is malformed')
    const isEmpty = old.size === 0 && equal(old.root, await sha256(new Uint8Array(0)))
    const isProved = isEmpty || (await provesConsistency(old.size, head.size, path, old.root, head.root))
    return isProved ? good : bad('the proof does not lead from the earlier checkpoint to the signed root')
  }, 'the proof')
}

/** What a proof says of itself, if it says it, is what its checkpoint signed. */
const contradicts = ({ namespace, size }: Partial<Proof>, head: Head): boolean =>
  (isSet(namespace) && !isOf(head, namespace)) || (isSet(size) && size !== head.size)

const isSet = <Value>(value: Value | null | undefined): value is Value => value !== undefined && value !== null

const isHash = (base64: string, hash: Uint8Array): boolean => equal(fromBase64(base64) ?? new Uint8Array(0), hash)

function hashesOf(texts: readonly string[]): Uint8Array[] | null {
  const hashes = texts
    .map(fromBase64)
    .filter((bytes) => bytes?.length === 32)
    .filter((bytes) => bytes !== null)
  return hashes.length === texts.length ? hashes : null
}
