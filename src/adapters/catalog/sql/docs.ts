import type { Doc, Facet, FacetField, Facets, Section } from '../../../model/doc.ts'
import { metadataPath, type UnitField } from '../../../model/field.ts'
import { type Condition, type Filter, pathOfKey } from '../../../model/filter.ts'
import type { Listed, PageRange } from '../../../model/page.ts'
import {
  documentTitle,
  type Metadata,
  type MetadataValue,
  modalities,
  type Plane,
  planes,
  readersOf,
} from '../../../model/unit.ts'
import { allOrNull, bigint, float, integer, json, orNull, text, texts } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { Prisma } from '../generated/client.ts'
import { inMetadata, meets } from './filter.ts'
import { select } from './select.ts'
import type { Visibility } from './select-units.ts'
import { visible } from './select-units.ts'
import { unitJoins } from './unit-columns.ts'

export interface DocFilter {
  /** Of the docId. */
  prefix?: string | undefined
  filters: Filter
}

export interface FacetQuestion {
  fields: readonly FacetField[]
  filters: Filter
  /** The Units' planes; all without it. */
  planes?: readonly string[] | undefined
  /** Values per field. */
  limit: number
  /** Only these Units, by id; then filters apply to all fields. */
  among?: readonly string[]
}

/** Sums over the Units that a reader may read; no other Unit has any influence. */
export const createDocReader = (db: Db) => ({
  /**
   * Those with a readable Unit that meets the filters, newest first write first. Finds the page first and sums up its documents
   * alone: most documents are on other pages.
   */
  list: async (
    visibility: Visibility,
    { prefix, filters }: DocFilter,
    { cursor, limit }: PageRange,
  ): Promise<Listed<Doc>> => {
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
  },
  /** Null without a readable Unit. */
  get: async (visibility: Visibility, docId: string): Promise<Doc | null> => {
    const [doc] = await sumUp(db, visibility, [{ doc_id: docId, own: null }])
    return doc ?? null
  },
  /** The first sections in the order of the text, as readable Units make them: an unreadable one between two does not part them. */
  sections: async (visibility: Visibility, docId: string): Promise<Section[]> => {
    const rows = await select(db, { title: orNull(text), unit_id: text, units: integer })`
    WITH ordered AS (${inOrder(visibility, docId)}),
    begun AS (SELECT *, (title IS DISTINCT FROM lag(title) OVER (ORDER BY at))::int AS begins FROM ordered),
    numbered AS (SELECT *, sum(begins) OVER (ORDER BY at) AS section FROM begun)
    SELECT title, (array_agg(unit_id ORDER BY at))[1] AS unit_id, count(*)::int AS units
    FROM numbered GROUP BY section, title ORDER BY section LIMIT ${maxSections}`
    return rows.map(({ title, unit_id, units }) => ({ title, unitId: unit_id, units }))
  },
  /** The readable Units of its document and plane next to a Unit, in the order of the text: how far before it (below 0) or after. */
  near: async (
    visibility: Visibility,
    { unitId, docId, plane }: { unitId: string; docId: string; plane: Plane },
    { before, after }: { before: number; after: number },
  ): Promise<{ unitId: string; distance: number }[]> => {
    const rows = await select(db, { unit_id: text, distance: integer })`
    WITH ordered AS MATERIALIZED (${inOrder({ ...visibility, planes: [plane] }, docId)})
    SELECT one.unit_id, (one.at - here.at)::int AS distance FROM ordered one, ordered here
    WHERE here.unit_id = ${unitId} AND one.at BETWEEN here.at - ${before}::int AND here.at + ${after}::int AND one.at <> here.at
    ORDER BY one.at`
    return rows.map(({ unit_id, distance }) => ({ unitId: unit_id, distance }))
  },
  /** A field's own filter does not apply to its facet. Counts field by field, so that no statement holds up others for long. */
  facets: async (visibility: Visibility, question: FacetQuestion): Promise<Facets> => {
    const facets: Facet[] = []
    for (const field of question.fields) facets.push(await countFacet(db, visibility, question, field))
    const found = foundUnits(visibility, question, question.filters)
    const [row] = await select(db, { count: integer, keys: texts })`
    SELECT (SELECT count(*)::int ${found}) AS count,
      ARRAY(SELECT key FROM (SELECT u.metadata ${found}) m, jsonb_object_keys(m.metadata) key
        GROUP BY key ORDER BY count(*) DESC, key COLLATE "C" LIMIT ${maxKeys}) AS keys`
    return { count: row?.count ?? 0, facets, metadataKeys: (row?.keys ?? []).map(pathOfKey) }
  },
})

