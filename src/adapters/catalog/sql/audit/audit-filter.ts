import type { AuditFilter } from '../../../../ports/catalog/audit-reader.ts'
import { Prisma } from '../../generated/client.ts'

/** The conditions of a filter on the rows `r` of a log. */
export function auditConditions(filter: AuditFilter): Prisma.Sql[] {
  const { action, principalId, outcome, target, requestId, after, before } = filter
  const equal = { action, principal_id: principalId, outcome, target, request_id: requestId }
  const conditions = Object.entries(equal).flatMap(([column, value]) =>
    value === undefined ? [] : [Prisma.sql`r.${Prisma.raw(column)} = ${value}`],
  )
  if (after !== undefined) conditions.push(Prisma.sql`r.time >= ${after}::bigint`)
  if (before !== undefined) conditions.push(Prisma.sql`r.time <= ${before}::bigint`)
  return conditions
}
