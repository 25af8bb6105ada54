import { notFound, upgradeRequired } from '../../errors.ts'
import { type AuditRow, auditBody } from '../../model/audit.ts'
import type { SignedCheckpoint } from '../../model/checkpoint.ts'
import { consistencyPath, inclusionPath, leafHash, provesConsistency, provesInclusion } from '../../model/merkle.ts'
import type { Namespace } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { formatVerifier, openNote } from '../../model/signed-note.ts'
import { tiers } from '../../model/tiers.ts'
import type { IndexFeed } from '../../ports/indexes/index-filter.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { CheckpointInput, ProofInput } from './audit-input.ts'
import type { Checkpoints } from './checkpoints.ts'
import { followBlock } from './follow-chain.ts'
import { auditVisibilityOf } from './list-audit.ts'
import type { NoteSigner } from './note-signer.ts'
import { notIntact, rootsOf } from './tree.ts'

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'objects'> & {
  checkpoints: Checkpoints
  signer: NoteSigner
}

/**
 * The current checkpoint of the target namespace's log, or an earlier one of `size` rows. Errors: 402 on a tier without
 * proofs; 404 for a size that was never signed; 503 `audit_inconsistent` for a log that is not intact.
 */
export async function getCheckpoint(deps: Deps, session: Session, { size }: CheckpointInput) {
  requireProofs(session)
  return viewOf(deps, session, await checkpointOf(deps, session, size))
}

/**
 * Inclusion of the row `seq`, which the caller must be allowed to see, or consistency with the first `from` rows.
 * Errors: as for the checkpoint; 404 for rows that do not exist.
 */
export async function getProof(deps: Deps, session: Session, { seq, from, size }: ProofInput) {
  requireProofs(session)
  if (seq !== undefined) return proveSeq(deps, session, seq, size)
  return proveConsistency(deps, session, from ?? 1, size)
}

async function proveSeq(deps: Deps, session: Session, seq: number, size?: number) {
  const row = await deps.catalog.audit.row(session.namespace, auditVisibilityOf(session), seq)
  const checkpoint = row && (await checkpointOf(deps, session, size))
  if (!checkpoint || seq > checkpoint.size)
    throw notFound('no such audit row: seq must be a row that you may read, within the checkpoint')
  return proveInclusion(deps, session, row, checkpoint)
}

/**
 * Proves a row that the caller may see, in a checkpoint that covers it. Errors: 503 `audit_inconsistent` unless the
 * chain is valid around the row and its tree leads to the checkpoint.
 */
async function proveInclusion(deps: Deps, session: Session, row: AuditRow, checkpoint: SignedCheckpoint) {
  const { seq } = row
  const { namespace } = session
  const { size, root } = checkpoint
  await followBlock(deps.catalog.audit, namespace, seq, size)
  const leaf = leafHash(Buffer.from(auditBody(row)))
  const hashes = await rootsOf(deps, namespace, inclusionPath(seq - 1, size))
  if (!provesInclusion(leaf, seq - 1, size, hashes, root)) throw unprovable(namespace, seq, size)
  return present(deps, session, checkpoint, hashes, { seq, leafHash: base64(leaf), from: null })
}

async function proveConsistency(deps: Deps, session: Session, from: number, size?: number) {
  const checkpoint = await checkpointOf(deps, session, size)
  if (from > checkpoint.size) throw notFound(`the audit log has fewer rows: from must be at most ${checkpoint.size}`)
  const old = { begin: 0, end: from }
  const path = consistencyPath(from, checkpoint.size)
  const [oldRoot = Buffer.of(), ...hashes] = await rootsOf(deps, session.namespace, [old, ...path])
  if (!provesConsistency(from, checkpoint.size, hashes, oldRoot, checkpoint.root)) {
    throw unprovable(session.namespace, from, checkpoint.size)
  }
  return present(deps, session, checkpoint, hashes, { seq: null, leafHash: null, from })
}

