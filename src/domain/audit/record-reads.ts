import { createHmac, hkdfSync } from 'node:crypto'
import type { Answer } from '../../model/answer.ts'
import type { AuditAction, AuditEntry } from '../../model/audit.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import type { Plane } from '../../model/unit.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AuditSettings, QueryRecording } from '../bindings/bindings.ts'
import type { RecordQueue } from './record-queue.ts'

/** Records reads in the chain of the target namespace. Callers await the result before they respond. */
export interface ReadRecorder {
  /** With an answer, the row records the answer instead of the search. */
  searched(session: Session, query: ReadQuery, hits: number, answer: Answer | null): Taken
  gotUnit(session: Session, unitId: string): Taken
  listedUnits(session: Session, page: { units: number; limit: number; cursor: number }): Taken
  gotDocument(session: Session, documentId: string): Taken
  listedDocuments(session: Session, page: { documents: number; limit: number; cursor: number }): Taken
}

interface ReadQuery {
  q: string
  topK: number
  planes: readonly Plane[]
}

type Taken = Promise<void> | undefined

export function createReadRecorder(queue: RecordQueue, clock: Clock, settings: AuditSettings): ReadRecorder {
  // A tier without an audit log would collect rows that nobody can read.
  const records = ({ namespace }: Session) => settings.reads !== 'off' && tiers[namespace.tier].audit
  const record = (session: Session, action: AuditAction, target: string, detail: AuditEntry['detail'] = {}) =>
    records(session)
      ? queue.push(session.namespace.id, auditEntry(session, clock.now(), action, target, detail))
      : undefined
  return {
    searched: (session, { q, topK, planes }, hits, answer) => {
      if (!records(session)) return undefined
      const { id } = session.namespace
      const outcome: AuditEntry['detail'] = answer
        ? { citations: answer.citations.length, abstained: answer.abstained }
        : {}
      const detail = {
        planes: planes.join(','),
        top_k: topK,
        hits,
        ...outcome,
        ...queryDetail(settings.queries, id, q),
      }
      return queue.push(id, auditEntry(session, clock.now(), answer ? 'answer.run' : 'search.run', null, detail))
    },
    gotUnit: (session, unitId) => record(session, 'units.get', unitId),
    listedUnits: (session, page) => record(session, 'units.list', session.requestedScope, page),
    gotDocument: (session, documentId) => record(session, 'documents.get', documentId),
    listedDocuments: (session, page) => record(session, 'documents.list', session.requestedScope, page),
  }
}

/** Each namespace has its own key, so equal queries can be recognised within a log and never across logs. */
function queryDetail(queries: QueryRecording, namespaceId: string, q: string): AuditEntry['detail'] {
  if (q === '' || queries.kind === 'none') return {}
  if (queries.kind === 'text') return { query: q }
  const key = hkdfSync('sha256', queries.secret, '', `audit query ${namespaceId}`, 32)
  return { query_hmac: createHmac('sha256', new Uint8Array(key)).update(q).digest('hex') }
}
