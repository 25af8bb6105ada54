import type { Reader } from '../../model/acl.ts'
import type { Visibility } from '../../ports/catalog.ts'
import { Prisma } from './generated/client.ts'

/** `mayRead` in SQL, over an `acl_set a`. */
export function readable(reader: Reader): Prisma.Sql {
  if (reader === 'unlimited') return Prisma.sql`TRUE`
  return Prisma.sql`(a.owner = ${reader.principalId} OR a.groups && ${[...reader.groups, '*']}::text[])`
}

/** What every read of Units is clamped to, over `unitJoins`. */
export function visible({ namespaceId, scopeIds, planes, reader }: Visibility): Prisma.Sql {
  return Prisma.sql`
    u.namespace_id = ${namespaceId} AND u.state = 'live'
    AND u.scope_id = ANY(${[...scopeIds]}::text[]) AND u.plane = ANY(${[...planes]}::text[]) AND ${readable(reader)}`
}
