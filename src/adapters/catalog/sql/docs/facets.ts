import type { Facet, FacetField, Facets } from '../../../../model/doc.ts'
import type { SearchFilters } from '../../../../model/search.ts'
import type { MetadataValue } from '../../../../model/unit.ts'
import type { FacetQuestion } from '../../../../ports/catalog/doc-reader.ts'
import type { Visibility } from '../../../../ports/catalog/visibility.ts'
import { float, integer, orNull, text, texts } from '../../database/columns.ts'
import type { Db } from '../../database/db.ts'
import { Prisma } from '../../generated/client.ts'
import { select } from '../select.ts'
import { meets } from '../units/filters.ts'
import { unitJoins } from '../units/rows.ts'
import { visible } from '../units/visibility.ts'

/** A longer value is counted under `other`: a list of such values would be megabytes long. Bytes of its JSON. */
const maxValueBytes = 512

const maxKeys = 100

/** Counts field by field, so that no statement holds up those of others for long. */
export async function countFacets(db: Db, visibility: Visibility, question: FacetQuestion): Promise<Facets> {
  const facets: Facet[] = []
  for (const field of question.fields) facets.push(await countFacet(db, visibility, question, field))
  const found = foundUnits(visibility, question, question.filters)
  const [row] = await select(db, { count: integer, keys: texts })`
    SELECT (SELECT count(*)::int ${found}) AS count,
      ARRAY(SELECT key FROM (SELECT u.metadata ${found}) m, jsonb_object_keys(m.metadata) key
        GROUP BY key ORDER BY count(*) DESC, key COLLATE "C" LIMIT ${maxKeys}) AS keys`
  return { count: row?.count ?? 0, facets, metadataKeys: row?.keys ?? [] }
}

const foundUnits = (visibility: Visibility, { planes }: Pick<FacetQuestion, 'planes'>, filters: SearchFilters) => {
  const open = planes === undefined ? visibility.planes : visibility.planes.filter((plane) => planes.includes(plane))
  return Prisma.sql`
    FROM ${unitJoins(Prisma.sql`unit`)} WHERE ${visible({ ...visibility, planes: open })} AND ${meets(filters)}`
}

/** Groups Units by the whole value first: of lists, there are fewer than Units. */
async function countFacet(db: Db, visibility: Visibility, question: FacetQuestion, field: FacetField): Promise<Facet> {
  const planes = field === 'plane' ? undefined : question.planes
  const rows = await select(db, columns)`
    WITH grouped AS MATERIALIZED (
      SELECT to_jsonb(field) AS value, units FROM (
        SELECT ${fieldOf(field)} AS field, count(*)::int AS units
        ${foundUnits(visibility, { planes }, withoutOwn(question.filters, field))} GROUP BY 1) g),
    counted AS MATERIALIZED (
      SELECT value, sum(units)::int AS count FROM (
        SELECT value, units FROM grouped WHERE jsonb_typeof(value) <> 'array'
        UNION ALL
        SELECT item, units FROM grouped, LATERAL (
          SELECT DISTINCT item FROM jsonb_array_elements(CASE WHEN jsonb_typeof(value) = 'array' THEN value ELSE '[]' END) item) i
        ) v
      GROUP BY value),
    numbers AS (SELECT (value #>> '{}')::float8 AS number FROM counted WHERE jsonb_typeof(value) = 'number')
    SELECT top.value, top.count, coalesce((SELECT sum(count)::int FROM counted), 0) AS total,
      coalesce((SELECT sum(units)::int FROM grouped WHERE value IS NULL OR value = '[]'), 0) AS missing,
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

const columns = {
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

function fieldOf(field: FacetField): Prisma.Sql {
  switch (field) {
    case 'plane':
      return Prisma.sql`u.plane`
    case 'modality':
      return Prisma.sql`u.modality`
    case 'scope':
      return Prisma.sql`s.path`
    case 'createdAt':
      return Prisma.sql`u.created_at`
    case 'docId':
      return Prisma.sql`u.doc_id`
    case 'mime':
      return Prisma.sql`u.mime`
    default:
      return Prisma.sql`u.metadata -> ${field.slice('metadata.'.length)}::text`
  }
}

/** Otherwise a chosen value would hide the other values that can be chosen. */
function withoutOwn(filters: SearchFilters, field: FacetField): SearchFilters {
  const { modality, docId, mime, createdAfter, createdBefore, metadata, ...rest } = filters
  const key = field.startsWith('metadata.') ? field.slice('metadata.'.length) : null
  return {
    ...rest,
    ...(modality !== undefined && field !== 'modality' && { modality }),
    ...(docId !== undefined && field !== 'docId' && { docId }),
    ...(mime !== undefined && field !== 'mime' && { mime }),
    ...(field !== 'createdAt' && {
      ...(createdAfter !== undefined && { createdAfter }),
      ...(createdBefore !== undefined && { createdBefore }),
    }),
    ...(metadata !== undefined && {
      metadata: Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== key)),
    }),
  }
}
