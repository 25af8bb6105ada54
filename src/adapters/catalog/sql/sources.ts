import type { Namespace } from '../../../model/registry.ts'
import { type Metadata, type Modality, picturedModalities } from '../../../model/unit.ts'

import { bool, integer, oneOf, text } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toTier } from '../database/words.ts'
import { Prisma } from '../generated/client.ts'
import type { Head } from './head.ts'
import { select } from './select.ts'

/** Who made a link, and with which key: null for a console session and the super-admin. */
interface MadeBy {
  principalId: string
  keyHash: string | null
}

/** A link that takes the bytes of a source, as it is stored: without its secret. */
export interface UploadRow extends MadeBy {
  /** SHA-256 of the secret, hex. */
  hash: string
  bytes: number
  /** Hex; null if the uploader did not say it. */
  sha256: string | null
  mime: string | null
  name: string | null
  /** Epoch milliseconds. */
  expiresAt: number
}

export type Rendition = 'original' | 'text'

/** A link to the source of a Unit, as it is stored. */
export interface SourceLinkRow extends MadeBy {
  hash: string
  unitId: string
  sourceId: string
  rendition: Rendition
  /** Of the rendition. */
  bytes: number
  sha256: string
  expiresAt: number
}

/** An upload that has ended, and what it left. */
export interface EndedUpload {
  hash: string
  namespaceId: string
  /** Ids under which bytes may be stored that are not a source. */
  leftovers: string[]
}

/** What the bytes are. */
export interface ContentType {
  type: string
  /** IANA name of a text's encoding; null for what is not text. */
  charset: string | null
}

export interface SourceRow {
  id: string
  /** The reference that Units use. */
  uri: string
  /** What the uploader said. */
  mime: string
  bytes: number
  sha256: string
  createdBy: string
  createdAt: number
  name: string | null
  /** Null where nobody has looked yet. */
  content: ContentType | null
  /** The hash of the key that uploaded it. */
  uploadedWith: string | null
  /** It came by an upload link. */
  byLink: boolean
}

export interface StoredSource extends Pick<SourceRow, 'id' | 'uri' | 'bytes' | 'sha256' | 'name'> {
  /** Null for a source that was stored before the content was looked at. */
  content: ContentType | null
}

export interface SourcePlace {
  namespaceId: string
  id: string
}

/** `purged`: bytes of rows are to be removed from the database's files. */
export function createSourceReader(db: Db, purged: () => void) {
  return {
    /** The source that a live Unit opens: one that the Unit's writer uploaded, and named in the Unit. */
    ofUnit: async (namespaceId: string, unitId: string): Promise<StoredSource | null> =>
      (await openedBy(db, namespaceId, unitId))?.source ?? null,
    /** The same for a Unit that is a picture, with the page of the source that it stands for. */
    pictureOf: async (
      namespaceId: string,
      unitId: string,
    ): Promise<{ source: StoredSource; page: number | null } | null> => {
      const found = await openedBy(db, namespaceId, unitId)
      return found && picturedModalities.has(found.modality as Modality) ? found : null
    },
    /** A source that this principal uploaded. */
    own: async (namespaceId: string, uri: string, createdBy: string): Promise<StoredSource | null> => {
      const found = await db.source.findFirst({ where: { namespaceId, uri, createdBy, purgeRequestedAt: null } })
      return found && toStored(found)
    },
    setContent: async (namespaceId: string, id: string, content: ContentType) => {
      await db.source.update({ where: { namespaceId_id: { namespaceId, id } }, data: content })
    },
    /**
     * Looks at sources that nothing names, from a place on (null: the beginning), and notes since when. Returns those
     * that have been so since `since`, all of deleted namespaces, and the next place: null at the end.
     */
    unnamed: async (
      after: SourcePlace | null,
      limit: number,
      { now, since }: { now: number; since: number },
    ): Promise<{ due: SourcePlace[]; next: SourcePlace | null }> => {
      const from = after ? Prisma.sql`AND (namespace_id, id) > (${after.namespaceId}, ${after.id})` : Prisma.empty
      const rows = await select(db, { namespaceId: text, id: text, due: bool })`
        WITH page AS MATERIALIZED (
          SELECT namespace_id, id, unnamed_since, ${isDeserted} AS deserted, NOT ${isDeserted} AND ${isNamed} AS named FROM source
          WHERE purge_requested_at IS NULL ${from} ORDER BY namespace_id, id LIMIT ${limit}),
        noted AS (
          UPDATE source SET unnamed_since = CASE WHEN page.named THEN NULL ELSE ${now}::bigint END
          FROM page WHERE source.namespace_id = page.namespace_id AND source.id = page.id
            AND page.named = (page.unnamed_since IS NOT NULL))
        SELECT namespace_id AS "namespaceId", id, deserted OR NOT named AND coalesce(unnamed_since <= ${since}::bigint, false) AS due
        FROM page ORDER BY namespace_id, id`
      const last = rows.at(-1)
      return {
        due: rows.filter(({ due }) => due).map(({ namespaceId, id }) => ({ namespaceId, id })),
        next: last && rows.length === limit ? { namespaceId: last.namespaceId, id: last.id } : null,
      }
    },
    /** Sources whose bytes must still be removed. */
    awaitingPurge: (limit: number): Promise<SourcePlace[]> =>
      db.source.findMany({
        where: { purgeRequestedAt: { not: null }, purgedAt: null },
        select: { namespaceId: true, id: true },
        take: limit,
      }),
    markPurged: async (namespaceId: string, id: string, now: number) => {
      // The name of a file may tell as much as the file.
      await db.source.update({ where: { namespaceId_id: { namespaceId, id } }, data: { purgedAt: now, name: null } })
      purged()
    },
  }
}

