import type { Unit } from '../../model/unit.ts'
import type { UnitReader } from '../../ports/catalog.ts'
import type { Db } from './db.ts'
import { Prisma } from './generated/client.ts'
import { toUnit, type UnitRecord, unitColumns, unitJoins } from './rows.ts'
import { readable, visible } from './visibility.ts'

export function createUnitReader(db: Db): UnitReader {
  const select = async (where: Prisma.Sql): Promise<Unit[]> => {
    const rows = await db.$queryRaw<UnitRecord[]>`SELECT ${unitColumns} FROM ${unitJoins} WHERE ${where}`
    return rows.map(toUnit)
  }

  return {
    get: async (visibility, unitId) => {
      const [unit] = await select(Prisma.sql`${visible(visibility)} AND u.unit_id = ${unitId}`)
      return unit ?? null
    },

    list: (visibility, offset, limit) =>
      select(Prisma.sql`${visible(visibility)} ORDER BY u.ordinal OFFSET ${offset} LIMIT ${limit}`),

    hydrate: async (visibility, unitIds) =>
      unitIds.length === 0
        ? []
        : select(Prisma.sql`${visible(visibility)} AND u.unit_id = ANY(${[...unitIds]}::text[])`),

    countHidden: async ({ namespaceId, scopeIds, reader }, planes) => {
      const inPlanes = planes ? Prisma.sql`AND c.plane = ANY(${[...planes]}::text[])` : Prisma.empty
      const [row] = await db.$queryRaw<{ hidden: number }[]>`
        SELECT coalesce(sum(c.units), 0)::int AS hidden
        FROM unit_count c JOIN acl_set a ON a.namespace_id = c.namespace_id AND a.id = c.acl_set_id
        WHERE c.namespace_id = ${namespaceId} AND c.scope_id = ANY(${[...scopeIds]}::text[]) ${inPlanes}
          AND NOT ${readable(reader)}`
      return row?.hidden ?? 0
    },
  }
}
