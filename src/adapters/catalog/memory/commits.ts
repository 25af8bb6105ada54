import { writesOf } from './writes-of.ts'

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
  billing_customer: 'none',
  billing_event: 'none',
  billing_version: 'none',
  billing_question: 'none',
  billing_account: 'none',
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
  readonly #units = new Versions()
  readonly #scopes = new Versions()
  #open: Transaction | null = null
  #running: Promise<unknown> | null = null

  /** Changes with every commit that can change who may do what. */
  get access(): number {
    return this.#access
  }

  /** Changes with every commit that can change the namespace's Units, or what a search of it goes by. */
  unitsOf(namespaceId: string): number {
    return this.#units.of(namespaceId)
  }

  /** Changes with every commit that can change the namespace's scopes. */
  scopesOf(namespaceId: string): number {
    return this.#scopes.of(namespaceId)
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

/** A version of each namespace. */
class Versions {
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
