import type { DocumentRecord, DocumentStatus, FoundVersion } from '../../../model/document.ts'
import { type Acl, type Metadata, modalities, type Plane } from '../../../model/unit.ts'
import { bool, bytes, integer, json, oneOf, orNull, type Row, text, texts, word } from '../database/columns.ts'
import { type Db, toFloats } from '../database/db.ts'
import { Prisma } from '../generated/client.ts'
import { documentRuns, type HeldRun, toRecord } from './document-records.ts'
import type { Head } from './head.ts'
import { select } from './select.ts'
import type { Visibility } from './select-units.ts'
import { visible } from './select-units.ts'
import { purgeSourcesOf } from './sources.ts'
import { plane, unitJoins } from './unit-columns.ts'

/** A document as one reader sees it. */
export interface SeenDocument {
  record: DocumentRecord
  scope: string
  /** The reader wrote it. */
  own: boolean
  /** Live Units of it that the reader may read. */
  units: number
  /** Whether the reader sees its parent too. */
  seesParent: boolean
}

export interface DocumentFilter {
  ids?: readonly string[] | undefined
  status?: DocumentStatus | undefined
  docIds?: readonly string[] | undefined
  docIdPrefix?: string | undefined
}

export interface UploadedSource {
  id: string
  uri: string
  mime: string
  bytes: number
  sha256: string
  name: string | null
  createdAt: number
}

