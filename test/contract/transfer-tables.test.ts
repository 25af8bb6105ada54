import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { transferTables } from '../../src/adapters/catalog/sql/transfer-tables.ts'
import { transferVersion } from '../../src/model/transfer.ts'
import { withCatalogRows } from '../support/database/catalog-rows.ts'
import { createStorage } from '../support/database/database.ts'

/** Columns that an export omits, and the reasons. */
const leftOut: Record<string, readonly string[] | 'all'> = {
  // Not data of the service.
  _prisma_migrations: 'all',
  // Recounted at import.
  document: 'all',
  unit_count: 'all',
  plane_model: ['vectors'],
  // State of engines that the target does not share; the target's engines start empty.
  index_cursor: 'all',
  head: ['documents'],
  // Held by a process of the source; a run begins again in the target.
  ingested_document: ['held_by', 'held_until'],
  // The target looks again: what is erased stays so.
  scope: ['erased_at'],
  // Short-lived: people sign in again and request new links.
  audit_export: 'all',
  auth_session: 'all',
  auth_verification: 'all',
  oauth_client: 'all',
  agent_connection: 'all',
  agent_token: 'all',
  auth_rate_limit: 'all',
  // Only who sent them can read them, for a day.
  kept_answer: 'all',
  request_count: 'all',
  // Links end within minutes.
  upload: 'all',
  source_link: 'all',
  // Links of the source's own address; they end within days.
  invitation: 'all',
  // Secrets of other services; the next sign-in gets new ones.
  auth_account: ['access_token', 'refresh_token', 'id_token', 'access_token_expires_at', 'refresh_token_expires_at'],
  // Not part of a namespace: the events that a deployment received.
  billing_event: 'all',
  // Of the indexes of one catalog.
  unit: ['readers_seq', 'content_seq'],
  // The target assigns its own order on arrival.
  billing_version: ['ordinal'],
}

/** Names of column types in the description of the tables. */
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
    version: 11,
    digest: '662944406a430121',
  })
})
