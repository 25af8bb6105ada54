import { setTimeout as sleep } from 'node:timers/promises'
import { Meilisearch, MeilisearchApiError, MeilisearchRequestError } from 'meilisearch'
import { z } from 'zod'
import { pauseAfter } from '../../async/backoff.ts'
import { signalWithin } from '../../async/limits.ts'
import { createBreaker } from '../resilience/breaker.ts'
import { codeOfStatus, failuresOf, isFailure, RemoteError, wasSent } from '../resilience/remote-error.ts'

/** The address of Meilisearch, and the name of its one index there. */
export interface MeilisearchConfig {
  url: string
  /** A key that may manage indexes, documents and keys. */
  key: string
  index: string
  /** In ms, how long no calls are made after a failure; default 5000. */
  pauseMs?: number
  callMs?: typeof callMs
}

/** Timeouts in ms; the default. All calls of a search share one timeout. */
export const callMs = { search: 2500, probe: 1500, other: 10_000 }

interface CallOptions {
  ms: number
  /** Ends the call early. */
  signal?: AbortSignal | undefined
  /** Called after each failed try whose request may still take effect, even after later requests. */
  unsettled?: () => void
  /** The token to use instead of the administrator's key. */
  token?: string
}

/** The connection to one Meilisearch. */
export interface Connection {
  readonly index: string
  readonly callMs: typeof callMs
  /**
   * Runs requests with a client that the timeout and the signal end. It retries once when the connection was lost, so
   * requests must be idempotent. Throws only RemoteError; throws at once while the engine is known to be down.
   */
  call<T>(options: CallOptions, ask: (client: Meilisearch) => Promise<T>): Promise<T>
}

/** How long an engine that is down is not called; the default. */
export const defaultPauseMs = 5000

/** One timeout opens the breaker, or three immediate failures. A refusal shows that the engine is up. */
const breaking = {
  weights: {
    timeout: 3,
    unreachable: 1,
    busy: 1,
    broken: 1,
    malformed: 1,
    absent: 0,
    conflict: 0,
    refused: 0,
    failed: 0,
  },
  threshold: 3,
  minTimeoutMs: 1000,
}

/** `now` is in ms, from any starting point. */
export function connect(
  { url, key, index, pauseMs = defaultPauseMs, callMs: times = callMs }: MeilisearchConfig,
  now: () => number,
): Connection {
  const breaker = createBreaker({
    ...breaking,
    fail: failure,
    now,
    pauseMs: { first: pauseMs, max: pauseMs },
  })

  async function attempt<T>(signal: AbortSignal, token: string, ask: (client: Meilisearch) => Promise<T>): Promise<T> {
    // A key must not follow a redirect to another host.
    const requestInit = { signal, redirect: 'error' as const }
    try {
      return await ask(new Meilisearch({ host: url, apiKey: token, requestInit }))
    } catch (error) {
      throw failureOf(error, signal)
    }
  }

  return {
    index,
    callMs: times,
    call: ({ ms, signal: outer, token = key, unsettled }, ask) => {
      const probe = () => attempt(signalWithin(times.probe, outer), key, (client) => client.index(index).getRawInfo())
      return breaker.run(async () => {
        const signal = signalWithin(ms, outer)
        const once = () =>
          attempt(signal, token, ask).catch((error) => {
            if (error instanceof RemoteError && error.mayBeDone) unsettled?.()
            throw error
          })
        return once().catch((error) => {
          const lost = isFailure(error, 'unreachable') && !signal.aborted
          if (lost) return once()
          throw error
        })
      }, probe)
    },
  }
}

/** Most tasks take some ms; those behind a long queue are polled less and less often. */
const pollMs = { first: 5, max: 500, factor: 1.5 }

const taskShape = z.object({
  status: z.string(),
  error: z.object({ code: z.string() }).nullish(),
})

export const enqueuedShape = z.object({ taskUid: z.number() })

/**
 * Resolves when the task is done. Throws RemoteError `failed` with the engine's reason if the task failed or was
 * canceled, `timeout` when the signal ends the waiting, and `refused` if the engine does not know the task.
 */
export async function awaitTask(connection: Connection, taskUid: number, signal: AbortSignal): Promise<void> {
  for (let looks = 0; ; looks += 1) {
    const { status, error } = await connection.call({ ms: connection.callMs.other, signal }, async (client) =>
      taskShape.parse(await client.tasks.getTask(taskUid)),
    )
    if (status === 'succeeded') return
    if (status === 'failed') throw failure('failed', 'failed a task', { vendorCode: safeCode(error?.code) })
    if (status === 'canceled') throw failure('failed', 'canceled a task')
    if (status !== 'enqueued' && status !== 'processing') {
      throw failure('malformed', 'answered in no known shape')
    }
    await sleep(pauseAfter(pollMs, looks), undefined, { signal }).catch(() => {})
    if (signal.aborted) throw failure('timeout', 'did not finish a task in time')
  }
}

/** `vendorCode` is one of https://www.meilisearch.com/docs/reference/errors/error_codes. */
export const failure: ReturnType<typeof failuresOf> = (code, problem, facts) =>
  named(code, facts?.vendorCode ? `${problem}: ${facts.vendorCode}` : problem, facts)

const named = failuresOf('Meilisearch')

/** The engine has read the request and will not execute it. */
export const isRefusal = (error: unknown): boolean => isFailure(error, 'refused', 'absent', 'conflict')

/** An error code that is safe to show, even if a server or a proxy sent something else. */
const safeCode = (code: unknown): string | null =>
  typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ? code : null

/** What an SDK error says about the engine. SDK errors contain the request and its key: they are not passed on. */
function failureOf(error: unknown, signal: AbortSignal): RemoteError {
  if (error instanceof RemoteError) return error
  if (signal.aborted) return failure('timeout', 'did not answer in time')
  if (error instanceof MeilisearchApiError) {
    const { status } = error.response
    const facts = { httpStatus: status, vendorCode: safeCode(error.cause?.code) }
    return failure(codeOfStatus(status), `answered ${status}`, facts)
  }
  if (error instanceof MeilisearchRequestError) {
    return failure('unreachable', 'is not reachable', { wasSent: wasSent(error) })
  }
  // Something that the SDK or a schema could not parse.
  if (error instanceof SyntaxError || error instanceof z.ZodError || error instanceof TypeError) {
    return failure('malformed', 'answered in no known shape')
  }
  return failure('unreachable', 'could not be reached')
}
