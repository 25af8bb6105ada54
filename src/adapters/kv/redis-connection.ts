import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, ErrorReply } from '@redis/client'
import { pauseAfter } from '../../async/backoff.ts'
import { within } from '../../async/deadline.ts'
import type { Log } from '../../model/log.ts'
import { failuresOf, systemCodeOf } from '../resilience/remote-error.ts'

/** Milliseconds: of one attempt to connect, of a command, and the longest pause between attempts. */
export interface RedisTimeouts {
  connect: number
  command: number
  between: number
}

export interface RedisConnection {
  /**
   * Fails at once while there is no connection. A late answer, or one that `isAnswer` rejects, ends the connection: the
   * next data on it may belong to another command.
   */
  run<T>(
    name: string,
    command: (client: Client) => Promise<unknown>,
    isAnswer: (answer: unknown) => answer is T,
  ): Promise<T>
  close(): Promise<void>
}

export type Client = ReturnType<typeof clientOf>

const failure = failuresOf('Redis')

const firstPauseMs = 50

/**
 * A connection that is made again whenever it breaks, hangs or returns invalid data. Resolves when the first attempt
 * has ended, with success or not. The Redis client does not reconnect by itself: it would wait forever for a server
 * that accepts the connection and then is silent. Errors and log lines contain neither the address nor its credentials.
 */
export async function connectRedis(url: string, log: Log, timeouts: RedisTimeouts): Promise<RedisConnection> {
  const closing = new AbortController()
  let ready: { client: Client; lose(cause: unknown): void } | null = null
  let isDown = false

  /**
   * Resolves when the connection is lost again; returns whether it had been established. `tried` is called when it is
   * established or has failed.
   */
  async function attempt(tried: () => void): Promise<boolean> {
    const client = clientOf(url, timeouts)
    const lost = Promise.withResolvers<never>()
    const lose = (cause: unknown) => lost.reject(cause instanceof Error ? cause : new Error('the connection was lost'))
    for (const event of ['error', 'terminated', 'end'] as const) client.on(event, lose)
    closing.signal.addEventListener('abort', lose)
    let since = Number.POSITIVE_INFINITY
    try {
      await Promise.race([within(timeouts.connect, client.connect().then(expectPong)), lost.promise])
      if (isDown) log.info({}, 'Redis is reachable again')
      isDown = false
      ready = { client, lose }
      since = performance.now()
      tried()
      return await lost.promise
    } catch (error) {
      if (!isDown && !closing.signal.aborted) log.warn({ reason: reasonOf(error) }, 'Redis is unreachable')
      isDown = true
      return performance.now() - since > timeouts.between
    } finally {
      ready = null
      closing.signal.removeEventListener('abort', lose)
      client.destroy()
      tried()
    }
  }

  const first = Promise.withResolvers<void>()
  const keepConnected = async () => {
    const pauses = { first: firstPauseMs, max: timeouts.between }
    let failures = 0
    while (!closing.signal.aborted) {
      failures = (await attempt(first.resolve)) ? 0 : failures + 1
      await sleep(pauseAfter(pauses, failures), null, { ref: false, signal: closing.signal }).catch(() => {})
    }
  }
  const connected = keepConnected()
  connected.catch(first.reject)
  await first.promise

  return {
    run: async (name, command, isAnswer) => {
      const connection = ready
      if (connection === null)
        throw failure('unreachable', `${name} failed: there is no connection`, { wasSent: false })
      try {
        const answer = await within(timeouts.command, command(connection.client))
        if (isAnswer(answer)) return answer
        throw new Error('it answered something else')
      } catch (error) {
        // A refusal is an answer; but a server that became read-only will accept no writes on this connection.
        const isRefusal = error instanceof ErrorReply && !error.message.startsWith('READONLY')
        if (!isRefusal) connection.lose(error)
        throw failure(isRefusal ? 'refused' : 'unreachable', `${name} failed: ${reasonOf(error)}`)
      }
    },
    close: async () => {
      closing.abort()
      await connected
    },
  }
}

function clientOf(url: string, { connect }: RedisTimeouts) {
  const client = createClient({
    url,
    // Every server and proxy supports version 2, and nothing here needs version 3.
    RESP: 2,
    socket: { connectTimeout: connect, reconnectStrategy: false },
    disableOfflineQueue: true,
    // Every command has its own timeout here.
    commandOptions: { timeout: 0 },
    maintNotifications: 'disabled',
  })
  // Without a listener an error event would end the process.
  client.on('error', () => {})
  return client
}

async function expectPong(client: { ping(): Promise<unknown> }): Promise<void> {
  if ((await client.ping()) !== 'PONG') throw new Error('the server is not Redis')
}

/** Only the first word of the server's message, its code: the rest may repeat what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof ErrorReply) return /^[A-Z]+/.exec(error.message)?.[0] ?? 'an error'
  if (!(error instanceof Error)) return 'an error'
  return systemCodeOf(error) ?? (error.message || error.name)
}