/** Rows or tree were changed, as verification reports. */
const unprovable = (namespace: Namespace, row: number, size: number) =>
  notIntact(namespace, `row ${row} does not lead to its checkpoint of ${size} rows`)

function requireProofs({ namespace }: Session): void {
  const tier = tiers[namespace.tier]
  if (tier.proofs) return
  throw upgradeRequired('proofs of the audit log require', namespace, 'enterprise')
}

const checkpointOf = ({ checkpoints }: Deps, { namespace }: Session, size?: number): Promise<SignedCheckpoint> =>
  size === undefined ? checkpoints.current(namespace) : checkpoints.earlier(namespace, size)

const present = (
  deps: Deps,
  session: Session,
  checkpoint: SignedCheckpoint,
  hashes: readonly Uint8Array[],
  subject: { seq: number | null; leafHash: string | null; from: number | null },
) => ({
  namespace: session.namespace.name,
  ...subject,
  size: checkpoint.size,
  hashes: hashes.map(base64),
  checkpoint: viewOf(deps, session, checkpoint),
})

function viewOf({ signer }: Deps, { namespace }: Session, checkpoint: SignedCheckpoint) {
  const { origin, size, root, time, note } = checkpoint
  const verifiers = signer.verifiers(origin)
  // An older checkpoint may be signed by a key that was replaced later.
  const verifier = verifiers.find((known) => openNote(note, [known]) !== null) ?? verifiers[0]
  return {
    namespace: namespace.name,
    origin,
    size,
    rootHash: base64(root),
    time,
    note,
    verifierKey: formatVerifier(verifier),
  }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** The effect of a hard delete in one store. */
export interface StoreErasure {
  store: 'catalog' | 'vector_index' | 'text_index' | 'object_store'
  engine: string
  /** Units erased from the store; in the object store, uploaded sources. */
  erased: number
  /** Those still to be erased. */
  remaining: number
}

/**
 * The receipt of the hard delete that returned `seq`. Errors: 402 on a tier without proofs; 404 when the log has no
 * such deletion, or none that the caller may see.
 */
export async function deletionReceipt(deps: Deps, session: Session, seq: number) {
  requireProofs(session)
  const { namespace } = session
  const rows = await deps.catalog.audit.deletion(namespace, auditVisibilityOf(session), seq)
  if (rows.length === 0) throw notFound('no such deletion: seq must be that of a hard delete that you may read')
  // All proofs use one checkpoint: it covers the last row, and so the others.
  const checkpoint = await deps.checkpoints.current(namespace)
  const proven = []
  for (const row of rows) proven.push({ row, proof: await proveInclusion(deps, session, row, checkpoint) })
  return { namespace: namespace.name, seq, rows: proven, stores: await erasures(deps, namespace.id, rows) }
}

async function erasures(deps: Deps, namespaceId: string, rows: readonly AuditRow[]): Promise<StoreErasure[]> {
  const { catalog, vectors, texts, objects } = deps
  const batches = rows.map(({ time, detail }) => ({
    time,
    units: Number(detail.units),
    sources: Number(detail.sources),
    seq: Number(detail.seq),
  }))
  const units = sum(batches.map((batch) => batch.units))
  const sources = sum(batches.map((batch) => batch.sources))
  const kept = await catalog.changes.unerased(namespaceId, batches)
  const indexed = async (feed: IndexFeed) => {
    const cursor = await feed.cursor(namespaceId)
    return sum(batches.map((batch) => Math.min(batch.units, Math.max(0, batch.seq - cursor))))
  }
  const store = (name: StoreErasure['store'], engine: string, all: number, remaining: number): StoreErasure => ({
    store: name,
    engine,
    erased: all - remaining,
    remaining,
  })
  return [
    store('catalog', catalog.engine, units, kept.units),
    store('vector_index', vectors.engine, units, await indexed(vectors.feed)),
    store('text_index', texts.engine, units, await indexed(texts.feed)),
    store('object_store', objects.engine, sources, kept.sources),
  ]
}

const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0)
