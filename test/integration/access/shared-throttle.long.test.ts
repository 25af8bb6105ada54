import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Config } from '../../../src/config.ts'
import { openBrowser, password } from '../../support/access/browser.ts'
import { signInWith } from '../../support/access/sign-in.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { bootReplica } from '../../support/process/boot-replica.ts'
import { type RedisFault, type RedisServer, startRedisServer } from '../../support/redis/server.ts'
import { waited } from '../../support/waited.ts'

const tries = 3
const secret = 'the same secret on every replica of this test'

let redis: RedisServer
let base: TestApp
let open: TestApp[]

beforeAll(async () => {
  redis = await startRedisServer()
  base = await boot({ config: { signIn: signInWith({ secret }) } })
  await openBrowser(base).signUp('ada@example.com')
})
beforeEach(() => {
  redis.fault = null
  redis.databases.clear()
  open = []
})
afterEach(async () => {
  for (const app of open) await app.close()
})
afterAll(async () => {
  await base.close()
  await redis.close()
})

async function replica(keyValue: Config['keyValue'] = { kind: 'redis', url: redis.url }): Promise<TestApp> {
  const signIn = signInWith({ secret, throttle: { tries, windowSeconds: 60 } })
  const app = await bootReplica(base, { config: { keyValue, signIn } })
  open.push(app)
  await expect.poll(() => app.runtime.bindings.keyValue.ping()).toBeUndefined()
  return app
}

const attempt = async (app: TestApp, given = 'wrong') =>
  (await openBrowser(app).signIn('ada@example.com', given)).status

/** One after the other. */
async function attempts(app: TestApp, count: number): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < count; i++) statuses.push(await attempt(app))
  return statuses
}

describe('tries to sign in, with Redis', () => {
  it('are counted there for all replicas together', async () => {
    const [one, other] = [await replica(), await replica()]
    expect([await attempt(one), await attempt(other), await attempt(one)]).toEqual([401, 401, 401])
    expect(await attempt(other, password)).toBe(429)
    expect(await attempt(one, password)).toBe(429)
    const [[key = '', entry] = []] = redis.databases.get(0) ?? new Map()
    expect(key).toMatch(/^svc:attempts\/.*\/sign-in\/email$/)
    expect(entry.until - performance.now()).toBeLessThanOrEqual(60_000)
  })

  it('are counted exactly when they come all at once', async () => {
    const replicas = [await replica(), await replica()]
    const statuses = await Promise.all(Array.from({ length: 12 }, (_, i) => attempt(replicas[i % 2] ?? base)))
    expect(statuses.toSorted()).toEqual([...Array(tries).fill(401), ...Array(12 - tries).fill(429)])
  })

  it('are counted by each replica for itself while Redis is down: nobody is shut out, nobody tries without end', async () => {
    const [one, other] = [await replica(), await replica()]
    await redis.stop()
    expect(await attempts(one, tries + 1)).toEqual([401, 401, 401, 429])
    expect(await attempt(other, password)).toBe(200)
    await redis.start()
  })

  it('that were counted before it went down stay counted', async () => {
    const app = await replica()
    expect(await attempts(app, tries)).toEqual([401, 401, 401])
    await redis.stop()
    expect(await attempt(app, password)).toBe(429)
    await redis.start()
  })

  const faults: RedisFault[] = ['hang', 'other-type']
  for (const fault of faults) {
    it(`are answered, soon and not without end: ${fault}`, async () => {
      const app = await replica()
      redis.fault = fault
      const { result, ms } = await waited(() => attempt(app, password))
      expect(result).toBe(200)
      expect(ms).toBeLessThan(2000)
      expect(await attempts(app, tries)).toEqual([401, 401, 429])
    })
  }

  it('are not without end when someone writes something else there', async () => {
    const app = await replica()
    expect(await attempt(app)).toBe(401)
    const kept = redis.databases.get(0) ?? new Map()
    for (const value of ['-9', 'not a number']) {
      for (const key of kept.keys()) kept.set(key, { value, until: Infinity })
      await attempts(app, tries)
      expect(await attempt(app, password)).toBe(429)
    }
  })
})
