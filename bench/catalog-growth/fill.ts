/** Runs SQL on one connection. */
export type Sql = (text: string) => Promise<Record<string, unknown>[]>

/** Values of these columns come from fixed lists, so that copies have the same ones. */
const enumerations = new Set(['status', 'plane', 'kind', 'model', 'index', 'state', 'rendition'])

const columnsOf = async (sql: Sql): Promise<Column[]> => (await sql(allColumns)) as unknown as Column[]

const allColumns = `SELECT c.table_name AS "table", c.column_name AS "column", c.data_type = 'text' AS "isText",
    EXISTS (SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
            WHERE i.indrelid = format('%I.%I', c.table_schema, c.table_name)::regclass AND a.attname = c.column_name)
      AS "isIndexed"
  FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
  WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.table_name NOT LIKE '%migration%'
    AND coalesce(c.column_default, '') NOT LIKE 'nextval%' AND c.is_generated = 'NEVER'
  ORDER BY 1, c.ordinal_position`

interface Column {
  table: string
  column: string
  isText: boolean
  isIndexed: boolean
}

/** Identifies something: another tenant's differs, also where no index says so. */
const isIdentity = ({ column, isText, isIndexed }: Column) =>
  isText &&
  !enumerations.has(column) &&
  (isIndexed || /(^|_)(id|hash|key|uri|owner|writer|email|by|customer)$/.test(column))

/** Nothing stays nothing. */
const other = (value: string) => `CASE ${value} WHEN '' THEN '' ELSE ${value} || '~' || g END`

/** The rows of all tables of the catalog. */
export async function countRows(sql: Sql): Promise<number> {
  const tables = new Set((await columnsOf(sql)).map(({ table }) => table))
  const sums = [...tables].map((table) => `(SELECT count(*) FROM "${table}")`)
  const [row] = await sql(`SELECT ${sums.join(' + ')} AS n`)
  return Number(row?.n)
}

/**
 * Copies the rows of every table, so that as many other tenants, principals, people and payers hold the same as the
 * ones that are there: copies `from` to `to`. A table or column of tomorrow is copied too.
 */
export async function addCopies(sql: Sql, from: number, to: number): Promise<void> {
  const columns = await columnsOf(sql)
  // Foreign keys and triggers of write-once tables are not asked.
  await sql('SET session_replication_role = replica')
  for (const [table, own] of Object.entries(Object.groupBy(columns, ({ table }) => table))) {
    const names = (own ?? []).map(({ column }) => `"${column}"`)
    const values = (own ?? []).map((each) => (isIdentity(each) ? other(`o."${each.column}"`) : `o."${each.column}"`))
    // Copies are recognised by their first identity, and not copied again.
    const first = (own ?? []).find(isIdentity)
    const originals = first ? `WHERE "${first.column}" NOT LIKE '%~%' OR "${first.column}" IS NULL` : ''
    await sql(
      `INSERT INTO "${table}" (${names.join(', ')})
       SELECT ${values.join(', ')} FROM (SELECT * FROM "${table}" ${originals}) o, generate_series(${from}, ${to}) g`,
    )
  }
  await sql('SET session_replication_role = DEFAULT')
  await sql('ANALYZE')
}
