import pg, { type ClientBase } from 'pg'
import { bool, type Row, rowsOf, text } from '../../database/columns.ts'

/** Tables that the service appends to and never changes. Its role cannot change them, even without the triggers. */
const writeOnce = ['audit_row', 'audit_node', 'audit_checkpoint']

/** Written by migrations; read to check whether any is missing. */
const readOnly = ['_prisma_migrations']

/**
 * Grants `role` exactly what the service needs in the current schema, and revokes all other rights. Runs as the owner
 * of the tables, under the migration lock, at each start, so that it covers tables of later migrations.
 * Returns why `role` can still change write-once rows; null if it cannot.
 */
export async function grantService(owner: ClientBase, role: string): Promise<string | null> {
  const before = await powersOf(owner, role)
  // The next migration would miss the rights that this revoked from such a role.
  if (before.superuser) return 'it is a superuser'
  if (before.owner) return 'it owns the tables or can become their owner'
  await grant(owner, role)
  const after = await powersOf(owner, role)
  if (after.schemaOwner) return 'it can drop tables, as it owns their schema or can become its owner'
  if (after.createRole) return 'it can make itself a member of any role (CREATEROLE)'
  return after.more ? 'it may change them through PUBLIC or another role' : null
}

const powers = { superuser: bool, owner: bool, schemaOwner: bool, createRole: bool, more: bool }

async function powersOf(client: ClientBase, role: string): Promise<Row<typeof powers>> {
  const [found] = await rowsOf(
    client,
    powers,
    `SELECT bool_or(r.rolsuper) AS superuser,
       bool_or(pg_has_role(r.oid, c.relowner, 'MEMBER')) AS owner,
       bool_or(pg_has_role(r.oid, n.nspowner, 'MEMBER')) AS "schemaOwner",
       -- Since version 16 it takes ADMIN on a role to give that away.
       bool_or(r.rolcreaterole AND current_setting('server_version_num')::int < 160000) AS "createRole",
       bool_or(has_table_privilege(r.oid, c.oid, 'DELETE, TRUNCATE, TRIGGER')
         OR has_any_column_privilege(r.oid, c.oid, 'UPDATE')) AS more
     FROM pg_roles r, pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE r.rolname = $1 AND n.nspname = current_schema() AND c.relname = ANY($2::text[])`,
    [role, writeOnce],
  )
  if (!found) throw new Error('the write-once tables are missing')
  return found
}

/** In one transaction, so that running processes never lack a right. */
async function grant(owner: ClientBase, role: string): Promise<void> {
  const rows = await rowsOf(
    owner,
    { schema: text, name: text, kind: text },
    `SELECT n.nspname AS schema, c.relname AS name, c.relkind AS kind
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'S') AND pg_has_role(c.relowner, 'USAGE')
     ORDER BY c.relname`,
  )
  const to = pg.escapeIdentifier(role)
  const only = (privileges: string, target: string) => [
    `REVOKE ALL ON ${target} FROM ${to}`,
    `GRANT ${privileges} ON ${target} TO ${to}`,
  ]
  const statements = rows.flatMap(({ schema, name, kind }) => {
    const target = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`
    return kind === 'S' ? only('USAGE, SELECT', `SEQUENCE ${target}`) : only(privilegesOn(name), `TABLE ${target}`)
  })
  const schemas = [...new Set(rows.map(({ schema }) => schema))].map(pg.escapeIdentifier)
  const all = [...schemas.flatMap((schema) => only('USAGE', `SCHEMA ${schema}`)), ...statements]
  await owner.query(['BEGIN', ...all, 'COMMIT'].join(';\n')).catch(async (error: unknown) => {
    await owner.query('ROLLBACK').catch(() => {})
    throw error
  })
}

function privilegesOn(table: string): string {
  if (readOnly.includes(table)) return 'SELECT'
  return writeOnce.includes(table) ? 'SELECT, INSERT' : 'SELECT, INSERT, UPDATE, DELETE'
}