async function openedBy(db: Db, namespaceId: string, unitId: string) {
  const unit = await db.unit.findUnique({
    where: { namespaceId_unitId: { namespaceId, unitId }, state: 'live' },
    select: { sourceUri: true, writer: true, sourceByWriter: true, modality: true, metadata: true },
  })
  if (!unit?.sourceUri || unit.sourceByWriter === false) return null
  const found = await db.source.findFirst({
    where: { namespaceId, uri: unit.sourceUri, createdBy: unit.writer, purgeRequestedAt: null },
  })
  const { page } = unit.metadata as Metadata
  const number = typeof page === 'number' && Number.isInteger(page) && page > 0 ? page : null
  return found && { source: toStored(found), modality: unit.modality, page: number }
}

interface Found extends Omit<StoredSource, 'content'> {
  type: string | null
  charset: string | null
}

const toStored = ({ id, uri, bytes, sha256, name, type, charset }: Found): StoredSource => ({
  ...{ id, uri, bytes, sha256, name },
  content: type === null ? null : { type, charset },
})

const toRendition = oneOf(['original', 'text'] as const, 'a rendition')

export function createSourceLinks(db: Db) {
  const withNamespace = { namespace: { select: { id: true, name: true, tier: true } } }
  const toNamespace = ({ tier, ...namespace }: { id: string; name: string; tier: string }) => ({
    ...namespace,
    tier: toTier(tier),
  })
  return {
    /** Null for an unknown link, and for one that has taken its bytes. */
    upload: async (hash: string): Promise<(UploadRow & { namespace: Namespace }) | null> => {
      const row = await db.upload.findUnique({ where: { hash, sourceId: null }, include: withNamespace })
      if (row === null) return null
      const { expiresAt, namespace, principalId, keyHash, bytes, sha256, mime, name } = row
      const said = { hash, principalId, keyHash, bytes, sha256, mime, name }
      return { ...said, expiresAt: toNumber(expiresAt), namespace: toNamespace(namespace) }
    },
    /** Notes the id of the source that is begun. False for a link that has taken its bytes in the meantime. */
    beginUpload: async (hash: string, sourceId: string) => {
      const begun = { where: { hash, sourceId: null }, data: { attempts: { push: sourceId } } }
      return (await db.upload.updateMany(begun)).count > 0
    },
    /** Uploads that expired by then. */
    endedUploads: async (expiredBy: number, limit: number): Promise<EndedUpload[]> => {
      const rows = await db.upload.findMany({
        where: { expiresAt: { lte: expiredBy } },
        // Otherwise Prisma orders by the hash, which reads all of them.
        orderBy: { expiresAt: 'asc' },
        take: limit,
      })
      return rows.map(({ hash, namespaceId, attempts, sourceId }) => ({
        ...{ hash, namespaceId },
        leftovers: attempts.filter((id) => id !== sourceId),
      }))
    },
    removeUploads: async (hashes: readonly string[]) => {
      await db.upload.deleteMany({ where: { hash: { in: [...hashes] } } })
    },
    /** Null for an unknown link. `used` tells whether it was used before. */
    sourceLink: async (hash: string): Promise<(SourceLinkRow & { namespace: Namespace; used: boolean }) | null> => {
      const row = await db.sourceLink.findUnique({ where: { hash }, include: withNamespace })
      if (row === null) return null
      const { principalId, keyHash, unitId, sourceId, rendition, bytes, sha256, expiresAt, usedAt, namespace } = row
      return {
        ...{ hash, principalId, keyHash, unitId, sourceId, sha256 },
        rendition: toRendition(rendition),
        bytes: toNumber(bytes),
        expiresAt: toNumber(expiresAt),
        used: usedAt !== null,
        namespace: toNamespace(namespace),
      }
    },
    /** Removes links that expired by `now`; returns their number. */
    removeExpired: async (now: number) =>
      (await db.sourceLink.deleteMany({ where: { expiresAt: { lte: now } } })).count,
  }
}

