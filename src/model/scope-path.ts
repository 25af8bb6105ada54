/** Scope paths: 1-8 segments of `[A-Za-z0-9._-]`, at most 256 characters, no empty, `.` or `..` segment. */
const segment = /^[A-Za-z0-9._-]+$/

export function isScopePath(value: string): boolean {
  if (value.length === 0 || value.length > 256) return false
  const segments = value.split('/')
  return segments.length <= 8 && segments.every((s) => segment.test(s) && s !== '.' && s !== '..')
}

/** What a request or grant names: a path, or `*` for everything. */
export type ScopePattern = string

/** `acme` covers `acme` and `acme/backend`, not `acmeco`; `*` covers every path and itself. */
export function covers(pattern: ScopePattern, path: ScopePattern): boolean {
  return pattern === '*' || pattern === path || (path !== '*' && path.startsWith(`${pattern}/`))
}

/** What two patterns both cover: the narrower one, or null. */
export function overlap(a: ScopePattern, b: ScopePattern): ScopePattern | null {
  if (covers(a, b)) return b
  return covers(b, a) ? a : null
}

/** The nearest of `registered` strictly above `path`, or null. */
export function nearestAncestor(path: string, registered: Iterable<string>): string | null {
  let nearest: string | null = null
  for (const other of registered) {
    if (other !== path && covers(other, path) && other.length > (nearest?.length ?? 0)) nearest = other
  }
  return nearest
}
