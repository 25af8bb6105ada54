import { GraphQLError } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import { rootCause, ServiceError, unauthorized } from '../../../errors.ts'
import { eventStream } from './event-stream.ts'
import { type Result, untilEnded } from './until-ended.ts'

export interface SubscriptionLimits {
  /** Open subscriptions of a principal, and of the process. */
  perPrincipal: number
  inProcess: number
  /** How often to check that the credential still holds. */
  credentialMs: number
  /** Between two comments in a stream. */
  commentMs: number
}

export const defaultSubscriptionLimits: SubscriptionLimits = {
  perPrincipal: 10,
  inProcess: 1_000,
  credentialMs: 4_000,
  commentMs: 15_000,
}

/** `Request` is what the engine knows of a request from the start, `Context` what `identify` finds out. */
export interface SubscriptionRules<Request, Context> {
  /** The principal of a request; null without a credential. */
  principalOf(context: Context): string | null
  /** Finds out again who sent a request. Throws a ServiceError if its credential does not hold any more. */
  identify(request: Request): Promise<Context>
  limits: SubscriptionLimits
}

/**
 * Subscriptions over server-sent events (distinct connections mode): a limited number at a time, and none longer than its
 * credential. One whose credential ends gets a last result with the error.
 */
export function limitSubscriptions<Request, Context>({
  principalOf,
  identify,
  limits,
}: SubscriptionRules<Request, Context>): Plugin {
  const open = new Map<string, number>()
  let total = 0

  /** Counts a subscription; the result ends it. */
  function take(principal: string): () => void {
    const own = open.get(principal) ?? 0
    if (own >= limits.perPrincipal) throw tooMany('a principal', limits.perPrincipal)
    if (total >= limits.inProcess) throw tooMany('the service', limits.inProcess)
    open.set(principal, own + 1)
    total += 1
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      total -= 1
      const rest = (open.get(principal) ?? 1) - 1
      if (rest === 0) open.delete(principal)
      else open.set(principal, rest)
    }
  }

  /** Why the subscription must end; null while its credential holds, or while that cannot be found out. */
  async function problemOf(request: Request, principal: string): Promise<ServiceError | null> {
    try {
      return principalOf(await identify(request)) === principal ? null : unauthorized()
    } catch (error) {
      const cause = rootCause(error as Error)
      return cause instanceof ServiceError && cause.status < 500 && cause.status !== 429 ? cause : null
    }
  }

  return {
    onSubscribe({ args: { contextValue }, subscribeFn, setSubscribeFn }) {
      const context = contextValue as Request & Context
      const principal = principalOf(context)
      // Refused by the field itself, which needs a credential.
      if (principal === null) return
      setSubscribeFn(async (args) => {
        const release = take(principal)
        try {
          const result: unknown = await subscribeFn(args)
          if (isAsyncIterable(result)) {
            const source = result as AsyncIterable<Result>
            return untilEnded(source, () => problemOf(context, principal), limits.credentialMs, release)
          }
          release()
          return result
        } catch (error) {
          release()
          throw error
        }
      })
    },
    onResultProcess({ result, setResultProcessor, acceptableMediaTypes }) {
      if (!isAsyncIterable(result) || !acceptableMediaTypes.includes('text/event-stream')) return
      setResultProcessor(
        (stream) => eventStream(stream as AsyncIterable<Result>, limits.commentMs),
        'text/event-stream',
      )
    },
  }
}

/** Seconds. A subscription may end at any time. */
const retryAfter = '5'

const tooMany = (whose: string, limit: number) => {
  const originalError = new ServiceError(
    'rate_limited',
    `the subscription must wait: ${whose} may have at most ${limit} open at a time`,
  )
  return new GraphQLError(originalError.detail, {
    originalError,
    extensions: { http: { headers: { 'retry-after': retryAfter } } },
  })
}
