/**
 * What went wrong: `unreachable` and `broken` (5xx, 429) may pass, `refused` (any other 4xx), `malformed` (an answer of
 * no known shape) and `task` (taken, but not done) will hardly; `paused`: it did not answer lately, so it was not asked.
 */
export type Failure = 'timeout' | 'unreachable' | 'broken' | 'refused' | 'malformed' | 'task' | 'paused'

/** These leave open what became of the request. */
const withoutWord: ReadonlySet<Failure> = new Set(['timeout', 'unreachable', 'broken', 'malformed'])

/** Says nothing of what was sent or answered: both may hold texts, and requests hold keys. */
export class EngineError extends Error {
  readonly code: Failure
  /** Meilisearch's own word for it (https://www.meilisearch.com/docs/reference/errors/error_codes), null for none. */
  readonly vendorCode: string | null

  /** What was asked for may be done all the same, now or later. */
  readonly mayBeDone: boolean

  constructor(code: Failure, problem: string, vendorCode: string | null = null, wasSent = true) {
    super(`Meilisearch ${problem}${vendorCode === null ? '' : `: ${vendorCode}`}`)
    this.name = 'EngineError'
    this.code = code
    this.vendorCode = vendorCode
    this.mayBeDone = wasSent && withoutWord.has(code)
  }
}

/** An error code as it is safe to show, whatever a server or a proxy before it put in its place. */
export const safeCode = (code: unknown): string | null =>
  typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ? code : null
