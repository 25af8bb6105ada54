import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'

/** What a statement of the service touched, as the database counted it. */
export interface Observed {
  /** The operation in which it was sent. */
  operation: string
  /** Its text, the same for lists of any length. */
  statement: string
  /** Blocks of tables and indexes, with those of triggers and foreign keys. */
  pages: number
  /** Entries of tables and indexes that were read. */
  rows: number
  /** Kinds of scans, with the table or index each: `Index Scan unit_pkey`. */
  scans: readonly string[]
  /** Those of them that read a table or index from its beginning: no condition on the first column of the index. */
  whole: readonly string[]
}

export interface Observer {
  /** Statements sent within `work`, also later by what it started, belong to the operation. */
  during<T>(operation: string, work: () => Promise<T>): Promise<T>
  /** Leaves out what is sent meanwhile. */
  without<T>(work: () => Promise<T>): Promise<T>
  /** Everything since the last call. */
  take(): Observed[]
  /** Statements that could not be explained, with the error. */
  readonly failures: ReadonlyMap<string, string>
  stop(): void
}

type Arguments = unknown[]
type Query = (...args: Arguments) => unknown
interface Statement {
  text: string
  values?: unknown[]
}

/** Locks of a session would be taken twice, and notifications sent twice. */
const explainable = /^\s*(select|insert|update|delete|with)\b(?![\s\S]*\b(pg_(try_)?advisory|pg_notify|set_config))/i

/**
 * Every statement that the catalog's driver sends is first run by EXPLAIN ANALYZE, with its values and within its
 * transaction, and undone. So all statements of the product are measured, and none has to be listed here.
 */
export function observeStatements({ seqscan = true }: { seqscan?: boolean } = {}): Observer {
  const within = new AsyncLocalStorage<string>()
  const query = pg.Client.prototype.query as Query
  const failures = new Map<string, string>()
  let observed: Observed[] = []
  let paused = false

  let leading: Leading | null = null
  const leadingOf = async (run: (sql: string) => Promise<pg.QueryResult>): Promise<Leading> => {
    leading ??= new Map((await run(leadingColumns)).rows.map(({ index, column }) => [index, column]))
    return leading
  }

  const measure = async (client: pg.Client, { text, values = [] }: Statement): Promise<void> => {
    const run = (sql: string, parameters: unknown[] = []) =>
      query.call(client, { text: sql, values: parameters }) as Promise<pg.QueryResult>
    const isInTransaction = open.has(client)
    await run(isInTransaction ? 'SAVEPOINT observed' : 'BEGIN')
    try {
      // A small table is read whole where that is cheaper: what matters is whether an index could do it.
      if (!seqscan) await run('SET LOCAL enable_seqscan = off')
      const before = (await run(counted)).rows[0]
      const { rows } = await run(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`, values)
      const after = (await run(counted)).rows[0]
      const scans = scansOf(rows[0]['QUERY PLAN'][0].Plan)
      const first = await leadingOf(run)
      observed.push({
        operation: within.getStore() ?? 'background',
        statement: shapeOf(text),
        pages: Number(after.pages) - Number(before.pages),
        rows: Number(after.rows) - Number(before.rows),
        scans: namesOf(scans),
        whole: namesOf(scans.filter((scan) => isWhole(scan, first))),
      })
    } catch (error) {
      failures.set(shapeOf(text), String(error))
    }
    if (isInTransaction) await run('ROLLBACK TO SAVEPOINT observed; RELEASE SAVEPOINT observed')
    else await run('ROLLBACK')
  }

  const open = new WeakSet<pg.Client>()
  const last = new WeakMap<pg.Client, Promise<unknown>>()
  const observedQuery = function (this: pg.Client, ...args: Arguments): unknown {
    const statement = paused ? null : statementOf(args)
    if (!statement) return query.apply(this, args)
    if (/^\s*begin\b/i.test(statement.text)) open.add(this)
    if (/^\s*(commit|rollback)\s*$/i.test(statement.text)) open.delete(this)
    if (!explainable.test(statement.text)) return query.apply(this, args)
    const isPromised = typeof args.at(-1) !== 'function'
    const sent = (last.get(this) ?? Promise.resolve())
      .then(() => measure(this, statement))
      .then(() => {
        const result = query.apply(this, args)
        return isPromised ? result : undefined
      })
    last.set(
      this,
      sent.catch(() => {}),
    )
    return isPromised ? sent : undefined
  }
  Object.assign(pg.Client.prototype, { query: observedQuery })

  return {
    during: (operation, work) => within.run(operation, work),
    without: async (work) => {
      paused = true
      return work().finally(() => {
        paused = false
      })
    },
    take: () => {
      const taken = observed
      observed = []
      return taken
    },
    failures,
    stop: () => {
      Object.assign(pg.Client.prototype, { query })
    },
  }
}

/** Of this transaction alone; rolling back does not take them back. */
const counted = `SELECT sum(pg_stat_get_xact_blocks_fetched(c.oid)) AS pages,
  sum(pg_stat_get_xact_tuples_returned(c.oid)) + sum(pg_stat_get_xact_tuples_fetched(c.oid)) AS rows
  FROM pg_class c WHERE c.relkind IN ('r', 'i') AND c.relnamespace = 'public'::regnamespace`

function statementOf([first, second]: Arguments): Statement | null {
  if (typeof first === 'string') return { text: first, ...(Array.isArray(second) && { values: second }) }
  if (typeof first !== 'object' || first === null || !('text' in first) || 'submit' in first) return null
  const { text, values } = first as Statement
  const sent = Array.isArray(second) ? second : values
  return { text, ...(sent && { values: sent }) }
}

/** Without the number of values of a list. */
const shapeOf = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/"public"\./g, '')
    .replace(/\$\d+/g, '$')
    .replace(/\$(, ?\$)+/g, '$, …')
    .replace(/\(\$(, …)?\)(, ?\(\$(, …)?\))+/g, '($, …), …')
    .trim()

/** The first column of each index, except of those that hold few rows: they are made to be read whole. */
type Leading = ReadonlyMap<string, string>

const leadingColumns = `SELECT i.indexrelid::regclass::text AS index, a.attname AS column
  FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] WHERE i.indpred IS NULL`

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}

/** A bitmap of a table is as good as the indexes that it comes from, which are nodes of their own. */
const scansOf = (plan: Plan): Plan[] => [
  ...(/Scan$/.test(plan['Node Type']) && (plan['Index Name'] ?? plan['Relation Name']) !== undefined ? [plan] : []),
  ...(plan.Plans ?? []).flatMap(scansOf),
]

const namesOf = (scans: readonly Plan[]) =>
  [...new Set(scans.map((scan) => `${scan['Node Type']} ${scan['Index Name'] ?? scan['Relation Name']}`))].sort()

function isWhole(scan: Plan, leading: Leading): boolean {
  const { 'Node Type': type, 'Index Name': index, 'Index Cond': condition } = scan
  if (index === undefined) return type === 'Seq Scan'
  const column = leading.get(index)
  if (column === undefined) return false
  return condition === undefined || !new RegExp(`\\b${column}\\b`).test(condition)
}