/** A file has at most 10,000 Units. */
const maxSections = 10_000

/** Within a source, in the unit of its locators. */
const place = Prisma.sql`(CASE u.locator->>'kind' WHEN 'bbox' THEN u.locator->>'page'
  WHEN 'time_range' THEN u.locator->>'tStartMs' ELSE u.locator->>'start' END)::float8`

/** The readable Units of a document by source, place and first write: a new version's Units may come after old ones. */
const inOrder = (visibility: Visibility, docId: string) => Prisma.sql`
  SELECT unit_id, title, row_number() OVER (ORDER BY source, place NULLS LAST, ordinal) AS at FROM (
    SELECT u.unit_id, u.title, u.ordinal, min(u.ordinal) OVER (PARTITION BY u.source_uri) AS source, ${place} AS place
    FROM ${unitJoins(Prisma.sql`unit`)} WHERE u.doc_id = ${docId} AND ${visible(visibility)}) placed`

/** Identifies a document among Units: its docId, or the id of a Unit that is one of its own. */
interface DocKey {
  doc_id: string | null
  own: string | null
}

const own = Prisma.sql`CASE WHEN u.doc_id IS NULL THEN u.unit_id END`

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
        array_agg(DISTINCT u.modality) AS modalities, count(DISTINCT u.acl_set_id)::int AS acls, min(u.created_at) AS created, max(u.updated_at) AS updated
      FROM ${unitJoins(Prisma.sql`unit`)}
      WHERE (u.doc_id = ANY(${docIds}::text[]) OR u.doc_id IS NULL AND u.unit_id = ANY(${unitIds}::text[]))
        AND ${visible(visibility)}
      GROUP BY u.doc_id, ${own})
    SELECT u.unit_id, u.doc_id, u.external_id, u.title, u.metadata, left(u.text, ${startOfText}) AS start, u.mime,
      u.source_uri, a.owner, a.groups, d.acls, d.units, d.scopes, d.planes, d.modalities, d.created, d.updated
    FROM docs d JOIN unit u ON u.namespace_id = ${visibility.namespaceId} AND u.unit_id = d.first
    JOIN acl_set a ON a.namespace_id = u.namespace_id AND a.id = u.acl_set_id`
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
    readers: row.acls === 1 ? readersOf({ owner: row.owner, groups: row.groups }) : null,
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
  owner: text,
  groups: texts,
  acls: integer,
  units: integer,
  scopes: texts,
  planes: texts,
  modalities: texts,
  created: bigint,
  updated: bigint,
}

/** A longer value is counted under `other`: a list of such values would be megabytes long. Bytes of its JSON. */
const maxValueBytes = 512

const maxKeys = 100

const foundUnits = (
  visibility: Visibility,
  { planes, among }: Pick<FacetQuestion, 'planes' | 'among'>,
  filters: Filter,
) => {
  const open = planes === undefined ? visibility.planes : visibility.planes.filter((plane) => planes.includes(plane))
  const given = among === undefined ? Prisma.sql`TRUE` : Prisma.sql`u.unit_id = ANY(${[...among]}::text[])`
  return Prisma.sql`
    FROM ${unitJoins(Prisma.sql`unit`)} WHERE ${visible({ ...visibility, planes: open })} AND ${given} AND ${meets(filters)}`
}

/** What is counted of a list: not what is in its lists, which only a strict path leaves alone. */
const scalars = 'strict $[*] ? (@.type() == "string" || @.type() == "number" || @.type() == "boolean")'

/** Groups Units by the whole value first: of lists, there are fewer than Units. */
async function countFacet(db: Db, visibility: Visibility, question: FacetQuestion, field: FacetField): Promise<Facet> {
  const found = { ...question, planes: field === 'plane' ? undefined : question.planes }
  const filters = question.among ? question.filters : withoutOwn(question.filters, field)
  const rows = await select(db, facetColumns)`
    WITH grouped AS MATERIALIZED (
      SELECT to_jsonb(field) AS value, units FROM (
        SELECT ${fieldOf(field)} AS field, count(*)::int AS units
        ${foundUnits(visibility, found, filters)} GROUP BY 1) g),
    counted AS MATERIALIZED (
      SELECT value, sum(units)::int AS count FROM (
        SELECT value, units FROM grouped WHERE jsonb_typeof(value) IN ('string', 'number', 'boolean')
        UNION ALL
        SELECT item, units FROM grouped, LATERAL (
          SELECT DISTINCT item FROM jsonb_array_elements(CASE WHEN jsonb_typeof(value) = 'array' THEN value ELSE '[]' END) item
          WHERE jsonb_typeof(item) IN ('string', 'number', 'boolean')) i
        ) v
      GROUP BY value),
    numbers AS (SELECT (value #>> '{}')::float8 AS number FROM counted WHERE jsonb_typeof(value) = 'number')
    SELECT top.value, top.count, coalesce((SELECT sum(count)::int FROM counted), 0) AS total,
      coalesce((SELECT sum(units)::int FROM grouped WHERE NOT jsonb_path_exists(
        CASE WHEN jsonb_typeof(value) = 'array' THEN value ELSE jsonb_build_array(value) END, ${scalars}::jsonpath)), 0) AS missing,
      (SELECT min(number) FROM numbers) AS min, (SELECT max(number) FROM numbers) AS max
    FROM (SELECT 1) one LEFT JOIN (
      SELECT value::text AS value, count, row_number() OVER (${byCount}) AS place FROM counted
      WHERE octet_length(value::text) <= ${maxValueBytes} ORDER BY place LIMIT ${question.limit}) top ON TRUE
    ORDER BY top.place`
  const [{ total = 0, missing = 0, min = null, max = null } = {}] = rows
  const values = rows.flatMap(({ value, count }) =>
    value === null || count === null ? [] : [{ value: JSON.parse(value) as MetadataValue, count }],
  )
  const listed = values.reduce((sum, { count }) => sum + count, 0)
  return { field, values, other: total - listed, missing, min, max }
}

const facetColumns = {
  value: orNull(text),
  count: orNull(integer),
  total: integer,
  missing: integer,
  min: orNull(float),
  max: orNull(float),
}

/** Numbers by size, texts by code point. */
const byCount = Prisma.sql`
  ORDER BY count DESC, jsonb_typeof(value),
    CASE WHEN jsonb_typeof(value) = 'number' THEN (value #>> '{}')::numeric END, (value #>> '{}') COLLATE "C"`

/** Over `unitJoins`. */
export function fieldOf(field: UnitField): Prisma.Sql {
  switch (field) {
    case 'plane':
      return Prisma.sql`u.plane`
    case 'modality':
      return Prisma.sql`u.modality`
    case 'scope':
      return Prisma.sql`s.path`
    case 'createdAt':
      return Prisma.sql`u.created_at`
    case 'updatedAt':
      return Prisma.sql`u.updated_at`
    case 'docId':
      return Prisma.sql`u.doc_id`
    case 'mime':
      return Prisma.sql`u.mime`
    default:
      return inMetadata(metadataPath(field) ?? [])
  }
}

/** Otherwise a chosen value would hide the other values that can be chosen. */
function withoutOwn(filter: Filter, field: FacetField): Filter {
  const own = JSON.stringify(metadataPath(field) ?? field)
  const isOwn = (condition: Condition): boolean => {
    if (condition.kind === 'any') return condition.of.flat().every(isOwn)
    if (condition.kind === 'not') return condition.of.every(isOwn)
    return 'at' in condition && JSON.stringify(condition.at) === own
  }
  return filter.filter((condition) => !isOwn(condition))
}

export type DocReader = ReturnType<typeof createDocReader>
