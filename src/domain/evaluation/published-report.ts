import { forbidden, notFound } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { BenchmarkEntry, EvalEntry } from '../../model/evaluation.ts'
import type { Session } from '../../model/session.ts'
import { admit } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { PublishInput } from './evaluation-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'>

/** Only aggregates, so that everyone in the namespace may read it. */
export interface BenchmarkReport {
  benchmarks: readonly BenchmarkEntry[]
  evals: readonly EvalEntry[]
  /** ISO 8601. */
  generatedAt: string
}

/** The namespace's last published report, or the last service-wide one, or an empty one with the current time. */
export async function publishedReport({ catalog, clock }: Deps, session: Session): Promise<BenchmarkReport> {
  const published = await catalog.evaluation.published(session.namespace.id)
  const { benchmarks, evals } = published?.report ?? { benchmarks: [], evals: [] }
  return { benchmarks, evals, generatedAt: new Date(published?.finishedAt ?? clock.now()).toISOString() }
}

/**
 * Publishes the report of a finished run to everyone in the namespace. The super-admin publishes it to everyone whose
 * namespace has none. Errors: 403 except for admin principals; 404 for a run that is unknown or not finished.
 */
export async function publishReport(
  deps: Deps,
  session: Session,
  { run, serviceWide }: PublishInput,
): Promise<BenchmarkReport> {
  admit(session, 'publishReport')
  if (serviceWide && !session.facts.caller.superAdmin)
    throw forbidden('serviceWide: only the super-admin can publish for the whole service')
  const now = deps.clock.now()
  await deps.catalog.transact(session.namespace.id, async ({ evaluation, audit }) => {
    if (!(await evaluation.publish(run, now, serviceWide)))
      throw notFound('no such finished run: it must be an evaluation run that has finished')
    await audit(auditEntry(session, now, 'report.publish', run, { service_wide: serviceWide }))
  })
  return publishedReport(deps, session)
}