/** Writes of links and sources, in a transaction of their namespace. */
export function createSourceWriter(db: Db, head: Head) {
  const namespaceId = head.namespace.id
  return {
    insert: async ({ content, ...source }: SourceRow) => {
      await db.source.create({ data: { ...source, ...content, unnamedSince: source.createdAt, namespaceId } })
      head.growth.bytes += source.bytes
    },
    insertUpload: async (upload: UploadRow) => {
      await db.upload.create({ data: { ...upload, namespaceId } })
    },
    /** The link has taken its bytes. False, and nothing is written, for one that has taken others in the meantime. */
    endUpload: async (hash: string, sourceId: string) => {
      // The source has the name from here on, and goes with it.
      const ended = { where: { hash, namespaceId, sourceId: null }, data: { sourceId, name: null } }
      return (await db.upload.updateMany(ended)).count > 0
    },
    insertLink: async (link: SourceLinkRow) => {
      await db.sourceLink.create({ data: { ...link, namespaceId } })
    },
    /** True for the first use of a link. */
    useLink: async (hash: string, now: number) =>
      (await db.sourceLink.updateMany({ where: { hash, namespaceId, usedAt: null }, data: { usedAt: now } })).count > 0,
    /** Those of these URIs that are sources which this principal uploaded; with a key, only those uploaded with it. */
    uploadedBy: async (principalId: string, keyHash: string | null, uris: readonly string[]): Promise<string[]> => {
      const own = { namespaceId, createdBy: principalId, uri: { in: [...uris] } }
      const where = keyHash === null ? own : { ...own, uploadedWith: keyHash }
      return (await db.source.findMany({ where, select: { uri: true } })).map(({ uri }) => uri)
    },
    /** Requests the purge of those of these sources that nothing names; returns their number. */
    purgeUnnamed: async (ids: readonly string[], now: number): Promise<number> =>
      (await requestPurge(db, head, ids, now, Prisma.sql`(${isDeserted} OR NOT ${isNamed})`)).length,
  }
}

/** Marks those of these sources that meet the condition. Returns their ids. */
async function requestPurge(
  db: Db,
  head: Head,
  sourceIds: readonly string[],
  now: number,
  condition: Prisma.Sql,
): Promise<string[]> {
  if (sourceIds.length === 0) return []
  const rows = await select(db, { id: text, bytes: integer })`
    UPDATE source SET purge_requested_at = ${now}::bigint
    WHERE namespace_id = ${head.namespace.id} AND purge_requested_at IS NULL
      AND id = ANY(${[...sourceIds]}::text[]) AND ${condition}
    RETURNING id, bytes`
  for (const { bytes } of rows) head.growth.bytes -= bytes
  return rows.map(({ id }) => id)
}

/**
 * Whether a document of its uploader needs a row of `source`: to be read, or because its Units do not name it themselves.
 */
const neededByDocument = Prisma.sql`EXISTS (SELECT FROM ingested_document d
  JOIN scope ds ON ds.namespace_id = d.namespace_id AND ds.id = d.scope_id AND ds.deleted_at IS NULL
  WHERE d.namespace_id = source.namespace_id AND d.writer = source.created_by
    AND (d.source_uri = source.uri AND d.status <> 'ready'
      OR d.found_source_uri = source.uri AND (d.found ->> 'asGiven')::boolean))`

