/** Canonical JSON (RFC 8785): members sorted by UTF-16 units, no spaces, numbers as ECMAScript writes them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`
}

/** What the hash of an audit row is over, and what is its leaf in the Merkle tree: the row without its two hashes. */
export function rowBody(row: Readonly<Record<string, unknown>>): string {
  const { hash: _, prev_hash: __, ...body } = row
  return canonical(body)
}