export function createDocumentReader(db: Db) {
  return {
    ...documentRuns(db),
    /**
     * By docId. The writer sees its own documents, others those with a live Unit that they may read, as they are found.
     * A document whose version was found and that has no live Unit left is gone, unless another version is coming.
     */
    list: async (
      visibility: Visibility,
      principalId: string,
      filter: DocumentFilter,
      { cursor, limit }: { cursor: number; limit: number },
    ): Promise<SeenDocument[]> => {
      const { namespaceId } = visibility
      const sees = (document: Prisma.Sql, own: Prisma.Sql) => seen(visibility, document, own)
      const own = Prisma.sql`d.writer = ${principalId}`
      const rows = await select(db, { document_id: text, path: text, own: bool, sees_parent: bool, units: integer })`
        SELECT page.document_id, page.path, page.own,
          coalesce((SELECT ${sees(Prisma.sql`p`, Prisma.sql`p.writer = ${principalId}`)} FROM ingested_document p
            WHERE p.namespace_id = ${namespaceId} AND p.document_id = page.parent_id), false) AS sees_parent,
          (SELECT count(*)::int FROM ${unitsOf(Prisma.sql`${namespaceId}`, Prisma.sql`page.document_id`)}
            WHERE ${visible(visibility)}) AS units
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
    },
    /** The documents directly inside of this one. */
    children: async (namespaceId: string, parentId: string): Promise<DocumentRecord[]> =>
      (await db.ingestedDocument.findMany({ where: { namespaceId, parentId } })).map(toRecord),
    /** Vectors of this model in a plane, of the document's live Units, by the SHA-256 (hex) of the text. */
    vectors: async (
      namespaceId: string,
      documentId: string,
      plane: Plane,
      model: string,
    ): Promise<Map<string, Float32Array>> => {
      const rows = await select(db, { hash: text, vector: bytes })`
        SELECT encode(sha256(convert_to(u.text, 'UTF8')), 'hex') AS hash, v.vector FROM unit u
        JOIN unit_vector v ON v.namespace_id = u.namespace_id AND v.unit_id = u.unit_id AND v.model = ${model}
        WHERE u.namespace_id = ${namespaceId} AND u.document_id = ${documentId} AND u.plane = ${plane} AND u.state = 'live'
          AND u.text IS NOT NULL`
      return new Map(rows.map(({ hash, vector }) => [hash, toFloats(vector)]))
    },
    /** The uploaded source with this URI that this principal uploaded and that is not being purged. */
    source: async (namespaceId: string, uri: string, createdBy: string): Promise<UploadedSource | null> => {
      const found = await db.source.findFirst({
        where: { namespaceId, uri, createdBy, purgeRequestedAt: null },
        select: { id: true, uri: true, mime: true, bytes: true, sha256: true, name: true, createdAt: true },
      })
      return found && { ...found, createdAt: Number(found.createdAt) }
    },
  }
}

/** Levels of documents inside of documents, with one to spare. */
const maxLevels = 6

/** Writes of documents, under the head row of their namespace. */
export function createDocumentWriter(db: Db, head: Head) {
  const namespaceId = head.namespace.id

  const read = async (where: Prisma.IngestedDocumentWhereInput): Promise<DocumentRecord[]> =>
    (await db.ingestedDocument.findMany({ where: { ...where, namespaceId }, orderBy: { docId: 'asc' } })).map(toRecord)

  const get = (documentIds: readonly string[]) => read({ documentId: { in: [...documentIds] } })

  const having = async (documentIds: readonly string[], units: Prisma.UnitWhereInput): Promise<Set<string>> => {
    const rows = await db.unit.findMany({
      where: { ...units, namespaceId, documentId: { in: [...documentIds] } },
      distinct: ['documentId'],
      select: { documentId: true },
    })
    return new Set(rows.flatMap(({ documentId }) => documentId ?? []))
  }

  const withUnits = async (documentIds: readonly string[], levels = maxLevels): Promise<Set<string>> => {
    const live = await having(documentIds, { state: 'live', scope: { deletedAt: null } })
    if (documentIds.length === live.size || levels === 0) return live
    const emptied = await having(documentIds, { state: { not: 'purged' } })
    const children = await read({ parentId: { in: documentIds.filter((id) => !emptied.has(id)) } })
    const found = await withUnits(
      children.map(({ documentId }) => documentId),
      levels - 1,
    )
    for (const child of children) {
      if (
        child.parentId !== null &&
        (child.status === 'queued' || child.status === 'running' || child.found === null || found.has(child.documentId))
      )
        live.add(child.parentId)
    }
    return live
  }

  return {
    find: (scopeId: string, writer: string, docIds: readonly string[]): Promise<DocumentRecord[]> =>
      read({ scopeId, writer, docId: { in: [...docIds] } }),
    get,

    /** These and the documents inside them, at every level. */
    withChildren: async (documentIds: readonly string[]): Promise<DocumentRecord[]> => {
      const all = await get(documentIds)
      let level = all
      for (let depth = 0; level.length > 0 && depth < maxLevels; depth += 1) {
        const known = new Set(all.map(({ documentId }) => documentId))
        const inside = await read({ parentId: { in: level.map(({ documentId }) => documentId) } })
        level = inside.filter(({ documentId }) => !known.has(documentId))
        all.push(...level)
      }
      return all
    },

    /** Writes a document as it is. One that is queued may run from `dueAt` on. A run of an earlier version loses its hold. */
    put: async ({ found, documentId, namespaceId: _, ...document }: DocumentRecord, dueAt: number) => {
      const data = {
        ...document,
        dueAt,
        aclGroups: [...document.aclGroups],
        metadata: document.metadata as Prisma.InputJsonObject,
        found: found ? ({ ...found } as Prisma.InputJsonObject) : Prisma.DbNull,
        foundSourceUri: found?.sourceUri ?? null,
        // A run of what was sent before may not write any more.
        heldBy: '',
        heldUntil: 0,
      }
      await db.ingestedDocument.upsert({
        where: { namespaceId_documentId: { namespaceId, documentId } },
        create: { ...data, namespaceId, documentId },
        update: data,
      })
    },

    /** Makes this the version whose Units are found, with text that is due then, or with all of it. The run continues. */
    setFound: async (documentId: string, found: FoundVersion, textDueAt: number | null) => {
      await db.ingestedDocument.update({
        where: { namespaceId_documentId: { namespaceId, documentId } },
        data: {
          found: { ...found } as Prisma.InputJsonObject,
          foundSourceUri: found.sourceUri,
          mime: found.mime,
          force: false,
          textDueAt,
        },
      })
    },

    /** Whether the run may still write, and the document as it is now. Locks the row. */
    held: async ({ documentId, version, holder }: HeldRun) => {
      const { count } = await db.ingestedDocument.updateMany({
        where: { namespaceId, documentId, version, heldBy: holder },
        data: { heldBy: holder },
      })
      return count > 0
    },

    remove: async (documentIds: readonly string[]) => {
      // Their names go from the database's files, too.
      head.purged ||= documentIds.length > 0
      await db.ingestedDocument.deleteMany({ where: { namespaceId, documentId: { in: [...documentIds] } } })
    },
    /** Purges these sources where nothing names them any more. Returns those that it purges. */
    purgeSources: (uris: readonly string[], writer: string, now: number): Promise<string[]> =>
      purgeSourcesOf(db, head, writer, uris, now),
    /** Those that are not purged, in ingest order. */
    units: async (documentId: string): Promise<DocumentUnit[]> => {
      const rows = await select(db, columns)`
        SELECT u.unit_id AS "unitId", u.state, u.scope_id AS "scopeId", u.external_id AS "externalId", u.plane, u.modality,
          u.source_uri AS "sourceUri", u.source_by_writer IS NOT FALSE AS "sourceByWriter", a.owner, a.groups, u.metadata, u.title, coalesce(u.content_hash, '') AS "contentHash", u.embed_pending AS "embedPending",
          encode(sha256(convert_to(u.text, 'UTF8')), 'hex') AS "textHash"
        FROM unit u JOIN acl_set a ON a.namespace_id = u.namespace_id AND a.id = u.acl_set_id
        WHERE u.namespace_id = ${namespaceId} AND u.document_id = ${documentId} AND u.state <> 'purged' ORDER BY u.ordinal`
      return rows.map(({ owner, groups, ...unit }) => ({ ...unit, acl: { owner, groups } }))
    },

    /** Makes these Units those of the document. */
    take: async (documentId: string, unitIds: readonly string[]) => {
      await db.unit.updateMany({
        where: {
          namespaceId,
          unitId: { in: [...unitIds] },
          OR: [{ documentId: null }, { documentId: { not: documentId } }],
        },
        data: { documentId },
      })
    },

    /** Those of these documents that have a live Unit, and those without Units that have such documents inside. */
    withUnits: (documentIds: readonly string[]): Promise<ReadonlySet<string>> => withUnits(documentIds),
  }
}

function conditions({ ids, status, docIds, docIdPrefix }: DocumentFilter, own: Prisma.Sql): Prisma.Sql[] {
  const found = [Prisma.sql`true`]
  if (ids !== undefined) found.push(Prisma.sql`d.document_id = ANY(${[...ids]}::text[])`)
  // To everyone but its writer, a document is ready.
  if (status !== undefined) found.push(Prisma.sql`CASE WHEN ${own} THEN d.status ELSE 'ready' END = ${status}`)
  if (docIds !== undefined) found.push(Prisma.sql`d.doc_id = ANY(${[...docIds]}::text[])`)
  if (docIdPrefix !== undefined) found.push(Prisma.sql`starts_with(d.doc_id, ${docIdPrefix}::text)`)
  return found
}

/**
 * The Units `u` of a document, with the rows they need. OFFSET 0 keeps it apart: where a few documents have most Units, the
 * planner joined all Units of the namespace with each scope and set of readers.
 */
const unitsOf = (namespaceId: Prisma.Sql, documentId: Prisma.Sql): Prisma.Sql =>
  unitJoins(
    Prisma.sql`(SELECT * FROM unit WHERE namespace_id = ${namespaceId} AND document_id = ${documentId} OFFSET 0)`,
  )

/** Whether a reader sees the `document`, which is an alias of `ingested_document`. */
function seen(visibility: Visibility, document: Prisma.Sql, own: Prisma.Sql): Prisma.Sql {
  const { clauses, planes } = visibility
  const scopeIds = clauses.flatMap((clause) => clause.scopeIds)
  const has = (condition: Prisma.Sql) => Prisma.sql`EXISTS (SELECT
    FROM ${unitsOf(Prisma.sql`${document}.namespace_id`, Prisma.sql`${document}.document_id`)} WHERE ${condition})`
  const live = Prisma.sql`u.state = 'live' AND u.plane = ANY(${[...planes]}::text[])`
  // A file may hold nothing but attachments: it is there while one of them is.
  const inside = Prisma.sql`NOT ${has(Prisma.sql`u.state <> 'purged'`)} AND EXISTS (SELECT FROM ingested_document c
    WHERE c.namespace_id = ${document}.namespace_id AND c.parent_id = ${document}.document_id AND (c.found IS NULL OR c.status IN ('queued', 'running')
      OR EXISTS (SELECT FROM unit u WHERE u.namespace_id = c.namespace_id AND u.document_id = c.document_id AND ${live})))`
  return Prisma.sql`(${document}.scope_id = ANY(${scopeIds}::text[]) AND (
    ${own} AND (${document}.found IS NULL OR ${document}.status IN ('queued', 'running') OR ${has(live)} OR ${inside})
    OR ${has(visible(visibility))}))`
}

const columns = {
  unitId: text,
  state: word(oneOf(['live', 'tombstoned'] as const, 'a state of a Unit that can be changed')),
  scopeId: text,
  externalId: orNull(text),
  plane,
  modality: word(oneOf(modalities, 'a modality')),
  sourceUri: orNull(text),
  sourceByWriter: bool,
  owner: text,
  groups: texts,
  metadata: json<Metadata>(),
  title: orNull(text),
  contentHash: text,
  embedPending: bool,
  textHash: orNull(text),
}

/** A Unit of a document, live or tombstoned. `textHash` is the SHA-256 of its text, hex. */
export type DocumentUnit = Omit<Row<typeof columns>, 'owner' | 'groups'> & { acl: Acl }

export type DocumentReader = ReturnType<typeof createDocumentReader>
