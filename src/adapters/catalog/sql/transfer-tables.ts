import { Prisma } from '../generated/client.ts'
import { type UnitColumn, unitTable } from './unit-columns.ts'

/** A table whose rows belong to namespaces. */
export interface TransferTable {
  name: string
  /** In order, each with its type. */
  columns: readonly (readonly [name: string, type: string])[]
  /** Orders the rows and identifies each; not always among `columns`. */
  key: readonly string[]
  /** Which rows `t` belong to the namespaces. The `?` becomes ` = …`, ` = ANY(…)` or ` IS NOT NULL`. */
  belongs: string
  /** Fields that no column holds, with the SQL that computes them on reading. */
  derived: Readonly<Record<string, string>>
  /** Which of the rows `t` that belong are imported. */
  keep: string
  /** Finds forbidden rows after the import, with the namespaces in the `?`; null if nothing is forbidden. */
  clash: string | null
  /** Rows read at a time. */
  page: number
}

type Options = Partial<Pick<TransferTable, 'belongs' | 'derived' | 'keep' | 'clash' | 'page'>>

const table = (name: string, key: string, columns: string, options: Options = {}): TransferTable => ({
  name,
  key: key.split(' '),
  columns: columns.split(',').map((column) => {
    const [field = '', type = ''] = column.trim().split(' ')
    return [field, type] as const
  }),
  belongs: 't.namespace_id?',
  derived: {},
  keep: 'TRUE',
  clash: null,
  page: 500,
  ...options,
})

/** A condition of a table, with what its `?` becomes. */
export function within(condition: string, replacement: Prisma.Sql): Prisma.Sql {
  const parts = condition.split('?')
  return Prisma.sql(parts, ...parts.slice(1).map(() => replacement))
}

/** Units with these columns, without those that only tell the indexes of this catalog what is new. */
export const unitTransfer = (columns: readonly UnitColumn[]): TransferTable => {
  const sent = columns.filter(({ name }) => name !== 'readers_seq' && name !== 'content_seq')
  return table('unit', 'namespace_id unit_id', sent.map(({ name, type }) => `${name} ${type}`).join(), { page: 100 })
}

const ofPrincipals = (column: string) => `${column} IN (SELECT p.principal_id FROM principal p WHERE p.namespace_id?)`
const ofUsers = (column: string) => `${column} IN (SELECT p.user_id FROM principal p WHERE p.namespace_id?)`
const ofCustomers = `t.customer IN (SELECT c.customer FROM billing_customer c WHERE ${ofPrincipals('c.principal_id')})`
const ofVersions = `t.object_id IN (SELECT v.object_id FROM billing_version v
  WHERE ${ofPrincipals('v.principal_id')} OR ${ofCustomers.replaceAll('t.', 'v.')})`

/**
 * Everything that belongs to a namespace, ordered so that each row finds what it refers to. Left out: counters, which
 * are counted again; sessions and links, which end; and what the payment provider reports again (`leftOut`).
 */
