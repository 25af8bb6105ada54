import { expect } from 'vitest'
import type { TestApp } from '../boot.ts'
import type { Sql } from '../database/catalog-rows.ts'

/** Tables that an import omits (null), and columns that it does not restore. */
const without = new Map([
  // Sessions, links, connections of agents, attempts, and data that the payment provider sends again.
  ...[
    '_prisma_migrations',
    'audit_export',
    'source_link',
    'kept_answer',
    'request_count',
    'oauth_client',
    'agent_connection',
    'agent_token',
    'invitation',
    'upload',
    'index_cursor',
    'auth_session',
    'auth_verification',
    'auth_rate_limit',
    'billing_event',
  ].map((table) => [table, null] as const),
  ['billing_version', ['ordinal']],
  // The target erases deleted scopes itself.
  ['scope', ['erased_at']],
  [
    'auth_account',
    ['access_token', 'refresh_token', 'id_token', 'access_token_expires_at', 'refresh_token_expires_at'],
  ],
])

/** A counter of zero Units equals a missing counter. */
const isCounted = (row: string) => !row.includes('"units":0')

export type Tables = Record<string, string[]>

/** Every row of every imported table, as text, sorted. */
export async function tablesOf(sql: Sql): Promise<Tables> {
  const names = await sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name`,
  )
  const tables: Tables = {}
  for (const { name } of names) {
    const fields = without.get(name)
    if (fields === null) continue
    const minus = (fields ?? []).map((field) => ` - '${field}'`).join('')
    const row = minus === '' ? 'row_to_json(t)::text' : `(to_jsonb(t)${minus})::text`
    const rows = await sql<{ row: string }>(`SELECT ${row} AS row FROM "${name}" t`)
    tables[name] = rows
      .map((found) => found.row)
      .filter(isCounted)
      .sort()
  }
  return tables
}

/** Runs SQL on an open catalog of an application. */
export function sqlOf({ runtime }: TestApp): Sql {
  const { catalog } = runtime.bindings
  if (!('client' in catalog)) throw new Error('the catalog has no client')
  const client = catalog.client as { $queryRawUnsafe<T>(text: string, ...values: unknown[]): Promise<T> }
  return (text, values = []) => client.$queryRawUnsafe(text, ...values)
}

/** The logs grow: by the row of the import, and by a checkpoint of the new service. */
const goesOn = ['audit_row', 'audit_node', 'audit_checkpoint']

/** Checks that the exported rows are all there, and no others except log rows of the import, which it returns. */
export function expectSameRows(exported: Tables, imported: Tables): string[] {
  expect(Object.keys(imported)).toEqual(Object.keys(exported))
  for (const [table, found] of Object.entries(exported)) {
    if (goesOn.includes(table)) expect(imported[table], table).toEqual(expect.arrayContaining(found))
    else if (table === 'head') expect(imported[table]?.map(withoutAudit)).toEqual(found.map(withoutAudit))
    else expect(imported[table], table).toEqual(found)
  }
  const added = (imported.audit_row ?? []).filter((row) => !exported.audit_row?.includes(row))
  expect(added.map((row) => JSON.parse(row).action)).toEqual(added.map(() => 'namespace.import'))
  return added
}

const withoutAudit = (row: string) => {
  const { audit_seq: _, audit_hash: __, ...rest } = JSON.parse(row)
  return rest
}
