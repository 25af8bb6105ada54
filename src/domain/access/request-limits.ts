import { ServiceError } from '../../errors.ts'
import type { RequestLimits } from '../../model/request.ts'
import type { Catalog } from '../../ports/catalog.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Counter } from '../../ports/stores/key-value.ts'
import type { BackgroundTask } from '../background/background.ts'

/**
 * Counts a request, once: the headers of its answer show whether it was. Writes `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers-11) to them. Throws 429 for a request beyond a limit.
 */
export type CountRequest = (
  caller: { principalId: string; homeId: string },
  headers: Record<string, string>,
) => Promise<void>

interface Deps {
  catalog: Pick<Catalog, 'requests'>
  requestCounter: Counter
  requestLimits: RequestLimits
  clock: Clock
}

/** Without limits nothing is counted, and there are no counts to remove. */
export function createRequestLimits(deps: Deps): { countRequest: CountRequest | null; tasks: BackgroundTask[] } {
  const countRequest = createCountRequest(deps)
  const sweep = { name: 'remove counts of requests', run: () => deps.catalog.requests.removeExpired() }
  return { countRequest, tasks: countRequest === null ? [] : [sweep] }
}

/** Windows are fixed: each begins at a multiple of its length. Null without limits. */
function createCountRequest({ requestCounter: counter, requestLimits: limits, clock }: Deps): CountRequest | null {
  const set = (['principal', 'namespace'] as const).flatMap((name) => {
    const limit = limits[name]
    return limit === null ? [] : [{ name, ...limit }]
  })
  if (set.length === 0) return null
  const policy = set.map(({ name, requests, seconds }) => `"${name}";q=${requests};w=${seconds}`).join(', ')

  return async ({ principalId, homeId }, headers) => {
    if (headers['ratelimit-policy'] !== undefined) return
    headers['ratelimit-policy'] = policy
    const now = clock.now()
    const counted = await Promise.all(
      set.map(async ({ name, requests, seconds }) => {
        const windowMs = seconds * 1000
        const window = Math.floor(now / windowMs)
        const whose = name === 'principal' ? principalId : homeId
        const count = await counter.increment(`requests/${name}/${whose}/${seconds}/${window}`, windowMs)
        const resetsIn = Math.max(1, Math.ceil(((window + 1) * windowMs - now) / 1000))
        return { name, requests, seconds, resetsIn, left: Math.max(0, requests - count), isBeyond: count > requests }
      }),
    )
    headers.ratelimit = counted.map(({ name, left, resetsIn }) => `"${name}";r=${left};t=${resetsIn}`).join(', ')
    const beyond = counted.filter(({ isBeyond }) => isBeyond)
    const [worst] = beyond.toSorted((a, b) => b.resetsIn - a.resetsIn)
    if (worst === undefined) return
    const { name, requests, seconds, resetsIn: retryAfter } = worst
    const detail = `the ${name} may send at most ${requests} requests in ${seconds} s: send the request again later`
    throw new ServiceError('rate_limited', detail, { retryAfter })
  }
}
