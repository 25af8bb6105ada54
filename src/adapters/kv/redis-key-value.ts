import type { Log } from '../../model/log.ts'
import type { KeyValue } from '../../ports/stores/key-value.ts'
import { type Client, connectRedis, type RedisTimeouts } from './redis-connection.ts'

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