export const transferTables: readonly TransferTable[] = [
  table(
    'namespace',
    'id',
    'id text, name text, tier text, base_tier text, owner text, registered boolean, hidden_count text, synonyms_version text, created_at bigint, deleted_at bigint',
    { belongs: 't.id?' },
  ),
  table('head', 'namespace_id', 'namespace_id text, seq bigint, audit_seq bigint, audit_hash text'),
  table(
    'principal',
    'principal_id',
    'principal_id text, namespace_id text, kind text, name text, email text, groups text[], inherited_groups text[], read_only boolean, active_scope text, user_id text, created_at bigint, deleted_at bigint',
    // Its user is imported later, so a user that exists already is a different one.
    { clash: 'SELECT 1 FROM principal p JOIN auth_user u ON u.id = p.user_id WHERE p.namespace_id?' },
  ),
  table(
    'token',
    'hash',
    'hash text, id text, principal_id text, name text, created_at bigint, expires_at bigint, last_used_at bigint, restriction jsonb',
    { belongs: ofPrincipals('t.principal_id') },
  ),
  // A person with that address here is not certainly the same person.
  table(
    'auth_user',
    'id',
    'id text, name text, email text, email_verified boolean, image text, created_at timestamptz, updated_at timestamptz',
    {
      belongs: ofUsers('t.id'),
      keep: 'NOT EXISTS (SELECT 1 FROM auth_user u WHERE u.email = t.email AND u.id <> t.id)',
    },
  ),
  // Without the tokens of identity providers: the next sign-in brings new ones.
  table(
    'auth_account',
    'id',
    'id text, account_id text, provider_id text, user_id text, scope text, password text, created_at timestamptz, updated_at timestamptz',
    { belongs: ofUsers('t.user_id'), keep: 'EXISTS (SELECT 1 FROM auth_user u WHERE u.id = t.user_id)' },
  ),
  table(
    'scope',
    'namespace_id id',
    'namespace_id text, id text, path text, parent text, planes text[], read_only_agents boolean, created_at bigint, deleted_at bigint, swept_at bigint',
  ),
  // A principal of another namespace is the same one only if its home is the same: people choose principal ids.
  table(
    'grant',
    'namespace_id id',
    'namespace_id text, id text, principal_id text, scope text, perms text[], groups text[], inherited_groups text[], granted_by text, created_at bigint, expires_at bigint',
    {
      derived: { principal_home: '(SELECT p.namespace_id FROM principal p WHERE p.principal_id = t.principal_id)' },
      keep: 'EXISTS (SELECT 1 FROM principal p WHERE p.principal_id = t.principal_id AND p.namespace_id = t.principal_home)',
    },
  ),
  table('synonyms', 'namespace_id', 'namespace_id text, rules jsonb'),
  table('group_record', 'namespace_id name', 'namespace_id text, name text, display_name text, source text'),
  table('group_nesting', 'namespace_id name member', 'namespace_id text, name text, member text'),
  table('acl_set', 'namespace_id id', 'namespace_id text, id text, owner text, groups text[]'),
  unitTransfer(unitTable),
  table('unit_vector', 'namespace_id unit_id model', 'namespace_id text, unit_id text, model text, vector bytea'),
  table(
    'plane_model',
    'namespace_id plane model',
    'namespace_id text, plane text, model text, dims integer, serving boolean, change_since bigint',
  ),
  table(
    'source',
    'namespace_id id',
    'namespace_id text, id text, uri text, mime text, bytes integer, sha256 text, created_by text, created_at bigint, purge_requested_at bigint, purged_at bigint, name text, type text, charset text, uploaded_with text, by_link boolean, unnamed_since bigint',
  ),
  // A run that was under way begins again.
  table(
    'ingested_document',
    'namespace_id document_id',
    `namespace_id text, document_id text, scope_id text, doc_id text, writer text, parent_id text, level integer, name text,
     source_uri text, mime text, bytes bigint, sha256 text, sidecar text, acl_groups text[], metadata jsonb, force boolean,
     key_hash text, request_id text, found jsonb, found_source_uri text, status text, reason text, detail text,
     attempts integer, version integer, due_at bigint, text_due_at bigint, created_at bigint, updated_at bigint`,
  ),
  table(
    'query_count',
    'namespace_id hour',
    'namespace_id text, hour integer, queries integer, answers integer, ingested integer, deleted integer, refused integer, latency integer[], text_change integer, visual_change integer, audio_change integer, doc_visual_change integer, bytes_change bigint',
  ),
  table(
    'golden_query',
    'namespace_id id',
    'namespace_id text, id text, seq integer, q text, scope text, expected jsonb, created_at bigint',
  ),
  table(
    'evaluation_run',
    'namespace_id id',
    `namespace_id text, id text, principal_id text, scope text, answers boolean, rerank boolean, total integer, up_to integer,
     cursor integer, asked integer, scores jsonb, report jsonb, started_at bigint, finished_at bigint, published_at bigint,
     service_wide boolean`,
    { page: 20 },
  ),
  // The detail of an audit row is json, not jsonb: it stays exactly the text that was hashed.
  table(
    'audit_row',
    'namespace_id seq',
    'namespace_id text, seq bigint, time bigint, principal_id text, action text, target text, outcome text, request_id text, detail json, prev_hash text, hash text',
  ),
  table('audit_node', 'namespace_id level index', 'namespace_id text, level integer, index bigint, hash bytea'),
  table('audit_checkpoint', 'namespace_id size', 'namespace_id text, size bigint, root bytea, note text, time bigint'),
  table('billing_customer', 'customer', 'customer text, principal_id text, own boolean, created_at bigint', {
    belongs: ofPrincipals('t.principal_id'),
  }),
  table('billing_account', 'principal_id', 'principal_id text, tier text, changes_at bigint', {
    belongs: ofPrincipals('t.principal_id'),
  }),
  // In the order of arrival: they get new ordinals here. Existing ones are kept as they are.
  table(
    'billing_version',
    'ordinal',
    'id text, object_id text, kind text, customer text, payment_intent text, principal_id text, at bigint, source text, rank integer, facts jsonb',
    {
      belongs: `(${ofPrincipals('t.principal_id')} OR ${ofCustomers})`,
      keep: 'NOT EXISTS (SELECT 1 FROM billing_version v WHERE v.id = t.id)',
    },
  ),
  table(
    'billing_question',
    'object_id',
    'object_id text, kind text, payment_intent text, tries integer, due_at bigint',
    {
      belongs: ofVersions,
      keep: 'NOT EXISTS (SELECT 1 FROM billing_question q WHERE q.object_id = t.object_id)',
    },
  ),
]
