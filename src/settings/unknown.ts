/** What an operator would rely on: without it, going on would be a service that is not watched. */
const unsupported: Readonly<Record<string, string>> = {
  METRICS_PORT: 'this version serves no metrics; remove it, and ask /readyz and GET /v1/health',
}

/** Variables that Kubernetes sets for a service of that name, such as REDIS_PORT_6379_TCP. */
const serviceLink = /_(SERVICE_(HOST|PORT)(_.*)?|PORT(_\d+_(TCP|UDP)(_.*)?)?)$/

/** Settings that are set and do nothing: an error for those that must not be ignored. */
export function reportUnsupported(env: Readonly<Record<string, string | undefined>>, problems: string[]): void {
  for (const [name, problem] of Object.entries(unsupported)) if (env[name]) problems.push(`${name}: ${problem}`)
}

/** Names in the environment that look like settings and are not: beginning as some do, or nearly spelled as one. */
export function unknownSettings(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): { name: string; meant: string | null }[] {
  const prefixes = new Set(known.flatMap((name) => /^[A-Z0-9]+_/.exec(name)?.[0] ?? []))
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || name in unsupported || !env[name] || serviceLink.test(name)) return []
    const meant = known.find((other) => other.length > 5 && isNear(name, other)) ?? null
    const isOurs = meant !== null || [...prefixes].some((prefix) => prefix.length > 4 && name.startsWith(prefix))
    return isOurs ? [{ name, meant }] : []
  })
}

/** True for names that differ in one letter: another, one more, one less, or two that changed places. */
function isNear(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  const [x, y] = [a.slice(start), b.slice(start)]
  const isSwapped = x.length === y.length && x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2)
  return isSwapped || x.slice(1) === y.slice(1) || x.slice(1) === y || x === y.slice(1)
}
