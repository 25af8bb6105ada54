import {
  type DocumentReason,
  type DocumentRecord,
  documentReasons,
  documentStatuses,
  type FoundVersion,
} from '../../../model/document.ts'
import type { Metadata } from '../../../model/unit.ts'
import { bigint, jsonOf, oneOf, orNull, text } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import type { IngestedDocument } from '../generated/client.ts'
import { Prisma } from '../generated/client.ts'
import { select } from './select.ts'

/** How a run ended. `dueAt` is when it may be tried again, epoch milliseconds. */
export interface RunEnd {
  status: 'queued' | 'ready' | 'failed'
  reason: DocumentReason | null
  detail: string | null
  attempts: number
  dueAt: number
}

/** A started run. Only its holder may end it, while the document has this version. */
export interface HeldRun {
  namespaceId: string
  documentId: string
  version: number
  holder: string
}

/** A document to parse, with the name of its namespace and the path of its scope. */
export interface ClaimedDocument {
  record: DocumentRecord
  namespace: string
  scope: string
}

const toStatus = oneOf(documentStatuses, 'a status of a document')
const toReason = oneOf(documentReasons, 'a reason of a document')

export function toRecord(row: IngestedDocument): DocumentRecord {
  const { found, foundSourceUri, heldBy, heldUntil, dueAt, ...fields } = row
  return {
    ...fields,
    bytes: toNumber(row.bytes),
    metadata: jsonOf<Metadata>(row.metadata),
    found: found === null ? null : jsonOf<FoundVersion>(found),
    status: toStatus(row.status),
    reason: row.reason === null ? null : toReason(row.reason),
    textDueAt: row.textDueAt === null ? null : toNumber(row.textDueAt),
    createdAt: toNumber(row.createdAt),
    updatedAt: toNumber(row.updatedAt),
  }
}

/** What processes hold, they hold by the server's clock: theirs may differ. */
export const serverTime = Prisma.sql`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

/** More than a document ever waits to be tried again: one that is due later was queued before the clock jumped back. */
const maxPauseMs = 60_000

export const documentRuns = (db: Db) => ({
  /**
   * Starts the run of a document that is due, for `ttlMs`: one that waits, or whose run lost its holder. Namespaces with
   * fewer runs come first. Last come ready documents whose text is due; they stay ready. Null when there is nothing to do.
   */
  claim: async (holder: string, now: number, ttlMs: number): Promise<ClaimedDocument | null> => {
    const [run] = await select(db, { namespace_id: text, document_id: text })`
      WITH busy AS (
        SELECT namespace_id, count(*) AS runs FROM ingested_document
        WHERE held_by <> '' AND held_until > ${serverTime} GROUP BY namespace_id),
      next AS (
        SELECT d.namespace_id, d.document_id FROM ingested_document d
        JOIN scope s ON s.namespace_id = d.namespace_id AND s.id = d.scope_id AND s.deleted_at IS NULL
        LEFT JOIN busy b ON b.namespace_id = d.namespace_id
        WHERE d.status = 'queued' AND d.due_at NOT BETWEEN ${now}::bigint + 1 AND ${now}::bigint + ${maxPauseMs}::bigint OR d.status = 'running' AND d.held_until <= ${serverTime}
          OR d.status = 'ready' AND d.text_due_at <= ${now}::bigint AND d.held_until <= ${serverTime}
        ORDER BY d.status = 'ready', coalesce(b.runs, 0), d.due_at, d.document_id LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
      UPDATE ingested_document AS d SET held_by = ${holder}, held_until = ${serverTime} + ${ttlMs},
        status = CASE d.status WHEN 'ready' THEN 'ready' ELSE 'running' END,
        updated_at = CASE d.status WHEN 'ready' THEN d.updated_at ELSE greatest(d.updated_at + 1, ${now}::bigint) END
      FROM next WHERE d.namespace_id = next.namespace_id AND d.document_id = next.document_id
      RETURNING d.namespace_id, d.document_id`
    if (!run) return null
    const { namespace_id: namespaceId, document_id: documentId } = run
    const row = await db.ingestedDocument.findUnique({
      where: { namespaceId_documentId: { namespaceId, documentId } },
      include: { namespace: { select: { name: true } }, scope: { select: { path: true } } },
    })
    if (!row) return null
    const { namespace, scope, ...record } = row
    return { record: toRecord(record), namespace: namespace.name, scope: scope.path }
  },

  /** Extends the runs of a holder. */
  renew: async (holder: string, ttlMs: number) => {
    await db.$executeRaw`
      UPDATE ingested_document SET held_until = ${serverTime} + ${ttlMs} WHERE held_by <> '' AND held_by = ${holder}`
  },

  /** For the only process of a catalog, when it starts: all earlier runs have lost their holder. */
  reopen: async () => {
    await db.ingestedDocument.updateMany({ where: { heldBy: { not: '' } }, data: { heldUntil: 0 } })
  },

  /** Ends the run of a ready document; null when its text has come, or never will. */
  readAgain: async ({ holder, ...run }: HeldRun, textDueAt: number | null) => {
    await db.ingestedDocument.updateMany({
      where: { ...run, status: 'ready', heldBy: holder },
      data: { textDueAt, heldBy: '', heldUntil: 0 },
    })
  },

  /** Returns false when the run is not held any more. */
  end: async ({ holder, ...run }: HeldRun, end: RunEnd, now: number) => {
    const { count } = await db.ingestedDocument.updateMany({
      where: { ...run, status: 'running', heldBy: holder },
      data: { ...end, heldBy: '', heldUntil: 0, force: end.status === 'queued' ? undefined : false, updatedAt: now },
    })
    return count > 0
  },

  /** Changes whenever a document or Unit of the namespace does. */
  state: async (namespaceId: string): Promise<string> => {
    // The time of the latest change is not enough: two may have the same, and clocks of processes differ.
    const [row] = await select(db, { seq: orNull(bigint), documents: orNull(text) })`
      SELECT (SELECT seq FROM head WHERE namespace_id = ${namespaceId}) AS seq,
        sum(hashtextextended(concat_ws(' ', document_id, version, status, attempts, text_due_at, updated_at), 0))::text AS documents
      FROM ingested_document WHERE namespace_id = ${namespaceId}`
    return JSON.stringify(row)
  },
})
