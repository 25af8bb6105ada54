import type { DocumentFilter, SeenDocument } from '../../../../ports/catalog/documents.ts'
import type { Visibility } from '../../../../ports/catalog/visibility.ts'
import { bool, integer, text } from '../../database/columns.ts'
import type { Db } from '../../database/db.ts'
import { Prisma } from '../../generated/client.ts'
import { select } from '../select.ts'
import { unitJoins } from '../units/rows.ts'
import { opened } from '../units/visibility.ts'
import { toRecord } from './record.ts'

/** See `DocumentReader.list`. */
export async function listDocuments(
  db: Db,
  visibility: Visibility,
  principalId: string,
  filter: DocumentFilter,
  { cursor, limit }: { cursor: number; limit: number },
): Promise<SeenDocument[]> {
  const { namespaceId } = visibility
  const sees = (document: Prisma.Sql, own: Prisma.Sql) => seen(visibility, document, own)
  const own = Prisma.sql`d.writer = ${principalId}`
  const rows = await select(db, { document_id: text, path: text, own: bool, sees_parent: bool, units: integer })`
    SELECT page.document_id, page.path, page.own,
      coalesce((SELECT ${sees(Prisma.sql`p`, Prisma.sql`p.writer = ${principalId}`)} FROM ingested_document p
        WHERE p.namespace_id = ${namespaceId} AND p.document_id = page.parent_id), false) AS sees_parent,
      (SELECT count(*)::int FROM ${unitJoins(Prisma.sql`unit`)} WHERE u.document_id = page.document_id
        AND ${readable(visibility)}) AS units
    FROM (
      SELECT d.document_id, d.doc_id, d.parent_id, s.path, ${own} AS own FROM ingested_document d
      JOIN scope s ON s.namespace_id = d.namespace_id AND s.id = d.scope_id AND s.deleted_at IS NULL
      WHERE d.namespace_id = ${namespaceId} AND ${Prisma.join(conditions(filter, own), ' AND ')}
        AND ${sees(Prisma.sql`d`, own)}
      ORDER BY d.doc_id COLLATE "C", d.document_id OFFSET ${cursor} LIMIT ${limit}) page
    ORDER BY page.doc_id COLLATE "C", page.document_id`
  const records = await db.ingestedDocument.findMany({
    where: { namespaceId, documentId: { in: rows.map((row) => row.document_id) } },
  })
  const byId = new Map(records.map((record) => [record.documentId, toRecord(record)]))
  return rows.flatMap(({ document_id, path, own, sees_parent, units }) => {
    const record = byId.get(document_id)
    return record ? [{ record, scope: path, own, units, seesParent: sees_parent }] : []
  })
}

function conditions({ ids, status, docIdPrefix }: DocumentFilter, own: Prisma.Sql): Prisma.Sql[] {
  const found = [Prisma.sql`true`]
  if (ids !== undefined) found.push(Prisma.sql`d.document_id = ANY(${[...ids]}::text[])`)
  // To everyone but its writer, a document is ready.
  if (status !== undefined) found.push(Prisma.sql`CASE WHEN ${own} THEN d.status ELSE 'ready' END = ${status}`)
  if (docIdPrefix !== undefined) found.push(Prisma.sql`starts_with(d.doc_id, ${docIdPrefix}::text)`)
  return found
}

/** Whether a reader sees the `document`, which is an alias of `ingested_document`. */
function seen(visibility: Visibility, document: Prisma.Sql, own: Prisma.Sql): Prisma.Sql {
  const { clauses, planes } = visibility
  const scopeIds = clauses.flatMap((clause) => clause.scopeIds)
  const has = (condition: Prisma.Sql) => Prisma.sql`EXISTS (SELECT FROM ${unitJoins(Prisma.sql`unit`)}
    WHERE u.namespace_id = ${document}.namespace_id AND u.document_id = ${document}.document_id AND ${condition})`
  const live = Prisma.sql`u.state = 'live' AND u.plane = ANY(${[...planes]}::text[])`
  // A file may hold nothing but attachments: it is there while one of them is.
  const inside = Prisma.sql`NOT ${has(Prisma.sql`u.state <> 'purged'`)} AND EXISTS (SELECT FROM ingested_document c
    WHERE c.namespace_id = ${document}.namespace_id AND c.parent_id = ${document}.document_id AND (c.found IS NULL OR c.status IN ('queued', 'running')
      OR EXISTS (SELECT FROM unit u WHERE u.namespace_id = c.namespace_id AND u.document_id = c.document_id AND ${live})))`
  return Prisma.sql`(${document}.scope_id = ANY(${scopeIds}::text[]) AND (
    ${own} AND (${document}.found IS NULL OR ${document}.status IN ('queued', 'running') OR ${has(live)} OR ${inside})
    OR ${has(readable(visibility))}))`
}

const readable = ({ namespaceId, clauses, planes }: Visibility): Prisma.Sql => Prisma.sql`
  u.namespace_id = ${namespaceId} AND u.state = 'live' AND u.plane = ANY(${[...planes]}::text[])
  AND ${opened(clauses, Prisma.sql`u.scope_id`)}`
