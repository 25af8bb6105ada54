import type { Moment } from '../../../model/session.ts'
import type { Plane, ReadClause, Reader } from '../../../model/unit.ts'

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
