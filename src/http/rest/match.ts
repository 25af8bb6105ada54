import { isCleanText } from '../message.ts'
import type { Route } from './route.ts'

export interface Match<R> {
  route: R
  params: Record<string, string>
  /** Parameters with invalid percent-encoding; the caller sees the error only after authentication. */
  malformed: string[]
}

/** `undefined` for a segment that cannot be decoded. */
type Segments = (string | undefined)[]

/**
 * Finds the route of a raw path. The path is split before its segments are decoded, so `a%2Fb` is one segment and
 * `%2e%2e` does not move up. An empty segment, for example after a trailing slash, matches no route.
 */
export function createMatcher<R extends Pick<Route, 'method' | 'path'>>(routes: readonly R[]) {
  const shapes = routes.map((route) => ({ route, segments: route.path.split('/').slice(1) }))
  // Literal segments come before parameters.
  shapes.sort((a, b) => parameterCount(a.segments) - parameterCount(b.segments))
  const literal = new Map<string, R>()
  for (const { route, segments } of shapes) {
    const name = `${route.method} ${route.path}`
    if (parameterCount(segments) === 0 && !literal.has(name)) literal.set(name, route)
  }
  return (method: string, rawPath: string): Match<R> | undefined => {
    const exact = literal.get(`${method} ${rawPath}`)
    if (exact !== undefined) return { route: exact, params: {}, malformed: [] }
    if (!rawPath.startsWith('/')) return undefined
    const segments = rawPath.slice(1).split('/').map(decode)
    const shape = shapes.find((s) => s.route.method === method && fits(s.segments, segments))
    return shape && bind(shape, segments)
  }
}

const isParameter = (segment: string) => segment.startsWith(':')
const parameterCount = (segments: string[]) => segments.filter(isParameter).length

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

function fits(shape: readonly string[], segments: Segments): boolean {
  return (
    shape.length === segments.length &&
    shape.every((part, i) => (isParameter(part) ? segments[i] !== '' : part === segments[i]))
  )
}

function bind<R>(shape: { route: R; segments: string[] }, segments: Segments): Match<R> {
  const match: Match<R> = { route: shape.route, params: {}, malformed: [] }
  for (const [i, part] of shape.segments.entries()) {
    if (!isParameter(part)) continue
    const name = part.slice(1)
    const value = segments[i]
    if (value === undefined || !isCleanText(value)) match.malformed.push(name)
    else match.params[name] = value
  }
  return match
}
