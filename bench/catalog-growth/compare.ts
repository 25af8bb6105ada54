import type { Observed } from './observe.ts'

/** The most that a statement touched, however often it was sent. */
export interface Peak extends Omit<Observed, 'operation'> {
  operations: readonly string[]
}

export function peaksOf(observed: readonly Observed[]): Map<string, Peak> {
  const peak = new Map<string, Peak>()
  for (const [statement, sent] of Map.groupBy(observed, (one) => one.statement)) {
    peak.set(statement, {
      statement,
      operations: [...new Set(sent.map(({ operation }) => operation))],
      pages: Math.max(...sent.map(({ pages }) => pages)),
      rows: Math.max(...sent.map(({ rows }) => rows)),
      scans: [...new Set(sent.flatMap(({ scans }) => scans))],
      whole: [...new Set(sent.flatMap(({ whole }) => whole))],
    })
  }
  return peak
}

/**
 * Statements that walk through everything on purpose, each with the setting that says how often. All else is hot:
 * requests of callers, and what the background looks for every two seconds.
 */
export const sweeps: readonly { begins: string; every: string }[] = [
  { begins: 'WITH page AS MATERIALIZED ( SELECT namespace_id, id, unnamed_since', every: 'SWEEP_SECONDS, in pages' },
  { begins: 'DELETE FROM "agent_connection" WHERE NOT EXISTS', every: 'SWEEP_SECONDS' },
  { begins: 'SELECT n.id, n.name, n.tier FROM head h JOIN namespace n', every: 'AUDIT_CHECKPOINT_SECONDS' },
]

export const isSweep = ({ statement }: Peak): boolean => sweeps.some(({ begins }) => statement.startsWith(begins))

/** The service's own data grow while it is measured, and pages of an index split. */
const slack = 20

/** To find a row by an index takes a page of each of its levels, and one of the table. */
const pagesPerRow = 5

/**
 * Whether it touched more than twice as much when everything else had become ten times as large. A plan may change from
 * reading a table of few pages to looking up the same rows one by one.
 */
export function grew(before: Peak, after: Peak): boolean {
  if (after.rows > 2 * before.rows + slack) return true
  return after.pages > Math.max(2 * before.pages, pagesPerRow * after.rows) + slack
}

/**
 * Whether the same tables and indexes were read. A planner may take another index of the same namespace as its estimates
 * change by chance: what was read before and after cannot be compared then.
 */
export const samePlan = (before: Peak, after: Peak): boolean =>
  before.scans.toSorted().join() === after.scans.toSorted().join()

/** Whether it reads a table or an index of some size from its beginning. */
export const walks = ({ whole, pages }: Peak): boolean => whole.length > 0 && pages > slack
