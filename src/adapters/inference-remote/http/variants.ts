import { RemoteError } from '../../resilience/remote-error.ts'

/** Answers of a server that does not support an address or a field. */
const unknowing: ReadonlySet<number | null> = new Set([400, 404, 405, 422])

/** Runs a request in the first variant that the server accepts; remembers that variant for later requests. */
export type Variants<V> = <T>(request: (variant: V) => Promise<T>) => Promise<T>

/** Servers of one API differ in undocumented details. If none is accepted, throws the first variant's error. */
export function createVariants<V>(variants: readonly V[]): Variants<V> {
  let taken: V | null = null
  return async (request) => {
    if (taken !== null) return request(taken)
    let first: unknown = null
    for (const variant of variants) {
      try {
        const answer = await request(variant)
        taken = variant
        return answer
      } catch (error) {
        first ??= error
        if (!(error instanceof RemoteError && unknowing.has(error.httpStatus))) throw error
      }
    }
    throw first
  }
}

/** The possible addresses of an API that some servers have next to their `/v1` and some below it. */
export function addressesOf(baseUrl: string, path: string): string[] {
  const beside = baseUrl.replace(/\/v\d+$/u, '')
  return [...new Set([baseUrl, beside])].map((address) => `${address}${path}`)
}
