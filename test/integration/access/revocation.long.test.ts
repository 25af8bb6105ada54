import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Config } from '../../../src/config.ts'
import { apiKeysOf, errorOf } from '../../support/access/api-keys.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { bootReplica } from '../../support/process/boot-replica.ts'
import { type RedisFault, type RedisServer, startRedisServer } from '../../support/redis/server.ts'
import { waited } from '../../support/waited.ts'

let redis: RedisServer
let base: TestApp
let owner: string
let open: TestApp[]
let aheadMs: number
/** Where the clock stands, if it does. */
let standing: number | null

beforeAll(async () => {
  redis = await startRedisServer()
  base = await boot()
  owner = await base.principal({ id: 'owner', namespace: 'acme' })
})
beforeEach(() => {
  redis.fault = null
  redis.databases.clear()
  open = []
  aheadMs = 0
  standing = null
})
afterEach(async () => {
  for (const app of open) await app.close()
})
afterAll(async () => {
  await base.close()
  await redis.close()
})

const nowhere: Config['keyValue'] = { kind: 'redis', url: 'redis://127.0.0.1:1' }
const inRedis = (): Config['keyValue'] => ({ kind: 'redis', url: redis.url })

/** A replica on the shared catalog and the shared clock, which the test can set ahead. */
async function replica(keyValue: Config['keyValue']): Promise<TestApp> {
  const clock = { now: () => (standing ?? Date.now()) + aheadMs }
  const app = await bootReplica(base, { config: { keyValue }, bindings: { clock } })
  open.push(app)
  if (keyValue !== nowhere) await expect.poll(() => app.runtime.bindings.keyValue.ping()).toBeUndefined()
  return app
}

const statusOf = async (app: TestApp, token: string) => (await app.call('GET', '/v1/context', { token })).status

/** A key that both replicas know, revoked on the first one. */
async function revokedAt(app: TestApp, other: TestApp): Promise<string> {
  const keys = apiKeysOf(app)
  const { id, token } = await keys.mint(owner)
  for (const each of [app, other, other]) expect(await statusOf(each, token)).toBe(200)
  expect(errorOf(await keys.revoke(id, { token: owner }))).toBeNull()
  expect(await statusOf(app, token)).toBe(401)
  return token
}

describe('a revoked token, at another replica', () => {
  it('is dead at once where they share a Redis', async () => {
    const [one, other] = [await replica(inRedis()), await replica(inRedis())]
    const token = await revokedAt(one, other)
    expect(await statusOf(other, token)).toBe(401)
  })

  it('is dead 4 s later where they share nothing but the catalog', async () => {
    const [one, other] = [await replica({ kind: 'memory' }), await replica({ kind: 'memory' })]
    standing = Date.now()
    const token = await revokedAt(one, other)
    aheadMs = 1000
    expect(await statusOf(other, token)).toBe(200)
    aheadMs = 4000
    expect(await statusOf(other, token)).toBe(401)
  })

  it('is dead at once when Redis is down for both', async () => {
    const [one, other] = [await replica(inRedis()), await replica(inRedis())]
    await redis.stop()
    const token = await revokedAt(one, other)
    expect(await statusOf(other, token)).toBe(401)
    await redis.start()
  })

  it('is dead within 5 s when Redis is down for the one that revokes it alone', async () => {
    const [one, other] = [await replica(nowhere), await replica(inRedis())]
    const token = await revokedAt(one, other)
    const { ms } = await waited(async () => {
      while ((await statusOf(other, token)) === 200) await sleep(50)
    })
    expect(ms).toBeLessThan(5000)
  })

  it('stays dead when the clock is set back', async () => {
    const [one, other] = [await replica({ kind: 'memory' }), await replica({ kind: 'memory' })]
    const token = await revokedAt(one, other)
    aheadMs = -3_600_000
    expect(await statusOf(other, token)).toBe(401)
  })
})

describe('a token, whatever Redis says', () => {
  const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')
  const everything = JSON.stringify({ principalId: 'owner', restrictions: {}, expiresAt: null })

  it('identifies no one else, and an invented one for nobody', async () => {
    const visitor = await base.principal({ id: 'visitor', namespace: 'acme' })
    const invented = 'svc_sk_owner_00000000000000000000000000000000'
    for (const value of [everything, 'not json', '', 'null', '[]']) {
      const kept = new Map()
      for (const token of [invented, visitor]) {
        for (const name of ['token', 'revoked']) kept.set(`svc:${name}/${hashOf(token)}`, { value, until: Infinity })
      }
      redis.databases.set(0, kept)
      for (let i = 0; i < 2; i++) {
        expect(await statusOf(app, invented)).toBe(401)
        const { status, body } = await app.graphql('{ context { principal { principalId } } }', {}, { token: visitor })
        expect([status, body.data?.context.principal.principalId]).toEqual([200, 'visitor'])
      }
    }
  })

  it('is written nowhere there, nor whom it stands for', async () => {
    const [one, other] = [await replica(inRedis()), await replica(inRedis())]
    redis.commands.length = 0
    const token = await revokedAt(one, other)
    const written = redis.commands.filter(([name]) => name !== 'GET' && name !== 'PING')
    expect(written).toEqual([['SET', `svc:revoked/${hashOf(token)}`, '1', 'PX', '8000']])
    expect(JSON.stringify(redis.commands)).not.toContain(token)
  })

  let app: TestApp
  beforeAll(async () => {
    app = await bootReplica(base, { config: { keyValue: inRedis() } })
  })
  afterAll(() => app.close())
  const faults: RedisFault[] = [
    'hang',
    'drop',
    'garbage',
    'http',
    'error',
    'loading',
    'read-only',
    'other-type',
    'slow',
  ]
  for (const fault of faults) {
    it(`works, and soon: ${fault}`, async () => {
      expect(await statusOf(app, owner)).toBe(200)
      redis.fault = fault
      for (let i = 0; i < 5; i++) {
        const { result, ms } = await waited(() => statusOf(app, owner))
        expect(result).toBe(200)
        expect(ms).toBeLessThan(1500)
      }
      const token = await revokedAt(app, app)
      expect(await statusOf(app, token)).toBe(401)
    })
  }
})
