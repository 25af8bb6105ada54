import { type ChainBreak, type ChainLink, checkEnd } from '../../model/audit-chain.ts'
import { originOf } from '../../model/checkpoint.ts'
import type { Namespace } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { Bindings } from '../deps.ts'
import type { Checkpoints } from './checkpoints.ts'
import { followChain } from './follow-chain.ts'
import { requireAuditTier } from './list-audit.ts'
import { callWitnesses, type Witnesses } from './witnesses.ts'

type Deps = Pick<Bindings, 'catalog' | 'anchor'> & { checkpoints: Pick<Checkpoints, 'open'> }

export interface AuditVerification {
  namespace: string
  intact: boolean
  /** Rows read and recomputed, the broken one included. */
  checked: number
  /** Where the chain ended when the verification began. */
  headSeq: number
  headHash: string
  /** The first broken or missing row; null when intact. */
  breakAt: number | null
  reason: string | null
}

interface Run {
  started: boolean
  report: Promise<AuditVerification>
}

/**
 * Verifies the target namespace's log. Runs of a namespace follow one another; a caller shares the next one to start, so
 * that no report is older than its request. Errors: 402 on a tier without the log.
 */
export function createVerifyAudit(deps: Deps): (session: Session) => Promise<AuditVerification> {
  const runs = new Map<string, Run>()

  const begin = (namespace: Namespace): Run => {
    const before = runs.get(namespace.id)?.report
    const run: Run = {
      started: false,
      report: Promise.resolve(before?.catch(() => undefined)).then(() => {
        run.started = true
        return verify(deps, namespace)
      }),
    }
    runs.set(namespace.id, run)
    const forget = () => {
      if (runs.get(namespace.id) === run) runs.delete(namespace.id)
    }
    run.report.then(forget, forget)
    return run
  }

  return async (session) => {
    requireAuditTier(session)
    const last = runs.get(session.namespace.id)
    return (last && !last.started ? last : begin(session.namespace)).report
  }
}

/** Follows the chain from its first row to the head as of now; what is written meanwhile is left to the next time. */
async function verify(deps: Deps, namespace: Namespace): Promise<AuditVerification> {
  const { audit } = deps.catalog
  const witnesses = callWitnesses(deps, namespace)
  const { head, strayAt } = await audit.end(namespace.id)
  const { last, checked, broken } = await followChain(audit, namespace, head, witnesses)
  const found = broken ?? checkEnd(last, head, strayAt) ?? (await checkWitnesses(deps, namespace, head, witnesses))
  const { breakAt, reason } = found ?? { breakAt: null, reason: null }
  return {
    namespace: namespace.name,
    intact: breakAt === null,
    checked,
    headSeq: head.seq,
    headHash: head.hash,
    breakAt,
    reason,
  }
}

/** What the checkpoints say of a log that is intact up to its head: that it was longer, or nothing that counts. */
async function checkWitnesses(
  { catalog, checkpoints }: Deps,
  namespace: Namespace,
  head: ChainLink,
  witnesses: Witnesses,
): Promise<ChainBreak | null> {
  const [longer] = await witnesses.upTo(Number.MAX_SAFE_INTEGER).then((left) => left.slice(-1))
  // A checkpoint may have been signed since the head was read.
  if (longer && (await catalog.audit.end(namespace.id)).head.seq < longer.size) {
    const missing = head.seq + 1
    return { breakAt: missing, reason: `row ${missing} is missing: a checkpoint of ${longer.size} rows was signed` }
  }
  const forged = witnesses.newest.find(
    ({ note }) => checkpoints.open(note)?.origin.endsWith(originOf('', namespace.name)) !== true,
  )
  if (!forged) return null
  const breakAt = Math.max(1, forged.size)
  return { breakAt, reason: `the checkpoint of ${forged.size} rows was not signed by this service` }
}
