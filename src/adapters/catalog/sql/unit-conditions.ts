import type { ReadClause, Reader } from '../../../model/acl.ts'
import type { MetadataCondition, SearchFilters } from '../../../model/search.ts'
import type { Moment } from '../../../model/session.ts'
import type { Plane } from '../../../model/unit.ts'

import { Prisma } from '../generated/client.ts'

/** What a read may see: the scopes and planes that the session opened, each with the readers that count there. */
export interface Visibility {
  namespaceId: string
  clauses: readonly ReadClause[]
  planes: readonly Plane[]
  /** The state that these rights were read in. A read may answer from it for a short while. */
  asOf?: Moment | undefined
}

/** `mayRead` in SQL, over an `acl_set a`. */
function readable(reader: Reader): Prisma.Sql {
  if (reader === 'unlimited') return Prisma.sql`TRUE`
  const opens = ({ principalId, groups }: Omit<typeof reader, 'also'>) =>
    Prisma.sql`(a.owner = ${principalId} OR ${shares([...groups, '*'])})`
  return reader.also ? Prisma.sql`(${opens(reader)} AND ${opens(reader.also)})` : opens(reader)
}

/** `&&` compares each with each; `= ANY` of many values hashes them once. */
const shares = (groups: string[]): Prisma.Sql =>
  groups.length <= 16
    ? Prisma.sql`a.groups && ${groups}::text[]`
    : Prisma.sql`EXISTS (SELECT FROM unnest(a.groups) AS named WHERE named = ANY(${groups}::text[]))`

/** Whether the clauses allow reading an `acl_set a` in the scope of a column. */
export const opened = (clauses: readonly ReadClause[], scopeId: Prisma.Sql): Prisma.Sql =>
  inScopes(clauses, scopeId, readable)

/** Whether the scope of a column is in the clauses, but they do not allow reading its `acl_set a`. */
export const closed = (clauses: readonly ReadClause[], scopeId: Prisma.Sql): Prisma.Sql =>
  inScopes(clauses, scopeId, (reader) => Prisma.sql`NOT ${readable(reader)}`)

function inScopes(
  clauses: readonly ReadClause[],
  scopeId: Prisma.Sql,
  condition: (reader: Reader) => Prisma.Sql,
): Prisma.Sql {
  if (clauses.length === 0) return Prisma.sql`FALSE`
  const either = clauses.map(
    ({ reader, scopeIds }) => Prisma.sql`${scopeId} = ANY(${[...scopeIds]}::text[]) AND ${condition(reader)}`,
  )
  return Prisma.sql`(${Prisma.join(either, ' OR ')})`
}

/** The condition of every read of Units, over `unitJoins`. */
export const visible = ({ namespaceId, clauses, planes }: Visibility): Prisma.Sql => Prisma.sql`
  u.namespace_id = ${namespaceId} AND u.state = 'live'
  AND u.plane = ANY(${[...planes]}::text[]) AND ${opened(clauses, Prisma.sql`u.scope_id`)}`

/** `matches` in SQL, over a `unit u` and its `acl_set a`. */
export function meets(filters: SearchFilters): Prisma.Sql {
  const { createdAfter, createdBefore, metadata, timeRange } = filters
  const found = [
    ...oneOf(Prisma.sql`u.modality`, filters.modality),
    ...oneOf(Prisma.sql`u.doc_id`, filters.docId),
    ...oneOf(Prisma.sql`u.external_id`, filters.externalId),
    ...oneOf(Prisma.sql`u.source_uri`, filters.sourceUri),
    ...oneOf(Prisma.sql`u.mime`, filters.mime),
    ...oneOf(Prisma.sql`a.owner`, filters.aclOwner),
  ]
  if (createdAfter !== undefined) found.push(Prisma.sql`u.created_at >= ${createdAfter}::bigint`)
  if (createdBefore !== undefined) found.push(Prisma.sql`u.created_at <= ${createdBefore}::bigint`)
  if (timeRange !== undefined) found.push(overlaps(timeRange))
  for (const [key, condition] of Object.entries(metadata ?? {})) found.push(metadataCondition(key, condition))
  return found.length === 0 ? Prisma.sql`TRUE` : Prisma.join(found, ' AND ')
}

const oneOf = (column: Prisma.Sql, values: readonly string[] | undefined): Prisma.Sql[] =>
  values === undefined ? [] : [Prisma.sql`${column} = ANY(${[...values]}::text[])`]

/** CASE, because AND guarantees no order and the cast fails on a locator of another kind. */
const overlaps = ({ tStartMs, tEndMs }: NonNullable<SearchFilters['timeRange']>): Prisma.Sql => Prisma.sql`
  CASE WHEN u.locator ->> 'kind' = 'time_range'
    THEN (u.locator ->> 'tStartMs')::float8 <= ${tEndMs}::float8 AND (u.locator ->> 'tEndMs')::float8 >= ${tStartMs}::float8
    ELSE false END`

/** `matchesMetadata` in SQL. A jsonb array contains each of its strings, and a scalar contains itself. */
export function metadataCondition(key: string, condition: MetadataCondition): Prisma.Sql {
  const value = Prisma.sql`u.metadata -> ${key}::text`
  if (typeof condition === 'object' && 'length' in condition) {
    const alternatives = condition.map((c) => Prisma.sql`${value} @> ${JSON.stringify(c)}::jsonb`)
    return Prisma.sql`(${Prisma.join(alternatives, ' OR ')})`
  }
  if (typeof condition !== 'object') return Prisma.sql`${value} @> ${JSON.stringify(condition)}::jsonb`
  const number = Prisma.sql`(u.metadata ->> ${key}::text)::float8`
  const bounds = [Prisma.sql`true`]
  if (condition.gte !== undefined) bounds.push(Prisma.sql`${number} >= ${condition.gte}::float8`)
  if (condition.lte !== undefined) bounds.push(Prisma.sql`${number} <= ${condition.lte}::float8`)
  // CASE, because AND guarantees no order and the cast fails on a value that is not a number.
  return Prisma.sql`CASE WHEN jsonb_typeof(${value}) = 'number' THEN ${Prisma.join(bounds, ' AND ')} ELSE false END`
}
