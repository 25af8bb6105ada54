import type pg from 'pg'

/**
 * What the memory holds of each table: `access` decides who may do what, `scope` where Units are, `units` the Units and
 * what a search goes by. `none` is not held. A table that is missing here counts as all of them.
 */
export const heldTables: Readonly<Record<string, 'access' | 'scope' | 'units' | 'none'>> = {
  namespace: 'access',
  principal: 'access',
  token: 'access',
  grant: 'access',
  scope: 'scope',
  unit: 'units',
  acl_set: 'units',
  unit_count: 'units',
  plane_model: 'units',
  head: 'units',
  unit_vector: 'none',
  document: 'none',
  ingested_document: 'none',
  index_cursor: 'none',
  source: 'none',
  source_link: 'none',
  upload: 'none',
  query_count: 'none',
  audit_row: 'none',
  audit_node: 'none',
  audit_checkpoint: 'none',
  audit_export: 'none',
  kept_answer: 'none',
  request_count: 'none',
  golden_query: 'none',
  synonyms: 'none',
  evaluation_run: 'none',
  auth_user: 'none',
  auth_session: 'none',
  auth_account: 'none',
  auth_verification: 'none',
  auth_rate_limit: 'none',
  oauth_client: 'none',
  agent_connection: 'none',
  agent_token: 'none',
  invitation: 'none',
  group_record: 'none',
  group_nesting: 'none',
  billing_customer: 'none',
  billing_event: 'none',
  billing_version: 'none',
  billing_question: 'none',
  billing_account: 'none',
}

/** Of a namespace. */
export interface Versions {
  /** Changes with every commit that can change its Units, or what a search of it goes by. */
  units: number
  /** Changes with every commit that can change its scopes. */
  scopes: number
}

interface Transaction {
  tables: Set<string> | null
  /** The only namespace whose Units and scopes it can change; undefined if not known. */
  namespaceId: string | undefined
}

/**
 * The one place that applies commits to the memory. It sees every statement of the embedded database's one connection,
 * so no write can be forgotten. Versions grow before a commit is sent, and again when it is done: what was read
 * in between is not kept.
 */
export class Commits {
  #access = 0
  readonly #units = new VersionPerNamespace()
  readonly #scopes = new VersionPerNamespace()
  #open: Transaction | null = null
  #running: Promise<unknown> | null = null

  /** Changes with every commit that can change who may do what. */
  get access(): number {
    return this.#access
  }

