import type { Comparison, Condition, Filter, FilterColumn, Overlap } from '../../../model/filter.ts'

import { Prisma } from '../generated/client.ts'

/** `matches` in SQL, over a `unit u` and its `acl_set a`: true, or else false or null. */
export const meets = (filter: Filter): Prisma.Sql =>
  filter.length === 0 ? Prisma.sql`TRUE` : Prisma.sql`(${Prisma.join(filter.map(meetsOne), ' AND ')})`

function meetsOne(condition: Condition): Prisma.Sql {
  switch (condition.kind) {
    case 'any':
      return Prisma.sql`(${Prisma.join(condition.of.map(meets), ' OR ')})`
    case 'not':
      return Prisma.sql`(${meets(condition.of)} IS NOT TRUE)`
    case 'overlaps':
      return overlaps(condition)
    default:
      return typeof condition.at === 'string'
        ? ofColumn(condition, columns[condition.at])
        : ofMetadata(condition, inMetadata(condition.at))
  }
}

const columns: Record<FilterColumn, Prisma.Sql> = {
  modality: Prisma.sql`u.modality`,
  plane: Prisma.sql`u.plane`,
  docId: Prisma.sql`u.doc_id`,
  externalId: Prisma.sql`u.external_id`,
  sourceUri: Prisma.sql`u.source_uri`,
  mime: Prisma.sql`u.mime`,
  aclOwner: Prisma.sql`a.owner`,
  createdAt: Prisma.sql`u.created_at`,
  updatedAt: Prisma.sql`u.updated_at`,
}

/** CASE, because AND guarantees no order and the cast fails on a locator of another kind. */
const overlaps = ({ tStartMs, tEndMs }: Overlap): Prisma.Sql => Prisma.sql`
  CASE WHEN u.locator ->> 'kind' = 'time_range'
    THEN (u.locator ->> 'tStartMs')::float8 <= ${tEndMs}::float8 AND (u.locator ->> 'tEndMs')::float8 >= ${tStartMs}::float8
    ELSE false END`

/** The values of a column are all of one type. A text is taken as it is: no sign in it has a meaning. */
function ofColumn(comparison: Comparison, column: Prisma.Sql): Prisma.Sql {
  switch (comparison.kind) {
    case 'exists':
      return Prisma.sql`${column} IS NOT NULL`
    case 'equals':
      return comparison.values.every((value) => typeof value === 'number')
        ? Prisma.sql`${column} = ANY(${comparison.values}::bigint[])`
        : Prisma.sql`${column} = ANY(${comparison.values.map(String)}::text[])`
    case 'within':
      return within(comparison.bounds, Prisma.sql`${column} COLLATE "C"`, Prisma.sql`${column}`, Prisma.sql`bigint`)
    case 'prefix':
      return Prisma.sql`starts_with(${column}, ${comparison.text}::text)`
    case 'contains':
      return Prisma.sql`strpos(${column}, ${comparison.text}::text) > 0`
  }
}

const signs = { gt: Prisma.sql`>`, gte: Prisma.sql`>=`, lt: Prisma.sql`<`, lte: Prisma.sql`<=` }

function within(
  bounds: Extract<Comparison, { kind: 'within' }>['bounds'],
  asText: Prisma.Sql,
  asNumber: Prisma.Sql,
  numberType: Prisma.Sql,
): Prisma.Sql {
  const found = (['gt', 'gte', 'lt', 'lte'] as const).flatMap((name) => {
    const bound = bounds[name]
    if (bound === undefined) return []
    return typeof bound === 'number'
      ? Prisma.sql`${asNumber} ${signs[name]} ${bound}::${numberType}`
      : Prisma.sql`${asText} ${signs[name]} ${bound}::text`
  })
  return Prisma.join(found, ' AND ')
}

/** Only objects have keys as text: a path does not lead into lists. */
export const inMetadata = (path: readonly string[]): Prisma.Sql =>
  path.reduce((value, key) => Prisma.sql`${value} -> ${key}::text`, Prisma.sql`u.metadata`)

/** `holds` in SQL. A jsonb list contains each of its scalars, and a scalar contains itself. */
function ofMetadata(comparison: Comparison, value: Prisma.Sql): Prisma.Sql {
  switch (comparison.kind) {
    case 'exists':
      return Prisma.sql`jsonb_typeof(${value}) <> 'null'`
    case 'equals': {
      const [first, ...more] = comparison.values.map((wanted) => JSON.stringify(wanted))
      return more.length === 0
        ? Prisma.sql`${value} @> ${first}::jsonb`
        : Prisma.sql`${value} @> ANY(${[first, ...more]}::text[]::jsonb[])`
    }
    case 'within': {
      const isNumber = Object.values(comparison.bounds).some((bound) => typeof bound === 'number')
      const bounds = within(
        comparison.bounds,
        Prisma.sql`(e.one #>> '{}') COLLATE "C"`,
        Prisma.sql`(e.one #>> '{}')::float8`,
        Prisma.sql`float8`,
      )
      return someElement(value, isNumber ? Prisma.sql`'number'` : Prisma.sql`'string'`, bounds)
    }
    case 'prefix':
      return someElement(value, Prisma.sql`'string'`, Prisma.sql`starts_with(e.one #>> '{}', ${comparison.text}::text)`)
    case 'contains':
      return Prisma.sql`CASE jsonb_typeof(${value})
        WHEN 'string' THEN strpos(${value} #>> '{}', ${comparison.text}::text) > 0
        WHEN 'array' THEN ${value} @> ${JSON.stringify(comparison.text)}::jsonb END`
  }
}

/** CASE, because AND guarantees no order and a cast fails on a value of another type. */
const someElement = (value: Prisma.Sql, type: Prisma.Sql, test: Prisma.Sql): Prisma.Sql => Prisma.sql`
  EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(${value}) WHEN 'array' THEN ${value} ELSE jsonb_build_array(${value}) END) e(one)
    WHERE CASE WHEN jsonb_typeof(e.one) = ${type} THEN ${test} ELSE false END)`
