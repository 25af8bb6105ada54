import { createHash } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { boot, type TestApp } from '../support/boot.ts'
import { identityContract } from './identity.contract.ts'

let app: TestApp
let now = 0
let principals = 0

beforeAll(async () => {
  app = await boot({ bindings: { clock: { now: () => now } } })
})
afterAll(() => app.close())

identityContract('bearer tokens over the catalog', async () => {
  const { catalog, identity } = app.runtime.bindings
  return {
    identity,
    issue: async (options = {}) => {
      principals += 1
      const principalId = `p${principals}`
      const token = await app.principal({ id: principalId, namespace: 'tokens', ...options })
      return { token, principalId, hash: createHash('sha256').update(token).digest('hex') }
    },
    revoke: async ({ principalId, hash }) => {
      const other = {
        hash: `not-${hash}`,
        id: `key_${hash}`,
        name: 'test',
        createdAt: 0,
        expiresAt: null,
        restrictions: {},
      }
      await catalog.provision((tx) => tx.replaceTokens(principalId, other))
    },
    setTime: (time) => {
      now = time
    },
  }
})
