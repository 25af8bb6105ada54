import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Answer, AnswerTrace } from '../../model/answer.ts'
import { type AuditAction, type AuditEntry, auditEntry } from '../../model/audit.ts'
import type { QueryImage } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import type { Plane } from '../../model/unit.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AuditSettings, QueryRecording } from '../bindings/bindings.ts'
import type { RecordQueue } from './record-queue.ts'

/** Records reads in the chain of the target namespace. Callers await the result before they respond. */
export interface ReadRecorder {
  /** With an answer, the row records the answer instead of the search. */
  searched(session: Session, query: ReadQuery, hits: number, answered: RecordedAnswer | null): Taken
  /** What a row of a search says of its query. */
  detailOf(session: Session, q: string): AuditEntry['detail']
  gotUnit(session: Session, unitId: string): Taken
  listedUnits(session: Session, page: { units: number; limit: number; cursor: number }): Taken
  /** Those next to a Unit. */
  listedNear(session: Session, unitId: string, units: number): Taken
  gotDoc(session: Session, docId: string): Taken
  listedDocs(session: Session, page: { docs: number; limit: number; cursor: number }): Taken
  countedFacets(session: Session, counted: { fields: string; units: number }): Taken
  gotDocument(session: Session, documentId: string): Taken
  listedDocuments(session: Session, page: { documents: number; limit: number; cursor: number }): Taken
}

interface RecordedAnswer {
  answer: Pick<Answer, 'citations' | 'abstained'>
  trace: Pick<AnswerTrace, 'steps'>
}

interface ReadQuery {
  q: string
  /** The row says `sent`, or which source, but never what it shows. */
  image?: QueryImage | undefined
  similarTo?: { unitId: string } | undefined
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
  const queryDetail = createQueryDetail(settings.queries)
  return {
    searched: (session, { q, image, similarTo, topK, planes }, hits, answered) => {
      if (!records(session)) return undefined
      const { id } = session.namespace
      const outcome: AuditEntry['detail'] = answered
        ? {
            citations: answered.answer.citations.length,
            abstained: answered.answer.abstained,
            steps: answered.trace.steps.length,
          }
        : {}
      const detail = {
        planes: planes.join(','),
        top_k: topK,
        hits,
        ...outcome,
        ...(image && { image: image.sourceUri ?? 'sent' }),
        ...(similarTo && { similar_to: similarTo.unitId }),
        ...queryDetail(id, q),
      }
      return queue.push(id, auditEntry(session, clock.now(), answered ? 'answer.run' : 'search.run', null, detail))
    },
    detailOf: ({ namespace }, q) => queryDetail(namespace.id, q),
    gotUnit: (session, unitId) => record(session, 'units.get', unitId),
    listedUnits: (session, page) => record(session, 'units.list', session.requestedScope, page),
    listedNear: (session, unitId, units) =>
      record(session, 'units.list', session.requestedScope, { units, near: unitId }),
    gotDoc: (session, docId) => record(session, 'docs.get', docId),
    listedDocs: (session, page) => record(session, 'docs.list', session.requestedScope, page),
    countedFacets: (session, counted) => record(session, 'docs.facets', session.requestedScope, counted),
    gotDocument: (session, documentId) => record(session, 'documents.get', documentId),
    listedDocuments: (session, page) => record(session, 'documents.list', session.requestedScope, page),
  }
}

/** How many namespaces' keys are kept; deriving one takes longer than using it. */
const maxKeys = 1_000

/** Each namespace has its own key, so equal queries can be recognised within a log and never across logs. */
function createQueryDetail(queries: QueryRecording) {
  const keys = new LRUCache<string, KeyObject>({ max: maxKeys })
  const keyOf = (namespaceId: string, secret: string): KeyObject => {
    const known = keys.get(namespaceId)
    if (known !== undefined) return known
    const key = createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', `audit query ${namespaceId}`, 32)))
    keys.set(namespaceId, key)
    return key
  }
  return (namespaceId: string, q: string): AuditEntry['detail'] => {
    if (q === '' || queries.kind === 'none') return {}
    if (queries.kind === 'text') return { query: q }
    return { query_hmac: createHmac('sha256', keyOf(namespaceId, queries.secret)).update(q).digest('hex') }
  }
}
