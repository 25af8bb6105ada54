import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRedisKeyValue } from '../../src/adapters/kv/redis-key-value.ts'
import type { KeyValue } from '../../src/ports/stores/key-value.ts'
import { hasRealRedis, type RealRedis, startRealRedis } from '../support/redis/real-redis.ts'
import { type RedisServer, startRedisServer } from '../support/redis/server.ts'
import { waited } from '../support/waited.ts'
import { keyValueContract } from './key-value.contract.ts'

const password = 'hush:hush/hush@ü%'
/** A long timeout, for a busy machine; it only passes in full if a server is silent. */
const timeouts = { connect: 1500, command: 500, between: 100 }
const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const freshPrefix = () => `test-${randomBytes(8).toString('hex')}:`

let redis: RedisServer
let lines: unknown[][]
let open: KeyValue[]

beforeAll(async () => {
  redis = await startRedisServer({ password })
})
beforeEach(() => {
  redis.fault = null
  lines = []
  open = []
})
afterEach(() => Promise.all(open.map((kv) => kv.close())))
afterAll(() => redis.close())

async function connect({ url = redis.url, prefix = freshPrefix() } = {}): Promise<KeyValue> {
  const keep = (...line: unknown[]) => {
    lines.push(line)
  }
  const kv = await createRedisKeyValue({ url, prefix }, { ...quiet, info: keep, warn: keep }, timeouts)
  open.push(kv)
  return kv
}

keyValueContract('redis, the local server', () =>
  createRedisKeyValue({ url: redis.url, prefix: freshPrefix() }, quiet, { ...timeouts, command: 5000 }),
)

describe.skipIf(!hasRealRedis)('a real Redis (TEST_REDIS_URL, or a redis-server in the PATH)', () => {
  let real: RealRedis
  beforeAll(async () => {
    real = await startRealRedis()
  })
  afterAll(() => real[Symbol.asyncDispose]())
  keyValueContract('redis, a real one', () => createRedisKeyValue({ url: real.url, prefix: freshPrefix() }, quiet))
})

/** Resolves when the server answers again. */
async function recovered(kv: KeyValue): Promise<void> {
  for (;;) {
    if (
      await kv.ping().then(
        () => true,
        () => false,
      )
    )
      return
    await sleep(20)
  }
}

/** The error of a call, and the time until it, in milliseconds. */
async function failureOf(call: Promise<unknown>): Promise<{ text: string; ms: number }> {
  const { result: error, ms } = await waited(() =>
    call.then(
      () => null,
      (failure: unknown) => failure,
    ),
  )
  if (!(error instanceof Error)) throw new Error('it did not fail')
  return { text: inspect(error, { depth: 9, showHidden: true }), ms }
}

