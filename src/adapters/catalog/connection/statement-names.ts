/** More than the texts of the application itself; texts beyond it, made by callers' filters, stay unnamed. */
const maxNames = 200

/**
 * Names statements by their text, so that a connection parses and plans each only once. Parsing and planning are half
 * the cost of a short read in the embedded database. An empty name means no name.
 */
export function createStatementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>()
  return ({ sql }) => {
    const known = names.get(sql)
    if (known !== undefined || names.size >= maxNames) return known ?? ''
    const name = `s${names.size + 1}`
    names.set(sql, name)
    return name
  }
}
