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
