/** In characters. */
export const maxPathLength = 256

// No segment is `.` or `..`. Generators of clients copy it: without lookahead and `\w` it means the same in every language.
const segment = String.raw`(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})`
const segments = `${segment}(/${segment}){0,7}`

/** Scope paths: 1-8 segments of `[A-Za-z0-9._-]`, no empty, `.` or `..` segment. */
export const scopePathPattern = new RegExp(`^${segments}$`)
export const scopePatternPattern = new RegExp(`^([*]|${segments})$`)

export const isScopePath = (value: string): boolean => value.length <= maxPathLength && scopePathPattern.test(value)

/** The scope of a request or grant: a path, or `*` for everything. */
export type ScopePattern = string

/** `acme` covers `acme` and `acme/backend`, not `acmeco`; `*` covers every path and itself. */
export function covers(pattern: ScopePattern, path: ScopePattern): boolean {
  return pattern === '*' || pattern === path || (path !== '*' && path.startsWith(`${pattern}/`))
}

/** The narrower of two patterns that overlap, or null. */
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
