import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type CallOptions, type TestApp } from '../../support/boot.ts'

let app: TestApp
const tokens: Record<string, string> = {}
beforeAll(async () => {
  app = await boot()
  tokens.reader = await app.principal({
    id: 'reader',
    namespace: 'shop',
    tier: 'free',
    grants: [{ scope: '*', perms: ['read'] }],
  })
  const restrictions = { groups: ['staff'] }
  tokens.keyed = await app.principal({ id: 'keyed', namespace: 'shop', groups: ['staff'], restrictions })
})
afterAll(() => app.close())

const bad = 'a//b'
const elsewhere = { namespace: 'nowhere' }
const topK = (n: number) => `{ answer(input: { q: "x", topK: ${n} }) { hiddenByAcl } }`
const scope = (path: string) => `mutation { createScope(input: { scope: "${path}" }) { scope } }`
const key = 'mutation { createApiKey(input: { name: "k", expiresAt: 1 }) { token } }'

it.each<[string, string, string | null, CallOptions, number]>([
  ['401 before 400', scope(bad), null, {}, 401],
  ['401 before 400 of a plain argument', '{ units(limit: 0) { nextCursor } }', null, {}, 401],
  ['403 for the namespace before 400', scope(bad), 'reader', elsewhere, 403],
  ['400 before 403', scope(bad), 'reader', {}, 400],
  ['403', scope('a'), 'reader', {}, 403],
  ['400 before 403 of a restricted key', scope(bad), 'keyed', {}, 400],
  ['403 of a restricted key', scope('a'), 'keyed', {}, 403],
  ['400 before 402', topK(51), 'reader', {}, 400],
  ['402', topK(50), 'reader', {}, 402],
  ['400 of a state', key, 'reader', {}, 400],
  [
    '401 before 400 of the billing cursor',
    'mutation { reconcileBilling(secret: "x", cursor: "x") { pages } }',
    null,
    {},
    401,
  ],
])('%s', async (_, query, who, options, status) => {
  const token = who === null ? undefined : tokens[who]
  const { body } = await app.graphql(query, {}, { ...options, ...(token !== undefined && { token }) })
  expect(body.errors).toMatchObject([{ extensions: { status } }])
})
