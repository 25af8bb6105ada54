import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { transferTables } from '../../src/adapters/catalog/transfer/tables.ts'
import { transferVersion } from '../../src/model/transfer.ts'
import { withCatalogRows } from '../support/catalog-rows.ts'
import { createStorage } from '../support/database.ts'

/** Columns that an export does not hold, and why. */
const leftOut: Record<string, readonly string[] | 'all'> = {
  // Not the service's content.
  _prisma_migrations: 'all',
  // Counted anew at import.
  document: 'all',
  unit_count: 'all',
  // Of engines that the target does not share: its own begin anew.
  index_cursor: 'all',
  head: ['documents'],
  // Short-lived: people sign in again, links are asked for again.
  audit_export: 'all',
  auth_session: 'all',
  auth_verification: 'all',
  auth_rate_limit: 'all',
  // Secrets of other services; the next sign-in brings new ones.
  auth_account: ['access_token', 'refresh_token', 'id_token', 'access_token_expires_at', 'refresh_token_expires_at'],
  // Belongs to no namespace: which events a deployment was sent.
  billing_event: 'all',
  // The target's own order, in which they come in.
  billing_version: ['ordinal'],
}

/** How a column is written in the description of the tables. */
const types: Record<string, string> = {
  'timestamp with time zone': 'timestamptz',
  'character varying': 'text',
}

test('an export holds every column of every table but those that are left out for a reason', async () => {
  const storage = await createStorage({ embedded: true })
  const columns = await withCatalogRows(storage, (sql) =>
    sql<{ table: string; name: string; type: string }>(
      `SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, NULL) AS type
       FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`,
    ),
  ).finally(() => storage.remove())
  const inCatalog = columns
    .filter(({ table, name }) => leftOut[table] !== 'all' && !leftOut[table]?.includes(name))
    .map(({ table, name, type }) => `${table}.${name} ${types[type] ?? type}`)
  const inExports = transferTables.flatMap(({ name, columns }) =>
    columns.map(([column, type]) => `${name}.${column} ${type}`),
  )
  expect(inExports.sort()).toEqual(inCatalog.sort())
})

test('what the records hold has not changed under the same version of the format (else raise it, and put the digest here)', () => {
  const shape = transferTables.map(({ name, columns, derived }) => [name, columns, Object.keys(derived)])
  expect({ version: transferVersion, digest: hash('sha256', JSON.stringify(shape)).slice(0, 16) }).toEqual({
    version: 2,
    digest: '786e8038b9e424bc',
  })
})
