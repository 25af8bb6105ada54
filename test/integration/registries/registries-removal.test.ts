import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type CallOptions, superAdminToken, type TestApp } from '../../support/boot.ts'
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

const send = (method: string, path: string, token: string, options: CallOptions = {}) =>
  app.call(method, path, { token, ...options })
const claim = (token: string, namespace: string) => send('POST', '/v1/namespaces', token, { body: { namespace } })
const addPrincipal = async (token: string, namespace: string, body: object = {}) =>
  (await send('POST', '/v1/principals', token, { namespace, body })).body
const grant = (token: string, namespace: string, body: object) => send('POST', '/v1/grants', token, { namespace, body })
const ingest = (token: string, scope: string) => {
  const body = { units: [{ text: `a lantern in ${scope}`, acl_groups: ['*'] }] }
  return send('POST', '/v1/ingest', token, { scope, body })
}

describe('the last admin', () => {
  it('stays, whether by its grant or by itself', async () => {
    const owner = await app.principal({ id: 'kim', namespace: 'u-kim-1', signedUp: true })
    await claim(owner, 'kim-labs')
    const [own] = (await send('GET', '/v1/grants', owner)).body.grants
    const removeGrant = (id: string) => send('DELETE', `/v1/grants/${id}`, owner)
    const removePrincipal = (id: string) => send('DELETE', `/v1/principals/${id}`, owner)
    expect((await removeGrant(own.id)).body).toMatchObject({ status: 400, detail: expect.stringContaining('last') })
    expect((await removePrincipal('kim')).body).toMatchObject({ status: 400, detail: expect.stringContaining('last') })

    // An admin of a part or a read-only admin cannot take over.
    const part = await addPrincipal(owner, 'kim-labs')
    await grant(owner, 'kim-labs', { principal_id: part.principal_id, scope: 'a', perms: ['admin'] })
    const blind = await addPrincipal(owner, 'kim-labs', { read_only: true })
    await grant(owner, 'kim-labs', { principal_id: blind.principal_id, scope: '*', perms: ['admin'] })
    expect((await removeGrant(own.id)).status).toBe(400)
    expect((await removePrincipal('kim')).status).toBe(400)

    // With a second grant the first may be removed, but the principal stays the last admin.
    const twice = (await grant(owner, 'kim-labs', { principal_id: 'kim', scope: '*', perms: ['admin'] })).body
    expect((await removePrincipal('kim')).status).toBe(400)
    expect((await removeGrant(twice.id)).status).toBe(200)

    const heir = await addPrincipal(owner, 'kim-labs')
    await grant(owner, 'kim-labs', { principal_id: heir.principal_id, scope: '*', perms: ['admin'] })
    const both = await Promise.all([
      removePrincipal(heir.principal_id),
      send('DELETE', '/v1/principals/kim', heir.token),
    ])
    expect(both.filter((r) => r.status === 200)).toHaveLength(1)
  })
})

describe('deleting a principal', () => {
  it('takes its tokens and its grants everywhere, and shows in every chain', async () => {
    const [owner, host] = await Promise.all([
      app.principal({ id: 'lee', namespace: 'lee-labs' }),
      app.principal({ id: 'mia', namespace: 'mia-labs' }),
    ])
    const worker = await addPrincipal(owner, 'lee-labs')
    const { principal_id } = worker
    await grant(owner, 'lee-labs', { principal_id, scope: '*', perms: ['read', 'write'] })
    const foreign = (await grant(host, 'mia-labs', { principal_id, scope: '*', perms: ['read'] })).body
    expect((await send('GET', '/v1/units', worker.token, { namespace: 'mia-labs' })).status).toBe(200)

    const { body } = await send('DELETE', `/v1/principals/${principal_id}`, owner)
    expect(body).toEqual({ deleted: true, tokens: 1, grants: 1 })
    expect((await send('GET', '/v1/units', worker.token)).status).toBe(401)
    const left = (await send('GET', '/v1/grants', host)).body.grants
    expect(left.map((g: { id: string }) => g.id)).not.toContain(foreign.id)
  })

  it('of the seed is undone by seeding again', async () => {
    const [demo, app2] = [superAdminToken, await boot()]
    const first = (await app2.call('POST', '/v1/admin/seed')).body.tokens
    await app2.call('DELETE', '/v1/principals/demo-readonly', { token: first.admin })
    expect((await app2.call('GET', '/v1/context', { token: first.readonly })).status).toBe(401)
    const { tokens } = (await app2.call('POST', '/v1/admin/seed', { token: demo })).body
    const { body } = await app2.call('GET', '/v1/context', { token: tokens.readonly })
    expect(body).toMatchObject({ perms: ['read'], effective_scopes: ['harbor/backend'] })
    await app2.close()
  })
})

