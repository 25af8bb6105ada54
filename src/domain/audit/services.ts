import type { Session } from '../../model/session.ts'
import type { BackgroundTask } from '../background/background.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import type { QueryCounter } from '../stats/stats.ts'
import { heavy, type Turns } from '../turns/turns.ts'
import { createAnchoring } from './anchoring.ts'
import type { CheckpointInput, ExportInput, ListInput, ProofInput } from './audit-input.ts'
import { createCheckpoints } from './checkpoints.ts'
import { exportAudit, openExport } from './export-audit.ts'
import { listAudit } from './list-audit.ts'
import type { LogAges } from './log-ages.ts'
import { createNoteSigner } from './note-signer.ts'
import { deletionReceipt, getCheckpoint, getProof } from './prove.ts'
import { createReadRecorder, createRecordQueue } from './record-reads.ts'
import { createRefusalRecorder, recordRefusal } from './record-refusals.ts'
import { createVerifyAudit } from './verify-audit.ts'

type Deps = Bindings & DomainSettings & { turns: Turns; logAges: LogAges; queries: Pick<QueryCounter, 'refused'> }

export function createAudit(bound: Deps) {
  const { catalog, clock, audit: settings, turns } = bound
  const signer = createNoteSigner(settings)
  const anchoring = createAnchoring({ ...bound, signer })
  const checkpoints = createCheckpoints({ ...bound, ...settings, signer, anchoring })
  const records = createRecordQueue(bound, settings.reads === 'sync')
  const reads = createReadRecorder(records, clock, settings)
  const refusals = createRefusalRecorder(records, clock, bound.queries.refused)
  const deps = { ...bound, signer, checkpoints }
  const verifyAudit = createVerifyAudit(deps)
  const tasks: BackgroundTask[] = [
    { name: 'remove export links that ran out', run: () => catalog.exports.removeExpired(clock.now()) },
    { name: 'record counts of refusals', run: () => refusals.sweep() },
    { name: 'sign audit logs', run: () => checkpoints.signDue() },
  ]
  return {
    /** What other folders record and sign with. */
    shared: { signer, anchoring, checkpoints, records, reads, refusals },
    tasks,
    /** Records that an operation was refused to its caller. */
    refused: (session: Session, operation: string, error: unknown) =>
      recordRefusal(refusals, session, operation, error),
    /** Uses a link to an exported log; null for an invalid one. */
    openExport: (token: string, requestId: string, options: { peek: boolean }) =>
      openExport(deps, token, requestId, options),
    /** Writes all queued rows and signs the logs that have grown. */
    stop: async () => {
      await refusals.stop().finally(() => records.stop())
      await checkpoints.signGrown()
    },
    servicesFor: (session: Session) => ({
      list: (input: ListInput) => turns.answering(session, heavy, () => listAudit(catalog.audit, session, input)),
      verify: () => turns.reading(session, heavy, () => verifyAudit(session)),
      checkpoint: (input: CheckpointInput) => getCheckpoint(deps, session, input),
      proof: (input: ProofInput) => getProof(deps, session, input),
      deletion: (seq: number) => deletionReceipt(deps, session, seq),
      export: (input: ExportInput) => exportAudit(deps, session, input),
    }),
  }
}
