/**
 * What went wrong. `busy` (429), `broken` (5xx), `timeout` and `unreachable` may pass; `absent` (404) tells that what is
 * asked for is not there, `conflict` (409) that it is there already; `refused` is any other 4xx; `malformed`: an answer of no known shape; `paused`: not asked,
 * since it failed a moment ago.
 */
export type FailureKind =
  | 'timeout'
  | 'unreachable'
  | 'busy'
  | 'broken'
  | 'absent'
  | 'refused'
  | 'malformed'
  | 'paused'
  | 'conflict'

/** These leave open what became of the request. */
const withoutWord: ReadonlySet<FailureKind> = new Set(['timeout', 'unreachable', 'broken', 'malformed'])

/** Says nothing of what was sent or answered: requests hold keys, and both hold what tenants wrote. */
export class PineconeFailure extends Error {
  readonly kind: FailureKind
  /** How long Pinecone asks to be left alone. */
  readonly retryAfterMs: number | null
  /** Of what is absent: a namespace in an index that is there. */
  readonly ofNamespace: boolean
  /** What was asked for may be done all the same, now or later. */
  readonly mayBeDone: boolean

  constructor(
    kind: FailureKind,
    problem: string,
    {
      retryAfterMs = null,
      ofNamespace = false,
      wasSent = true,
    }: { retryAfterMs?: number | null; ofNamespace?: boolean; wasSent?: boolean } = {},
  ) {
    super(`Pinecone ${problem}`)
    this.name = 'PineconeFailure'
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.ofNamespace = ofNamespace
    this.mayBeDone = wasSent && withoutWord.has(kind)
  }
}

export const timedOut = () => new PineconeFailure('timeout', 'did not answer in time')
export const malformed = (problem: string) => new PineconeFailure('malformed', problem)

export const isOf = (error: unknown, ...kinds: FailureKind[]): error is PineconeFailure =>
  error instanceof PineconeFailure && kinds.includes(error.kind)

/** A namespace that nothing was ever written to, or that was deleted. */
export const isAbsentNamespace = (error: unknown): boolean => isOf(error, 'absent') && error.ofNamespace
