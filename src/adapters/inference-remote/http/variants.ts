import { RemoteError } from '../../resilience/remote-error.ts'

/** Answers of a server that does not know an address, or a field. */
const unknowing: ReadonlySet<number | null> = new Set([400, 404, 405, 422])

/** Runs a request in the first variant that the server takes; once it took one, in that one. */
export type Variants<V> = <T>(request: (variant: V) => Promise<T>) => Promise<T>

/** Servers of one API differ in details that they don't tell. When none is taken, the first one's error is thrown. */
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
