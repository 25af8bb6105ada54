import { GraphQLError } from 'graphql'
import type { ServiceError } from '../../../errors.ts'

/** A result of a subscription. */
export interface Result {
  data?: unknown
  errors?: readonly GraphQLError[]
}

type Step = IteratorResult<Result, undefined>
const done: Step = { done: true, value: undefined }

/**
 * The results of `source` until it ends or `problemOf` names a problem, which is then the last result. That is
 * checked every `everyMs`, and when the source ends. `release` is called once, at the end.
 */
export function untilEnded(
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

  const timer = setInterval(async () => {
    problem ??= await problemOf()
    if (problem) interrupt()
  }, everyMs)
  timer.unref()

  function end(): void {
    hasEnded = true
    clearInterval(timer)
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