/** Marks those of these sources that no live Unit and no document names. Returns their ids. */
export const requestSourcePurge = (db: Db, head: Head, sourceIds: readonly string[], now: number): Promise<string[]> =>
  requestPurge(
    db,
    head,
    sourceIds,
    now,
    Prisma.sql`NOT EXISTS (SELECT FROM unit u
        JOIN scope s ON s.namespace_id = u.namespace_id AND s.id = u.scope_id AND s.deleted_at IS NULL
        WHERE u.namespace_id = source.namespace_id AND u.source_uri = source.uri AND u.writer = source.created_by
          AND u.source_by_writer IS NOT FALSE AND u.state = 'live')
      AND NOT ${neededByDocument}`,
  )

/**
 * Removes those of these documents that are done and have no Unit left, not even a deleted one. Returns their sources
 * that nothing names any more.
 */
export async function removeEmptied(
  db: Db,
  head: Head,
  documentIds: readonly string[],
  now: number,
): Promise<string[]> {
  if (documentIds.length === 0) return []
  const namespaceId = head.namespace.id
  const held = await db.unit.findMany({
    where: { namespaceId, documentId: { in: [...documentIds] }, state: { not: 'purged' } },
    distinct: ['documentId'],
    select: { documentId: true },
  })
  const kept = new Set(held.map(({ documentId }) => documentId))
  const documentId = { in: documentIds.filter((id) => !kept.has(id)) }
  const done = { namespaceId, documentId, status: { in: ['ready', 'failed'] } }
  const removed = await db.ingestedDocument.findMany({
    where: done,
    select: { sourceUri: true, foundSourceUri: true, writer: true, parentId: true },
  })
  await db.ingestedDocument.deleteMany({ where: done })
  const purged: string[] = []
  for (const [writer, documents] of Map.groupBy(removed, (document) => document.writer)) {
    const uris = documents.flatMap(({ sourceUri, foundSourceUri }) => [sourceUri, foundSourceUri ?? sourceUri])
    purged.push(...(await purgeSourcesOf(db, head, writer, uris, now)))
  }
  return [...purged, ...(await removeEmptied(db, head, await withoutInside(db, namespaceId, removed), now))]
}

/** The documents that these were in, and that have nothing inside any more. */
async function withoutInside(
  db: Db,
  namespaceId: string,
  removed: readonly { parentId: string | null }[],
): Promise<string[]> {
  const parents = [...new Set(removed.flatMap(({ parentId }) => parentId ?? []))]
  if (parents.length === 0) return []
  const left = await db.ingestedDocument.findMany({
    where: { namespaceId, parentId: { in: parents } },
    distinct: ['parentId'],
    select: { parentId: true },
  })
  const held = new Set(left.map(({ parentId }) => parentId))
  return parents.filter((id) => !held.has(id))
}

/** Purges the sources of a writer with these URIs where nothing names them any more. */
export async function purgeSourcesOf(
  db: Db,
  head: Head,
  createdBy: string,
  uris: readonly string[],
  now: number,
): Promise<string[]> {
  const sources = await db.source.findMany({
    where: { namespaceId: head.namespace.id, createdBy, uri: { in: [...uris] } },
    select: { id: true },
  })
  return requestSourcePurge(
    db,
    head,
    sources.map(({ id }) => id),
    now,
  )
}

/** Whether a Unit or a document of its uploader names a row of `source`. One that was deleted softly may be restored. */
const isNamed = Prisma.sql`(EXISTS (SELECT FROM unit u
  WHERE u.namespace_id = source.namespace_id AND u.source_uri = source.uri AND u.writer = source.created_by
    AND u.source_by_writer IS NOT FALSE AND u.state <> 'purged')
  OR EXISTS (SELECT FROM ingested_document d
    WHERE d.namespace_id = source.namespace_id AND d.writer = source.created_by
      AND source.uri IN (d.source_uri, d.found_source_uri)))`

/** Whether the namespace of a row of `source` was deleted. */
const isDeserted = Prisma.sql`EXISTS (SELECT FROM namespace n
  WHERE n.id = source.namespace_id AND n.deleted_at IS NOT NULL)`

export type SourceLinks = ReturnType<typeof createSourceLinks>
export type SourceReader = ReturnType<typeof createSourceReader>
