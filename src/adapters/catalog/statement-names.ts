/** More than the application has texts of its own; those that a caller's filters make beyond it stay unnamed. */
const limit = 200

/**
 * Names statements by their text, so that a connection parses and plans each only once: half of what a short read costs
 * the embedded database. An empty name is none.
 */
export function createStatementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>()
  return ({ sql }) => {
    const known = names.get(sql)
    if (known !== undefined || names.size >= limit) return known ?? ''
    const name = `s${names.size + 1}`
    names.set(sql, name)
    return name
  }
}
