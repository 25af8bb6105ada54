import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type Reply, type TestApp } from '../../support/boot.ts'
import { expectSoundCatalog, withCatalogRows } from '../../support/database/catalog-rows.ts'

let app: TestApp
let isOpen = false

beforeAll(async () => {
  app = await boot()
  isOpen = true
})
afterAll(async () => {
  if (isOpen) await app.close({ keep: true })
  await app.storage.remove()
})

const count = 12
const inParallel = <T>(work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))
const statusesOf = (replies: readonly Reply[]) => new Set(replies.map((reply) => reply.status))

it('what is written while a namespace is deleted goes with it or is refused', async () => {
  const token = await app.principal({ id: 'boss', namespace: 'doomed' })
  const write = (i: number) =>
    app.call('POST', '/v1/ingest', { token, scope: `branch/${i}`, body: { units: [{ text: `late ${i}` }] } })
  expect(statusesOf(await inParallel(write))).toEqual(new Set([200]))
  const [late, deletion] = await Promise.all([
    inParallel((i) => write(i + count)),
    app.call('DELETE', '/v1/namespaces/doomed', { token }),
  ])
  expect(deletion.status).toBe(200)
  for (const status of statusesOf(late)) expect([200, 401, 403, 404]).toContain(status)
})

it('a principal is deleted while it makes scopes, keys and grants elsewhere', async () => {
  const host = await app.principal({ id: 'host', namespace: 'host-labs' })
  const owner = await app.principal({ id: 'owner', namespace: 'owner-labs' })
  const { principal_id, token } = (await app.call('POST', '/v1/principals', { token: owner, body: {} })).body
  const everything = { principal_id, scope: '*', perms: ['read', 'write', 'admin'] }
  for (const admin of [host, owner]) await app.call('POST', '/v1/grants', { token: admin, body: everything })
  const [made, , deletion] = await Promise.all([
    inParallel((i) => app.call('POST', '/v1/scopes', { token, namespace: 'host-labs', body: { scope: `guest-${i}` } })),
    inParallel(() => app.graphql('mutation { createApiKey(input: {name: "spare"}) { token } }', {}, { token })),
    app.call('DELETE', `/v1/principals/${principal_id}`, { token: owner }),
    app.call('DELETE', '/v1/scopes/guest-0', { token: host }),
  ])
  expect(deletion.body).toMatchObject({ deleted: true })
  for (const status of statusesOf(made)) expect([200, 401]).toContain(status)
  expect((await app.call('GET', '/v1/context', { token })).status).toBe(401)
})

it('leaves a catalog that is whole', async () => {
  await app.runtime.domain.background.idle()
  await app.close({ keep: true })
  isOpen = false
  await withCatalogRows(app.storage, async (sql) => {
    const live = await sql(
      `SELECT u.unit_id FROM unit u JOIN namespace n ON n.id = u.namespace_id
       WHERE n.deleted_at IS NOT NULL AND u.state = 'live'
       UNION ALL SELECT s.id FROM scope s JOIN namespace n ON n.id = s.namespace_id
       WHERE n.deleted_at IS NOT NULL AND (s.deleted_at IS NULL OR s.swept_at IS NULL)`,
    )
    expect(live).toEqual([])
  })
  expect(await expectSoundCatalog(app.storage)).toBeGreaterThan(count)
})
