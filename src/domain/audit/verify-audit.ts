import { type ChainBreak, type ChainLink, checkEnd } from '../../model/audit-chain.ts'
import type { Namespace } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { followChain } from './follow-chain.ts'
import { type KnownCheckpoints, readKnownCheckpoints } from './known-checkpoints.ts'
import { requireAuditTier } from './list-audit.ts'
import type { NoteSigner } from './note-signer.ts'
import { shareRuns } from './shared-runs.ts'
import { strayBreak } from './tree.ts'

type Deps = Pick<Bindings, 'catalog' | 'anchor'> & { signer: Pick<NoteSigner, 'check'> }

/**
 * Verifies the target namespace's log; no report is older than its request. Errors: 402 on a tier without the log; 503
 * while the anchor cannot be read.
 */
export function createVerifyAudit(deps: Deps) {
  const run = shareRuns((namespace) => verifyLog(deps, namespace))
  return async (session: Session) => {
    requireAuditTier(session)
    return run(session.namespace)
  }
}

/** Follows the chain from its first row to the current head; later rows are left to the next verification. */
export async function verifyLog(deps: Deps, namespace: Namespace) {
  const { catalog } = deps
  const checkpoints = readKnownCheckpoints(deps, namespace)
  const signed = (await catalog.auditTree.checkpoint(namespace.id, 'newest'))?.size
  const { head, strayAt } = await catalog.audit.end(namespace.id)
  const { last, checked, broken } = await followChain(catalog, namespace, { head, checkpoints, signed: signed ?? 0 })
  const found =
    broken ??
    checkEnd(last, head, strayAt) ??
    (await checkAgainstCheckpoints(deps, namespace, head, checkpoints)) ??
    strayBreak(await catalog.auditTree.strayNode(namespace.id), head)
  const { breakAt, reason } = found ?? { breakAt: null, reason: null }
  return {
    namespace: namespace.name,
    intact: breakAt === null,
    checked,
    headSeq: head.seq,
    headHash: head.hash,
    breakAt,
    reason,
    anchor: await anchorState(deps, checkpoints, signed),
  }
}

async function anchorState({ anchor }: Deps, checkpoints: KnownCheckpoints, signed: number | undefined) {
  await checkpoints.upTo(Number.MAX_SAFE_INTEGER)
  const size = checkpoints.last.anchored.at(-1)?.size ?? null
  return { engine: anchor.engine, size, behind: (signed ?? -1) > (size ?? -1) }
}

/** Checks a log that is intact up to its head: a checkpoint may show that rows are missing, or may be forged. */
async function checkAgainstCheckpoints(
  { catalog, signer }: Deps,
  namespace: Namespace,
  head: ChainLink,
  checkpoints: KnownCheckpoints,
): Promise<ChainBreak | null> {
  const [longer] = await checkpoints.upTo(Number.MAX_SAFE_INTEGER).then((left) => left.slice(-1))
  // A checkpoint may have been signed after the head was read.
  if (longer && (await catalog.audit.end(namespace.id)).head.seq < longer.size) {
    const missing = head.seq + 1
    return { breakAt: missing, reason: `row ${missing} is missing: a checkpoint of ${longer.size} rows was signed` }
  }
  for (const places of [checkpoints.last.kept, checkpoints.last.anchored]) {
    const newest = places.at(-1)
    // Older ones may be signed by a key that this service no longer has.
    const forged = places.find((checkpoint) => {
      const signature = signer.check(checkpoint, namespace.name)
      return signature === 'bad' || (signature === 'unknown' && checkpoint === newest)
    })
    if (forged) {
      const breakAt = Math.max(1, forged.size)
      return { breakAt, reason: `the checkpoint of ${forged.size} rows was not signed by this service` }
    }
  }
  return null
}
