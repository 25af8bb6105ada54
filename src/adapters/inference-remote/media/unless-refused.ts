import { RemoteError } from '../../resilience/remote-error.ts'

/** Answers about one picture or recording: it is too large, damaged, or of a type that the provider does not read. */
const refusals: ReadonlySet<number | null> = new Set([400, 413, 415, 422])

/** Null where the provider refuses what it was sent; another try would change nothing. */
export async function unlessRefused<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof RemoteError && refusals.has(error.httpStatus)) return null
    throw error
  }
}
