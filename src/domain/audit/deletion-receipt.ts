import { notFound } from '../../errors.ts'
import type { AuditRow } from '../../model/audit.ts'
import type { Session } from '../../model/session.ts'
import type { IndexFeed } from '../../ports/indexes/index-filter.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Checkpoints } from './checkpoints.ts'
import { auditVisibilityOf } from './list-audit.ts'
import type { NoteSigner } from './note-signer.ts'
import { type ProofView, proveInclusion, requireProofs } from './prove.ts'

/** The effect of a hard delete in one store. */
export interface StoreErasure {
  store: 'catalog' | 'vector_index' | 'text_index' | 'object_store'
  engine: string
  /** Units erased from the store; in the object store, uploaded sources. */
  erased: number
  /** Those still to be erased. */
  remaining: number
}

/** Evidence of a hard delete: its rows in the log (one per batch), proofs that they are there, and its effect. */
export interface DeletionReceipt {
  namespace: string
  seq: number
  rows: { row: AuditRow; proof: ProofView }[]
  stores: StoreErasure[]
}

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'objects'> & {
  checkpoints: Checkpoints
  signer: NoteSigner
}

/**
 * The receipt of the hard delete that returned `seq`. Errors: 402 on a tier without proofs; 404 when the log has no
 * such deletion, or none that the caller may see.
 */
export async function deletionReceipt(deps: Deps, session: Session, seq: number): Promise<DeletionReceipt> {
  requireProofs(session)
  const { namespace } = session
  const rows = await deps.catalog.audit.deletion(namespace, auditVisibilityOf(session), seq)
  if (rows.length === 0) throw notFound('no such deletion: seq must be that of a hard delete that you may read')
  // All proofs use one checkpoint: it covers the last row, and so the others.
  const checkpoint = await deps.checkpoints.current(namespace)
  const proven: DeletionReceipt['rows'] = []
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
