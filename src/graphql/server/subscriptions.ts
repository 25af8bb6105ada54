import { GraphQLError } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import { startInterval } from '../../async/interval.ts'
import { rootCause, ServiceError, unauthorized } from '../../errors.ts'

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

/** A result of a subscription. */
interface Result {
  data?: unknown
  errors?: readonly GraphQLError[]
}

type Step = IteratorResult<Result, undefined>
const done: Step = { done: true, value: undefined }

/**
 * The results of `source` until it ends or `problemOf` names a problem, which is then the last result. That is
 * checked every `everyMs`, and when the source ends. `release` is called once, at the end.
 */
function untilEnded(
  source: AsyncIterable<Result>,
  problemOf: () => Promise<ServiceError | null>,
  everyMs: number,
  release: () => void,
): AsyncIterableIterator<Result, undefined> {
  const results = source[Symbol.asyncIterator]()
  let problem: ServiceError | null = null
  let hasEnded = false
  /** Ends the wait for the next result. */
  let interrupt = () => {}

  const endInterval = startInterval(everyMs, async () => {
    problem ??= await problemOf()
    if (problem) interrupt()
  })

  function end(): void {
    hasEnded = true
    endInterval()
    release()
    interrupt()
    // It may be waiting for an event: its end is not awaited.
    void Promise.resolve(results.return?.()).catch(() => {})
  }

  function lastStep(): Step {
    end()
    if (!problem) return done
    return { done: false, value: { errors: [new GraphQLError(problem.detail, { originalError: problem })] } }
  }

  async function next(): Promise<Step> {
    if (hasEnded) return done
    if (problem) return lastStep()
    const step = await new Promise<Step | null>((resolve, reject) => {
      interrupt = () => resolve(null)
      results.next().then((result) => resolve(result.done ? done : result), reject)
    }).catch((error: unknown) => {
      end()
      throw error
    })
    if (hasEnded) return done
    if (step && !step.done && !problem) return step
    problem ??= await problemOf()
    return lastStep()
  }

  return {
    next,
    return: async () => {
      end()
      return done
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/**
 * Server-sent events: `next` with each result, then `complete`, and a comment every `commentMs`, so that no proxy takes
 * the connection for a dead one. A reader that leaves an event unread while two comments are due is cut off.
 */
function eventStream(results: AsyncIterable<Result>, commentMs: number): Response {
  const source = results[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  let unread = 0
  let endComments = () => {}

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // Some browsers wait for the first byte.
      controller.enqueue(encoder.encode(comment))
      endComments = startInterval(commentMs, () => {
        const isRead = (controller.desiredSize ?? 0) > 0
        unread = isRead ? 0 : unread + 1
        if (isRead) controller.enqueue(encoder.encode(comment))
        if (unread < 2) return
        endComments()
        void source.return?.()
        controller.error(new Error('the reader of a subscription stopped reading'))
      })
    },
    async pull(controller) {
      const { done, value } = await source.next()
      if (done) {
        endComments()
        controller.enqueue(encoder.encode('event: complete\ndata:\n\n'))
        controller.close()
      } else controller.enqueue(encoder.encode(`event: next\ndata: ${textOf(value)}\n\n`))
    },
    async cancel() {
      endComments()
      await source.return?.()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const comment = ':\n\n'

function textOf({ errors, ...rest }: Result): string {
  return JSON.stringify(errors ? { errors: errors.map(shown), ...rest } : rest)
}

/** An error without what the engine reads of it: the status and headers of an answer. */
function shown(error: GraphQLError) {
  const { http: _, ...extensions } = error.extensions
  return { ...error.toJSON(), extensions }
}
