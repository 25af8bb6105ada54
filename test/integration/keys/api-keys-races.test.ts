import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBearerTokens } from '../../../src/adapters/identity/bearer-tokens.ts'
import { createMemoryKeyValue } from '../../../src/adapters/kv/memory-key-value.ts'
import { apiKeysOf, errorOf } from '../../support/access/api-keys.ts'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let keys: ReturnType<typeof apiKeysOf>
let owner: string

beforeAll(async () => {
  app = await boot()
  keys = apiKeysOf(app)
  owner = await app.principal({ id: 'owner', namespace: 'acme' })
})
afterAll(() => app.close())

/** Blocks callers of `pass`: `reached` resolves when one waits, `open` lets it continue. */
function gate() {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const pass = async () => {
    reached.resolve()
    await opened.promise
  }
  return { pass, reached: reached.promise, open: opened.resolve }
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

/** Removes the key from the catalog, without a notification to the identity. */
async function take(id: string): Promise<void> {
  const { catalog } = app.runtime.bindings
  const home = (await catalog.access.membership('owner', undefined, 0))?.principal.home.id ?? ''
  expect(await catalog.transact(home, ({ tokens }) => tokens.remove('owner', [id]))).toHaveLength(1)
}

describe('a revocation', () => {
  test('is not undone by a look-up that began before it', async () => {
    const { catalog, clock } = app.runtime.bindings
    const waiting = gate()
    const slow: typeof catalog.access = {
      ...catalog.access,
      token: async (hash) => {
        const found = await catalog.access.token(hash)
        await waiting.pass()
        return found
      },
    }
    const identity = createBearerTokens(slow, createMemoryKeyValue(), clock)
    const { id, token } = await keys.mint(owner)
    const early = identity.verifyToken(token)
    await waiting.reached
    await take(id)
    await identity.forget([hashOf(token)])
    waiting.open()
    // This check started when the key was still valid.
    expect(await early).toMatchObject({ principalId: 'owner' })
    expect(await identity.verifyToken(token)).toBeNull()
  })

  test('holds here at once, though the store that tells others keeps it waiting', async () => {
    const { catalog, clock } = app.runtime.bindings
    const waiting = gate()
    const memory = createMemoryKeyValue()
    const slow: typeof memory = {
      ...memory,
      set: async (...entry) => {
        await waiting.pass()
        await memory.set(...entry)
      },
    }
    const identity = createBearerTokens(catalog.access, slow, clock)
    const { id, token } = await keys.mint(owner)
    expect(await identity.verifyToken(token)).not.toBeNull()
    await take(id)
    const forgotten = identity.forget([hashOf(token)])
    await waiting.reached
    expect(await identity.verifyToken(token)).toBeNull()
    waiting.open()
    await forgotten
    expect(await identity.verifyToken(token)).toBeNull()
  })

  test('holds back no other look-up, and the cache is one', async () => {
    const { catalog, clock } = app.runtime.bindings
    const identity = createBearerTokens(catalog.access, createMemoryKeyValue(), clock)
    const { id, token } = await keys.mint(owner)
    await identity.forget([hashOf('another')])
    expect(await identity.verifyToken(token)).not.toBeNull()
    await take(id)
    expect(await identity.verifyToken(token)).not.toBeNull()
    await identity.forget([hashOf(token)])
    expect(await identity.verifyToken(token)).toBeNull()
  })

  test('holds from its answer on, whatever requests are under way', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, token } = await keys.mint(owner)
      const call = async () => (await app.call('GET', '/v1/context', { token })).status
      const early = [call(), call(), call()]
      const revoked = keys.revoke(id, { token: owner })
      const meanwhile = [call(), call(), call()]
      expect(errorOf(await revoked)).toBeNull()
      expect(await call()).toBe(401)
      for (const status of await Promise.all([...early, ...meanwhile])) expect([200, 401]).toContain(status)
      expect(await call()).toBe(401)
    }
  })
})

test('parallel minting stops at 100 keys, parallel revoking revokes once', async () => {
  const busy = await app.principal({ id: 'busy', namespace: 'acme' })
  const names = await Promise.all(Array.from({ length: 97 }, () => keys.mint(busy)))
  const last = await Promise.all(Array.from({ length: 6 }, () => keys.create({ name: 'x' }, { token: busy })))
  expect(last.map((reply) => errorOf(reply)?.status ?? 200).sort()).toEqual([200, 200, 400, 400, 400, 400])
  const [{ id } = { id: '' }] = names
  const revoked = await Promise.all(Array.from({ length: 4 }, () => keys.revoke(id, { token: busy })))
  expect(revoked.map((reply) => errorOf(reply)?.status ?? 200).sort()).toEqual([200, 404, 404, 404])
})
