import { z } from 'zod'
import { OperatorError } from '../model/operator-error.ts'

/** All configuration errors at once, one per line. Values are left out: they may be secrets. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError'

  constructor(problems: readonly string[]) {
    super(`the configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
  }
}

/**
 * Reads an environment by `schemas`. Every schema must accept an absent value; an empty value counts as absent.
 * `combine` then makes the result and reports contradictions. Throws a `ConfigError` with all problems of both.
 */
export function readSettings<S extends z.ZodRawShape, T>(
  schemas: S,
  env: Readonly<Record<string, string | undefined>>,
  combine: (settings: z.output<z.ZodObject<S>>, problems: string[]) => T,
): T {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const schema = z.object(schemas)
  const first = schema.safeParse(given, { error: wordsOf })
  if (first.success) return finish([], combine, first.data)
  const { issues } = first.error
  const unread = new Set(issues.map(({ path }) => String(path[0])))
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !unread.has(name)))
  const unreadable = issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  // An unreadable setting has its default here. So a problem that names it may be false, and is left out.
  const isTrue = (problem: string) => ![...unread].some((name) => new RegExp(`\\b${name}\\b`).test(problem))
  const combined = (settings: z.output<z.ZodObject<S>>, problems: string[]) => {
    const found: string[] = []
    const result = combine(settings, found)
    problems.push(...found.filter(isTrue))
    return result
  }
  return finish(unreadable, combined, schema.parse(rest))
}

/** For settings that take one of a few words. Others say themselves what they take. */
const wordsOf: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_value'
    ? `must be ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(issue.values.map(String))}`
    : undefined

function finish<Settings, T>(
  problems: string[],
  combine: (settings: Settings, problems: string[]) => T,
  settings: Settings,
): T {
  const result = combine(settings, problems)
  if (problems.length > 0) throw new ConfigError(problems)
  return result
}

/** Variables that Kubernetes sets for a service with that name, such as REDIS_PORT_6379_TCP. */
const serviceLink = /_(SERVICE_(HOST|PORT)(_.*)?|PORT(_\d+_(TCP|UDP)(_.*)?)?)$/

/** Names in the environment that look like settings but are not: they have a known prefix or a typing error. */
export function unknownSettings(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): { name: string; meant: string | null }[] {
  const prefixes = new Set(known.flatMap((name) => /^[A-Z0-9]+_/.exec(name)?.[0] ?? []))
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || !env[name] || serviceLink.test(name)) return []
    const meant = known.find((other) => other.length > 5 && isNear(name, other)) ?? null
    const isOurs = meant !== null || [...prefixes].some((prefix) => prefix.length > 4 && name.startsWith(prefix))
    return isOurs ? [{ name, meant }] : []
  })
}

/** True for names that differ in one letter: replaced, added, removed, or swapped with its neighbour. */
function isNear(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  const [x, y] = [a.slice(start), b.slice(start)]
  const isSwapped = x.length === y.length && x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2)
  return isSwapped || x.slice(1) === y.slice(1) || x.slice(1) === y || x === y.slice(1)
}
