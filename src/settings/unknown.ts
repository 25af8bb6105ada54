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