describe('deleting a namespace', () => {
  it('hides all of it at once, sweeps its Units, and is final', async () => {
    const owner = await app.principal({ id: 'nora', namespace: 'u-nora-1', signedUp: true })
    await claim(owner, 'nora-labs')
    for (const scope of ['a', 'a/b', 'c']) expect((await ingest(owner, scope)).status).toBe(200)
    const worker = await addPrincipal(owner, 'nora-labs')
    await grant(owner, 'nora-labs', { principal_id: worker.principal_id, scope: '*', perms: ['read'] })
    const elsewhere = await app.principal({ id: 'olga', namespace: 'olga-labs' })
    await grant(elsewhere, 'olga-labs', { principal_id: worker.principal_id, scope: '*', perms: ['read'] })
    await grant(owner, 'nora-labs', { principal_id: 'olga', scope: '*', perms: ['read'] })
    const search = (token: string) =>
      send('POST', '/v1/search', token, { namespace: 'nora-labs', body: { q: 'lantern' } })
    expect((await search(elsewhere)).body.hits).toHaveLength(3)

    const deletions = await Promise.all([1, 2].map(() => send('DELETE', '/v1/namespaces/nora-labs', owner)))
    // The second deletion is too late: the namespace is gone, or the caller, whose home it was.
    expect(deletions.map((r) => r.status).sort()).toEqual([
      200,
      expect.toSatisfy((status) => [401, 403].includes(status)),
    ])
    const done = deletions.find((r) => r.status === 200)
    expect(done?.body).toEqual({ deleted: true, scopes: 3, grants: 3, principals: 2 })

    for (const token of [elsewhere, superAdminToken]) {
      expect((await search(token)).status).toBe(403)
      expect((await send('GET', '/v1/units', token, { namespace: 'nora-labs' })).status).toBe(403)
      expect((await send('GET', '/v1/namespaces/nora-labs', token)).status).toBe(403)
      expect((await claim(token, 'nora-labs')).status).toBe(403)
    }
    for (const token of [owner, worker.token]) expect((await send('GET', '/v1/context', token)).status).toBe(401)
    expect((await send('GET', '/v1/grants', elsewhere)).body.grants).toHaveLength(1)

    await app.runtime.domain.background.idle()
    await app.close({ keep: true })
    isOpen = false
    await withCatalogRows(app.storage, async (sql) => {
      const units = await sql<{ state: string; text: string }>(
        `SELECT u.state FROM unit u JOIN namespace n ON n.id = u.namespace_id WHERE n.name = 'nora-labs'`,
      )
      expect(units.map((u) => u.state)).toEqual(['tombstoned', 'tombstoned', 'tombstoned'])
      const actions = await sql<{ name: string; action: string; target: string | null }>(
        `SELECT n.name, r.action, r.target FROM audit_row r JOIN namespace n ON n.id = r.namespace_id
         WHERE n.name IN ('nora-labs', 'u-nora-1', 'olga-labs', 'mia-labs') AND r.outcome = 'ok'
           AND r.action NOT IN ('search.run', 'units.list') ORDER BY n.name, r.seq`,
      )
      const of = (name: string) => actions.filter((row) => row.name === name).map((row) => row.action)
      expect(of('nora-labs').slice(-2)).toEqual(['namespace.delete', 'scope.sweep'])
      expect(of('nora-labs')[0]).toBe('namespace.claim')
      expect(of('u-nora-1')).toEqual(['namespace.claim', 'grant.delete'])
      expect(of('olga-labs')).toEqual(['grant.create', 'grant.delete'])
      expect(of('mia-labs')).toEqual(['grant.create', 'grant.delete'])
      const rows = await sql('SELECT detail, target FROM audit_row')
      expect(JSON.stringify(rows)).not.toMatch(/svc_sk_/)
    })
    expect(await expectSoundCatalog(app.storage)).toBeGreaterThan(20)
  })
})
