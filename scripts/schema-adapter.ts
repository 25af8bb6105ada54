import { PrismaPg } from '@prisma/adapter-pg'
import {
  bindMigrationAwareSqlAdapterFactory,
  type ColumnType,
  ColumnTypeEnum,
  type SqlQuery,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils'
import pg from 'pg'

const { builtins } = pg.types

/** Types in PostgreSQL's system catalogs that `pg` does not name. */
const catalogTypes = { name: 19, nameArray: 1003, int2Array: 1005, textArray: 1009 }

const columnTypes: Record<number, ColumnType> = {
  [builtins.BOOL]: ColumnTypeEnum.Boolean,
  [builtins.CHAR]: ColumnTypeEnum.Character,
  [builtins.INT2]: ColumnTypeEnum.Int32,
  [builtins.INT4]: ColumnTypeEnum.Int32,
  [builtins.INT8]: ColumnTypeEnum.Int64,
  [builtins.OID]: ColumnTypeEnum.Int64,
  [catalogTypes.int2Array]: ColumnTypeEnum.Int32Array,
  [catalogTypes.nameArray]: ColumnTypeEnum.TextArray,
  [catalogTypes.textArray]: ColumnTypeEnum.TextArray,
}

/**
 * Prisma's adapter, changed so that it can describe a PostgreSQL 18 database. The original rejects the type "char",
 * which the system catalogs use. The engine does not know the NOT NULL constraints (contype 'n') that version 18 lists
 * there.
 */
export function schemaAdapter(pool: pg.Pool) {
  const factory = new PrismaPg(pool)
  const connect = async () => {
    const adapter = await factory.connect()
    adapter.queryRaw = (query) => describe(pool, query)
    return adapter
  }
  const { provider, adapterName } = factory
  return bindMigrationAwareSqlAdapterFactory({ provider, adapterName, connect, connectToShadowDb: connect })
}

async function describe(pool: pg.Pool, { sql, args }: SqlQuery): Promise<SqlResultSet> {
  const text = sql.replace("contype NOT IN ('p', 'u', 'f')", "contype NOT IN ('p', 'u', 'f', 'n')")
  const { fields, rows } = await pool.query<unknown[]>({ text, values: args, rowMode: 'array' })
  return {
    columnNames: fields.map(({ name }) => name),
    columnTypes: fields.map(({ dataTypeID }) => columnTypes[dataTypeID] ?? ColumnTypeEnum.Text),
    rows,
  }
}
