import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, ErrorReply } from '@redis/client'
import type { Log } from '../../model/log.ts'
import { within } from '../resilience/deadline.ts'
import { failuresOf, systemCodeOf } from '../resilience/remote-error.ts'

/** Milliseconds: of one attempt to connect, of a command, and between attempts at most. */
export interface RedisTimeouts {
  connect: number
  command: number
  between: number
}

export interface RedisConnection {
  /**
   * Fails at once while there is no connection. A command that is not answered in time, or with what `isAnswer` does not
   * take, ends the connection: what comes next on it may belong to another command.
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
 * A connection that is made anew whenever it breaks, hangs or speaks nonsense. Resolves once the first attempt has ended,
 * whichever way. It is not the client that connects again: that one would wait for ever for a server that takes the
 * connection and then is silent. Errors and log lines hold neither the address nor what is in it.
 */
export async function connectRedis(url: string, log: Log, timeouts: RedisTimeouts): Promise<RedisConnection> {
  const closing = new AbortController()
  let ready: { client: Client; lose(cause: unknown): void } | null = null
  let isDown = false

  /** Resolves when the connection is lost again; says whether it had lasted. `tried` is called once it is there, or not. */
  async function attempt(tried: () => void): Promise<boolean> {
    const client = clientOf(url, timeouts)
    const lost = Promise.withResolvers<never>()
    const lose = (cause: unknown) => lost.reject(cause instanceof Error ? cause : new Error('the connection was lost'))
    for (const event of ['error', 'terminated', 'end'] as const) client.on(event, lose)
    closing.signal.addEventListener('abort', lose)
    let since = Number.POSITIVE_INFINITY
    try {
      await Promise.race([within(timeouts.connect, client.connect().then(expectPong)), lost.promise])
      if (isDown) log.info({}, 'Redis is reached again')
      isDown = false
      ready = { client, lose }
      since = performance.now()
      tried()
      return await lost.promise
    } catch (error) {
      if (!isDown && !closing.signal.aborted) log.warn({ reason: reasonOf(error) }, 'Redis cannot be reached')
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
    let pause = firstPauseMs
    while (!closing.signal.aborted) {
      pause = (await attempt(first.resolve)) ? firstPauseMs : Math.min(pause * 2, timeouts.between)
      await sleep(pause, null, { ref: false, signal: closing.signal }).catch(() => {})
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
        // A refusal is an answer; but who only reads will not write on this connection any more.
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
    // Version 2 is understood by every server and proxy; nothing that is used here needs 3.
    RESP: 2,
    socket: { connectTimeout: connect, reconnectStrategy: false },
    disableOfflineQueue: true,
    // Every command has a limit of its own here.
    commandOptions: { timeout: 0 },
    maintNotifications: 'disabled',
  })
  // Without a listener an error would end the process.
  client.on('error', () => {})
  return client
}

async function expectPong(client: { ping(): Promise<unknown> }): Promise<void> {
  if ((await client.ping()) !== 'PONG') throw new Error('the server is not Redis')
}

/** Of what the server says only the first word, its code: the rest may repeat what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof ErrorReply) return /^[A-Z]+/.exec(error.message)?.[0] ?? 'an error'
  if (!(error instanceof Error)) return 'an error'
  return systemCodeOf(error) ?? (error.message || error.name)
}