  versionsOf(namespaceId: string): Versions {
    return { units: this.#units.of(namespaceId), scopes: this.#scopes.of(namespaceId) }
  }

  /** Resolves when no commit is under way that changes what the memory holds. Undefined if there is none. */
  get settled(): Promise<unknown> | undefined {
    return this.#running ?? undefined
  }

  /** The open transaction writes Units and scopes of this namespace only. */
  within(namespaceId: string): void {
    if (this.#open) this.#open.namespaceId = namespaceId
  }

  /** Before each statement of the connection. Returns what to call when the statement has ended. */
  sent(sql: string): (() => void) | undefined {
    const [, verb = ''] = /^\s*(\w+)/.exec(sql) ?? []
    switch (verb.toLowerCase()) {
      case 'begin':
      case 'start':
        this.#open = { tables: new Set(), namespaceId: undefined }
        return undefined
      case 'rollback':
        if (!/^\s*rollback\s+to\b/i.test(sql)) this.#open = null
        return undefined
      case 'commit': {
        const open = this.#open
        this.#open = null
        return open ? this.#commit(open) : undefined
      }
    }
    const { tables } = writesOf(sql)
    if (this.#open) {
      if (tables === null) this.#open.tables = null
      else for (const table of tables) this.#open.tables?.add(table)
      return undefined
    }
    return this.#commit({ tables: tables && new Set(tables), namespaceId: undefined })
  }

  /** The connection is gone, and with it its transaction. */
  lost(): void {
    this.#open = null
    this.#apply({ tables: null, namespaceId: undefined })
  }

  #commit(transaction: Transaction): (() => void) | undefined {
    if (!this.#apply(transaction)) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    const running = Promise.all([this.#running, promise])
    this.#running = running
    return () => {
      this.#apply(transaction)
      if (this.#running === running) this.#running = null
      resolve()
    }
  }

  /** Returns whether it changes anything that the memory holds. */
  #apply({ tables, namespaceId }: Transaction): boolean {
    const kinds = new Set(tables === null ? ['all'] : [...tables].map((table) => heldTables[table] ?? 'all'))
    const all = kinds.has('all')
    const where = all ? undefined : namespaceId
    if (all || kinds.has('access') || kinds.has('scope')) this.#access += 1
    if (all || kinds.has('scope')) this.#scopes.raise(where)
    if (all || kinds.has('units')) this.#units.raise(where)
    return [...kinds].some((kind) => kind !== 'none')
  }
}

class VersionPerNamespace {
  #all = 0
  readonly #each = new Map<string, number>()

  of(namespaceId: string): number {
    return this.#all + (this.#each.get(namespaceId) ?? 0)
  }

  /** Raises the namespace's version; all of them if undefined. */
  raise(namespaceId: string | undefined): void {
    if (namespaceId === undefined) this.#all += 1
    else this.#each.set(namespaceId, (this.#each.get(namespaceId) ?? 0) + 1)
  }
}

/** For the option `Client` of a pool with one connection: reports each of its statements to `commits`. */
export function observedClient(commits: Commits, client: typeof pg.Client): typeof pg.Client {
  return class extends client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      this.once('end', () => commits.lost())
      // All forms of a call, and the queries that `pg` makes of them, pass here.
      const query = this.query.bind(this) as (...args: unknown[]) => unknown
      const observed = (...args: unknown[]): unknown => {
        const [statement] = args
        const ended = commits.sent(textOf(statement))
        if (!ended) return query(...args)
        const last = args.at(-1)
        if (typeof last === 'function') {
          return query(...args.slice(0, -1), (...results: unknown[]) => {
            ended()
            last(...results)
          })
        }
        const result = query(...args)
        return result instanceof Promise ? result.finally(ended) : result
      }
      this.query = observed as typeof this.query
    }
  }
}

const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : (statement as { text: string }).text

/** What a statement may change. */
export interface Writes {
  /** Names of tables; null if the text does not tell. */
  tables: readonly string[] | null
}

/** Columns that change often and that the memory does not hold: an update of these alone changes nothing in it. */
const unheldColumns: Readonly<Record<string, readonly string[]>> = {
  token: ['last_used_at'],
  head: ['documents', 'audit_seq', 'audit_hash'],
}

/** Statements that begin with these words change no rows, unless a common table expression in them does. */
const harmless =
  /^\s*(?:select|with|values|begin|start|commit|rollback|savepoint|release|set|reset|show|vacuum|analyze|checkpoint|listen|unlisten|explain|deallocate|discard|declare|fetch|close|insert|update|delete|merge|truncate)\b/i

/** `FOR UPDATE` locks rows, and `DO UPDATE` belongs to an INSERT. */
const writing =
  /\b(insert\s+into|delete\s+from|merge\s+into|truncate(?:\s+table)?|(?<!\b(?:for|do|key)\s+)update)\s+(?:only\s+)?(?:"?public"?\.)?"?(\w+)"?/gi

/** The tables that an SQL statement inserts into, updates or deletes from. */
export function writesOf(sql: string): Writes {
  if (!harmless.test(sql)) return { tables: null }
  const tables = new Set<string>()
  for (const { 1: verb = '', 2: table = '', index, 0: match } of sql.matchAll(writing)) {
    const isUpdate = verb.toLowerCase() === 'update'
    if (!isUpdate || !isUnheld(table, sql.slice(index + match.length))) tables.add(table)
  }
  return { tables: [...tables] }
}

/** Whether an update of the table, whose text continues with `rest`, sets only columns that the memory does not hold. */
function isUnheld(table: string, rest: string): boolean {
  const unheld = unheldColumns[table]
  if (!unheld) return false
  const [, assignments = ''] = withoutParentheses(rest).split(/\bset\b/i)
  const [list = ''] = assignments.split(/\b(?:from|where|returning)\b/i)
  return list
    .split(',')
    .every((assignment) => unheld.includes(assignment.split('=')[0]?.replaceAll(/["\s]/g, '') ?? ''))
}

function withoutParentheses(sql: string): string {
  const shorter = sql.replaceAll(/\([^()]*\)/g, '')
  return shorter === sql ? sql : withoutParentheses(shorter)
}