describe('the key-value store in Redis', () => {
  it('puts its prefix in front of every key, and an end on every value', async () => {
    const kv = await connect({ prefix: 'svc:' })
    await kv.set('a', '1', 60_000)
    await kv.increment('b', 60_000)
    const kept = redis.databases.get(0) ?? new Map()
    for (const key of ['svc:a', 'svc:b']) {
      expect(kept.get(key)?.until - performance.now()).toBeGreaterThan(50_000)
      expect(kept.get(key)?.until - performance.now()).toBeLessThanOrEqual(60_000)
    }
  })

  it('uses the database that the address names', async () => {
    const kv = await connect({ url: `${redis.url}/7`, prefix: '' })
    await kv.set('here', 'x', 60_000)
    expect([...(redis.databases.get(7)?.keys() ?? [])]).toEqual(['here'])
    expect(await (await connect({ prefix: '' })).get('here')).toBeNull()
  })

  it('shares what it keeps with others', async () => {
    const prefix = freshPrefix()
    const [one, other] = [await connect({ prefix }), await connect({ prefix })]
    await one.set('k', 'x', 60_000)
    expect(await other.get('k')).toBe('x')
    expect([await one.increment('n', 60_000), await other.increment('n', 60_000)]).toEqual([1, 2])
  })

  const faults = ['hang', 'drop', 'garbage', 'http', 'error', 'loading', 'read-only', 'other-type', 'slow'] as const
  for (const fault of faults) {
    it(`fails in time and recovers by itself: ${fault}`, async () => {
      redis.delayMs = 900
      const kv = await connect()
      await kv.set('k', 'before', 60_000)
      redis.fault = fault
      for (let i = 0; i < 3; i++) {
        const calls = [kv.get('k'), kv.set('k', 'x', 60_000), kv.increment('n', 60_000), kv.delete('d'), kv.ping()]
        for (const { ms } of await Promise.all(calls.map(failureOf))) expect(ms).toBeLessThan(1000)
      }
      redis.fault = null
      // The commands sent before may or may not have been executed.
      await recovered(kv)
      expect(['before', 'x']).toContain(await kv.get('k'))
      expect(await kv.increment('fresh', 60_000)).toBe(1)
    })
  }

  it('fails at once after a first command that was not answered', async () => {
    const kv = await connect()
    redis.fault = 'hang'
    await failureOf(kv.get('k'))
    // Calls that wait take half a second each.
    for (let i = 0; i < 20; i++) expect((await failureOf(kv.get('k'))).ms).toBeLessThan(400)
  })

  it('says why it counts as down', async () => {
    const kv = await connect()
    redis.fault = 'hang'
    await failureOf(kv.get('k'))
    expect(lines).toEqual([[{ reason: 'no answer in time' }, 'Redis is unreachable']])
  })

  it('starts though nothing listens, and connects once something does', async () => {
    await redis.stop()
    const { result: kv, ms } = await waited(() => connect())
    expect(ms).toBeLessThan(1500)
    expect((await failureOf(kv.ping())).ms).toBeLessThan(450)
    await redis.start()
    await recovered(kv)
    await kv.set('k', 'x', 60_000)
    expect(await kv.get('k')).toBe('x')
    // Logged once, however many attempts there were.
    expect(lines.map(([, message]) => message)).toEqual(['Redis is unreachable', 'Redis is reachable again'])
  })

  it('starts in time though the server is silent', async () => {
    redis.fault = 'hang'
    const { result: kv, ms } = await waited(() => connect())
    expect(ms).toBeLessThan(2500)
    redis.fault = null
    await recovered(kv)
  })

  it('does not keep trying without a pause', async () => {
    await connect()
    redis.fault = 'drop'
    const before = redis.connections
    await sleep(600)
    redis.fault = null
    expect(redis.connections - before).toBeLessThan(12)
  })

  it('is closed at once and for good, connected or not', async () => {
    const [kv, waiting] = [await connect(), await connect()]
    redis.fault = 'hang'
    await failureOf(waiting.get('k'))
    const { ms } = await waited(() => Promise.all([kv.close(), waiting.close()]))
    // Half a second is how long an answer is waited for.
    expect(ms).toBeLessThan(450)
    redis.fault = null
    const before = redis.connections
    await sleep(300)
    expect(redis.connections).toBe(before)
    await failureOf(kv.get('k'))
  })

  it('tells no password, right or wrong, and names the reason', async () => {
    const wrong = new URL(redis.url)
    wrong.password = 'hush-but-wrong'
    const unanswered = ['redis://:hush@127.0.0.1:1', `rediss://:hush@${wrong.host}`, wrong.href]
    for (const url of unanswered) {
      const kv = await connect({ url })
      expect((await failureOf(kv.get('k'))).text).not.toMatch(/hush/)
    }
    const kv = await connect()
    redis.fault = 'error'
    expect((await failureOf(kv.get('k'))).text).toMatch(/Redis GET failed: ERR/)
    const told = inspect(lines, { depth: 9, showHidden: true })
    expect(told).not.toMatch(/hush/)
    expect(told).toMatch(/ECONNREFUSED|EACCES/)
    expect(told).toMatch(/WRONGPASS/)
  })
})
