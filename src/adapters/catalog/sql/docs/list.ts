import type { Doc } from '../../../../model/doc.ts'
import type { Listed, PageRange } from '../../../../model/page.ts'
import { documentTitle } from '../../../../model/title.ts'
import { type Metadata, modalities, planes } from '../../../../model/unit.ts'
import type { DocFilter } from '../../../../ports/catalog/doc-reader.ts'
import type { Visibility } from '../../../../ports/catalog/visibility.ts'
import { allOrNull, bigint, integer, json, orNull, text, texts } from '../../database/columns.ts'
import type { Db } from '../../database/db.ts'
import { Prisma } from '../../generated/client.ts'
import { select } from '../select.ts'
import { meets } from '../units/filters.ts'
import { unitJoins } from '../units/rows.ts'
import { visible } from '../units/visibility.ts'

/** Identifies a document among Units: its docId, or the id of a Unit that is one of its own. */
interface DocKey {
  doc_id: string | null
  own: string | null
}

const own = Prisma.sql`CASE WHEN u.doc_id IS NULL THEN u.unit_id END`

/** Finds the page first and sums up its documents alone: most documents are on other pages. */
export async function listDocs(
  db: Db,
  visibility: Visibility,
  { prefix, filters }: DocFilter,
  { cursor, limit }: PageRange,
): Promise<Listed<Doc>> {
  const named = prefix === undefined ? Prisma.sql`TRUE` : Prisma.sql`starts_with(u.doc_id, ${prefix}::text)`
  const rows = await select(db, { ...allOrNull({ doc_id: text, own: text, first: bigint }), count: integer })`
    WITH seen AS MATERIALIZED (
      SELECT u.doc_id, ${own} AS own, min(u.ordinal) AS first
      FROM ${unitJoins(Prisma.sql`unit`)} WHERE ${visible(visibility)} AND ${named}
      GROUP BY 1, 2 HAVING bool_or(${meets(filters)}))
    SELECT page.doc_id, page.own, page.first, whole.count
    FROM (SELECT count(*)::int AS count FROM seen) whole
    LEFT JOIN (SELECT * FROM seen ORDER BY first DESC OFFSET ${cursor} LIMIT ${limit}) page ON TRUE
    ORDER BY page.first DESC`
  const keys = rows.filter(({ first }) => first !== null)
  const docs = await sumUp(db, visibility, keys)
  const byKey = new Map(docs.map((doc) => [doc.docId ?? doc.unitId, doc]))
  return {
    // One that vanished between the two statements is left out.
    items: keys.flatMap(({ doc_id, own }) => byKey.get(doc_id ?? own ?? '') ?? []),
    count: rows[0]?.count ?? 0,
  }
}

export async function getDoc(db: Db, visibility: Visibility, docId: string): Promise<Doc | null> {
  const [doc] = await sumUp(db, visibility, [{ doc_id: docId, own: null }])
  return doc ?? null
}

/** UTF-16 units of a title from a text at most; a character takes two at most. */
const startOfText = 160

async function sumUp(db: Db, visibility: Visibility, keys: readonly DocKey[]): Promise<Doc[]> {
  if (keys.length === 0) return []
  const docIds = keys.flatMap(({ doc_id }) => doc_id ?? [])
  const unitIds = keys.flatMap(({ doc_id, own }) => (doc_id === null && own !== null ? own : []))
  const rows = await select(db, columns)`
    WITH docs AS MATERIALIZED (
      SELECT (array_agg(u.unit_id ORDER BY u.ordinal))[1] AS first, count(*)::int AS units,
        array_agg(DISTINCT s.path ORDER BY s.path) AS scopes, array_agg(DISTINCT u.plane) AS planes,
        array_agg(DISTINCT u.modality) AS modalities, min(u.created_at) AS created, max(u.updated_at) AS updated
      FROM ${unitJoins(Prisma.sql`unit`)}
      WHERE (u.doc_id = ANY(${docIds}::text[]) OR u.doc_id IS NULL AND u.unit_id = ANY(${unitIds}::text[]))
        AND ${visible(visibility)}
      GROUP BY u.doc_id, ${own})
    SELECT u.unit_id, u.doc_id, u.external_id, u.title, u.metadata, left(u.text, ${startOfText}) AS start, u.mime,
      u.source_uri, d.units, d.scopes, d.planes, d.modalities, d.created, d.updated
    FROM docs d JOIN unit u ON u.namespace_id = ${visibility.namespaceId} AND u.unit_id = d.first`
  return rows.map((row) => ({
    docId: row.doc_id,
    unitId: row.unit_id,
    title: documentTitle({
      unitId: row.unit_id,
      title: row.title,
      metadata: row.metadata,
      docId: row.doc_id,
      externalId: row.external_id,
      text: row.start,
    }),
    scopes: row.scopes,
    planes: planes.filter((plane) => row.planes.includes(plane)),
    modalities: modalities.filter((modality) => row.modalities.includes(modality)),
    mime: row.mime,
    sourceUri: row.source_uri,
    units: row.units,
    createdAt: row.created,
    updatedAt: row.updated,
  }))
}

const columns = {
  unit_id: text,
  doc_id: orNull(text),
  external_id: orNull(text),
  title: orNull(text),
  metadata: json<Metadata>(),
  start: orNull(text),
  mime: orNull(text),
  source_uri: orNull(text),
  units: integer,
  scopes: texts,
  planes: texts,
  modalities: texts,
  created: bigint,
  updated: bigint,
}
