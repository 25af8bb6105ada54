import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, ErrorReply } from '@redis/client'
import { pauseAfter } from '../../async/backoff.ts'
import { within } from '../../async/limits.ts'
import type { Log } from '../../model/log.ts'
import type { KeyValue } from '../../ports/stores/key-value.ts'
import { failuresOf, systemCodeOf } from '../resilience/remote-error.ts'

export interface RedisConfig {
  /** `redis[s]://[[user]:password@]host[:port][/database]` */
  url: string
  /** The prefix of every key: others may use the same database. */
  prefix: string
}

const timeouts: RedisTimeouts = { connect: 1000, command: 500, between: 2000 }

/** Redis, version 2.6.12 or later. It may be down: until it is up, every call fails at once. */
export async function createRedisKeyValue(
  { url, prefix }: RedisConfig,
  log: Log,
  waits: RedisTimeouts = timeouts,
): Promise<KeyValue> {
  const connection = await connectRedis(url, log, waits)
  const keyOf = (key: string) => `${prefix}${key}`
  const remove = async (key: string) => {
    await connection.run('DEL', (client) => client.del(keyOf(key)), isCount)
  }

  return {
    engine: 'redis',
    get: (key) => connection.run('GET', (client) => client.get(keyOf(key)), isValue),
    set: async (key, value, ttlMs) => {
      if (ttlMs <= 0) return remove(key)
      const expiration = { type: 'PX', value: Math.ceil(ttlMs) } as const
      await connection.run('SET', (client) => client.set(keyOf(key), value, { expiration }), isOk)
    },
    increment: async (key, ttlMs) => {
      const start = { condition: 'NX', expiration: { type: 'PX', value: Math.ceil(ttlMs) } } as const
      // Both or none: a count that never expires would lock someone out forever.
      const both = (client: Client) => client.multi().set(keyOf(key), '0', start).incr(keyOf(key)).exec()
      const [, count] = await connection.run('INCR', both, isStartAndCount)
      return count
    },
    delete: remove,
    ping: async () => {
      await connection.run('PING', (client) => client.ping(), isPong)
    },
    close: () => connection.close(),
  }
}

const isValue = (answer: unknown): answer is string | null => typeof answer === 'string' || answer === null
const isOk = (answer: unknown): answer is 'OK' => answer === 'OK'
const isPong = (answer: unknown): answer is 'PONG' => answer === 'PONG'
const isCount = (answer: unknown): answer is number => Number.isSafeInteger(answer)
const isStartAndCount = (answer: unknown): answer is [unknown, number] =>
  Array.isArray(answer) && answer.length === 2 && isCount(answer[1])

/** Milliseconds: of one attempt to connect, of a command, and the longest pause between attempts. */
interface RedisTimeouts {
  connect: number
  command: number
  between: number
}

interface RedisConnection {
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
async function connectRedis(url: string, log: Log, timeouts: RedisTimeouts): Promise<RedisConnection> {
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
