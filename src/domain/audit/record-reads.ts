import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { pauseAfter } from '../../async/backoff.ts'
import type { Answer, AnswerTrace } from '../../model/answer.ts'
import { type AuditAction, type AuditEntry, auditEntry } from '../../model/audit.ts'
import type { QueryImage } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import type { Plane } from '../../model/unit.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AuditSettings, Bindings, QueryRecording } from '../bindings/bindings.ts'
import { outsideWrites } from '../writes/writes.ts'

export type ReadRecorder = ReturnType<typeof createReadRecorder>

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

/** A page, and how many items it has. */
type Paged<Items extends string> = Record<Items | 'limit' | 'cursor', number>

/** Records reads in the chain of the target namespace. Callers await the result before they respond. */
export function createReadRecorder(queue: RecordQueue, clock: Clock, settings: AuditSettings) {
  // A tier without an audit log would collect rows that nobody can read.
  const records = ({ namespace }: Session) => settings.reads !== 'off' && tiers[namespace.tier].audit
  const record = (session: Session, action: AuditAction, target: string, detail: AuditEntry['detail'] = {}) =>
    records(session)
      ? queue.push(session.namespace.id, auditEntry(session, clock.now(), action, target, detail))
      : undefined
  const queryDetail = createQueryDetail(settings.queries)
  return {
    /** With an answer, the row records the answer instead of the search. */
    searched: (session: Session, query: ReadQuery, hits: number, answered: RecordedAnswer | null) => {
      const { q, image, similarTo, topK, planes } = query
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
    /** What a row of a search says of its query. */
    detailOf: ({ namespace }: Session, q: string): AuditEntry['detail'] => queryDetail(namespace.id, q),
    gotUnit: (session: Session, unitId: string) => record(session, 'units.get', unitId),
    listedUnits: (session: Session, page: Paged<'units'>) =>
      record(session, 'units.list', session.requestedScope, page),
    /** Those next to a Unit. */
    listedNear: (session: Session, unitId: string, units: number) =>
      record(session, 'units.list', session.requestedScope, { units, near: unitId }),
    gotDoc: (session: Session, docId: string) => record(session, 'docs.get', docId),
    listedDocs: (session: Session, page: Paged<'docs'>) => record(session, 'docs.list', session.requestedScope, page),
    countedFacets: (session: Session, counted: { fields: string; units: number }) =>
      record(session, 'docs.facets', session.requestedScope, counted),
    gotDocument: (session: Session, documentId: string) => record(session, 'documents.get', documentId),
    listedDocuments: (session: Session, page: Paged<'documents'>) =>
      record(session, 'documents.list', session.requestedScope, page),
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

/**
 * Rows of requests that write nothing themselves, queued to be written to their chains in grouped commits. An accepted
 * row is written, however often writing fails; after a commit whose response was lost it may appear twice. Rows are
 * lost only if the process is killed: those of the last 100 ms, and none when the queue is durable.
 */
export interface RecordQueue {
  /**
   * Undefined when the row was accepted at once. Otherwise resolves when it is accepted (durable: when it is
   * committed), and rejects on timeout: then the request must fail, so that it does not stay unrecorded.
   */
  push(namespaceId: string, entry: AuditEntry): Promise<void> | undefined
  /** Rows that are not written yet. */
  length(): number
  /** Writes all queued rows; later rows are refused. */
  stop(): Promise<void>
}

interface QueueLimits {
  /** Maximum number of queued rows. */
  capacity: number
  /** How long a row may wait for others before its group is written. */
  groupMs: number
  /** How long a request waits for room or for its commit. Also how long the stop waits for a failing catalog. */
  timeoutMs: number
}

const defaultLimits: QueueLimits = { capacity: 10_000, groupMs: 50, timeoutMs: 4000 }

/** Maximum rows of one transaction: it locks the head row, so other writers of the namespace wait for it. */
const groupRows = 500
const retryMs = { first: 100, max: 2000 }

interface Row {
  namespaceId: string
  entry: AuditEntry
  /** Notifies the waiting request, if there is one. */
  settle?: () => void
  /** The request has failed: the row need not be written any more. */
  abandoned?: boolean
}

export function createRecordQueue(
  { catalog, log }: Pick<Bindings, 'catalog' | 'log'>,
  durable: boolean,
  { capacity, groupMs, timeoutMs }: QueueLimits = defaultLimits,
): RecordQueue {
  let waiting: Row[] = []
  let inHand = 0
  let parked: Row[] = []
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | null = null
  let stopped = false

  const hasRoom = () => waiting.length + inHand < capacity

  const take = (row: Row) => {
    waiting.push(row)
    if (!round) schedule(durable ? 0 : groupMs)
  }

  const schedule = (ms: number) => {
    if (stopped) return
    timer ??= setTimeout(() => {
      timer = undefined
      round = outsideWrites(writeRound).finally(() => {
        round = null
        if (waiting.length > 0) schedule(failures > 0 ? pauseAfter(retryMs, failures - 1) : durable ? 0 : groupMs)
      })
    }, ms)
  }

  const writeRound = async () => {
    const taken = waiting.filter((row) => !row.abandoned)
    waiting = []
    inHand = taken.length
    const left: Row[] = []
    for (const [namespaceId, rows] of Map.groupBy(taken, (row) => row.namespaceId)) {
      left.push(...(await writeNamespace(namespaceId, rows)))
    }
    inHand = 0
    waiting = [...left, ...waiting]
    failures = left.length > 0 ? failures + 1 : 0
    admit()
  }

  /** Returns the rows that could not be written, in order. */
  const writeNamespace = async (namespaceId: string, rows: readonly Row[]): Promise<readonly Row[]> => {
    for (let from = 0; from < rows.length; from += groupRows) {
      const group = rows.slice(from, from + groupRows)
      try {
        // Reads from before a namespace was deleted must still be written to its chain.
        await catalog.transact(namespaceId, (tx) => appendAll(tx, group), { orDeleted: true })
      } catch (err) {
        log.error({ err, rows: rows.length - from }, 'audit rows could not be written and will be tried again')
        return rows.slice(from)
      }
      inHand -= group.length
      if (durable) for (const row of group) row.settle?.()
    }
    return []
  }

  const admit = () => {
    parked = parked.filter((row) => !row.abandoned)
    const admitted = parked.splice(0, Math.max(0, capacity - waiting.length - inHand))
    for (const row of admitted) {
      waiting.push(row)
      if (!durable) row.settle?.()
    }
  }

  return {
    push: (namespaceId, entry) => {
      if (stopped) return Promise.reject(new Error('the audit log is closed'))
      const row: Row = { namespaceId, entry }
      if (!durable && parked.length === 0 && hasRoom()) {
        take(row)
        return undefined
      }
      return new Promise((resolve, reject) => {
        const expiry = setTimeout(() => {
          row.abandoned = true
          reject(new Error('the audit log could not be written'))
        }, timeoutMs)
        row.settle = () => {
          clearTimeout(expiry)
          resolve()
        }
        if (parked.length === 0 && hasRoom()) take(row)
        else parked.push(row)
      })
    },
    length: () => waiting.length + inHand + parked.length,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      const deadline = performance.now() + timeoutMs
      await round
      while (waiting.length + parked.length > 0) {
        admit()
        await writeRound()
        if (failures === 0) continue
        if (performance.now() > deadline) {
          log.error({ rows: waiting.length }, 'audit rows are lost: the catalog failed until shutdown')
          return
        }
        await new Promise((resolve) => setTimeout(resolve, retryMs.first))
      }
    },
  }
}

async function appendAll(tx: { audit(entry: AuditEntry): Promise<void> }, rows: readonly Row[]): Promise<void> {
  for (const { entry } of rows) await tx.audit(entry)
}
