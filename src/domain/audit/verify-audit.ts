import { type ChainBreak, type ChainLink, chainStart, checkEnd, checkRow } from '../../model/audit-chain.ts'
import type { Namespace } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { AuditReader } from '../../ports/audit-reader.ts'
import { requireAuditTier } from './list-audit.ts'

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

/** Rows held, and hashed, at a time: other requests have their turn while the next ones are read. */
const pageRows = 1000

/**
 * Verifies the target namespace's log. Runs of a namespace follow one another; a caller shares the next one to start, so
 * that no report is older than its request. Errors: 402 on a tier without the log.
 */
export function createVerifyAudit(audit: AuditReader): (session: Session) => Promise<AuditVerification> {
  const runs = new Map<string, Run>()

  const begin = (namespace: Namespace): Run => {
    const before = runs.get(namespace.id)?.report
    const run: Run = {
      started: false,
      report: Promise.resolve(before?.catch(() => undefined)).then(() => {
        run.started = true
        return verify(audit, namespace)
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
async function verify(audit: AuditReader, namespace: Namespace): Promise<AuditVerification> {
  const { head, strayAt } = await audit.end(namespace.id)
  const { last, checked, broken } = await follow(audit, namespace, head)
  const { breakAt, reason } = broken ?? checkEnd(last, head, strayAt) ?? { breakAt: null, reason: null }
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

/** Recomputes row after row, up to the head or the first break. */
async function follow(
  audit: AuditReader,
  namespace: Namespace,
  head: ChainLink,
): Promise<{ last: ChainLink; checked: number; broken: ChainBreak | null }> {
  let last = chainStart
  for (;;) {
    const rows = await audit.between(namespace, last.seq, head.seq, pageRows)
    for (const row of rows) {
      const broken = checkRow(last, row)
      if (broken) return { last, checked: broken.breakAt === row.seq ? row.seq : last.seq, broken }
      last = row
    }
    if (rows.length < pageRows) return { last, checked: last.seq, broken: null }
  }
}
