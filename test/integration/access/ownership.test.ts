import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TierName } from '../../../src/model/tiers.ts'
import { boot, type CallOptions, superAdminToken, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

const everything = ['read', 'write', 'admin']
const send = (method: string, path: string, token: string, options: CallOptions = {}) =>
  app.call(method, path, { token, ...options })
const claim = (token: string, namespace: string) => send('POST', '/v1/namespaces', token, { body: { namespace } })
const addPrincipal = async (token: string, namespace: string): Promise<{ principal_id: string; token: string }> =>
  (await send('POST', '/v1/principals', token, { namespace, body: {} })).body
const makeAdmin = (token: string, namespace: string, principal_id: string) =>
  send('POST', '/v1/grants', token, { namespace, body: { principal_id, scope: '*', perms: everything } })
const remove = (path: string, token: string, namespace: string) => send('DELETE', path, token, { namespace })
const transfer = (token: string, namespace: string, principalId: string) =>
  app.graphql(
    `mutation ($input: TransferNamespaceInput!) {
      transferNamespace(input: $input) { namespace owner home tier } }`,
    { input: { namespace, principalId } },
    { token },
  )
const errorOf = (reply: { body: { errors?: { message: string; extensions: Record<string, unknown> }[] } }) =>
  reply.body.errors?.[0]?.extensions

/** Creates a console user, as a sign-up does. */
const signUp = (id: string, tier: TierName = 'enterprise') =>
  app.principal({ id, namespace: `home-of-${id}`, tier, signedUp: true })

/** Creates an owner whose home is its claimed namespace, and another admin of that namespace. */
async function ownedBy(id: string) {
  const namespace = `${id}-labs`
  const owner = await signUp(id)
  expect((await claim(owner, namespace)).body).toMatchObject({ owner: id, home: true })
  const invited = await addPrincipal(owner, namespace)
  await makeAdmin(owner, namespace, invited.principal_id)
  return { namespace, owner, invited }
}

describe('an owner', () => {
  it('is not removed by other admins, nor its grants or its namespace', async () => {
    const { namespace, owner, invited } = await ownedBy('ann')
    await send('POST', '/v1/scopes', owner, { body: { scope: 'plans' } })
    const { grants } = (await send('GET', '/v1/grants', owner)).body
    const own = grants.filter((grant: { principal_id: string }) => grant.principal_id === 'ann')
    expect(own).toHaveLength(2)
    for (const { id } of own) {
      expect((await remove(`/v1/grants/${id}`, invited.token, namespace)).body).toMatchObject({
        status: 403,
        error: 'forbidden',
      })
    }
    expect((await remove('/v1/principals/ann', invited.token, namespace)).status).toBe(403)
    expect((await remove(`/v1/namespaces/${namespace}`, invited.token, namespace)).status).toBe(403)
    expect((await send('GET', '/v1/context', owner)).body.perms).toEqual(everything)

    // The owner may remove its own grants while another admin is left; it stays the owner.
    for (const { id } of own.reverse()) expect((await remove(`/v1/grants/${id}`, owner, namespace)).status).toBe(200)
    const record = (await send('GET', `/v1/namespaces/${namespace}`, invited.token)).body
    expect(record).toMatchObject({ owner: 'ann' })
    expect((await remove(`/v1/principals/${invited.principal_id}`, superAdminToken, namespace)).status).toBe(400)
    expect((await remove('/v1/principals/ann', superAdminToken, namespace)).status).toBe(200)
    // After the owner is deleted, the admins have full control.
    expect((await remove(`/v1/namespaces/${namespace}`, invited.token, namespace)).status).toBe(200)
  })

  it('of an unregistered home is not removed by an admin that it invited', async () => {
    const owner = await signUp('host')
    const invited = await addPrincipal(owner, 'home-of-host')
    await makeAdmin(owner, 'home-of-host', invited.principal_id)
    expect((await remove('/v1/principals/host', invited.token, 'home-of-host')).status).toBe(403)
    expect((await remove('/v1/namespaces/home-of-host', invited.token, 'home-of-host')).status).toBe(403)
  })

  it('of another namespace is not removed by the admins of its home', async () => {
    const { namespace, owner } = await ownedBy('bob')
    const worker = await addPrincipal(owner, namespace)
    await send('POST', '/v1/scopes', owner, { body: { scope: 'here' } })
    expect((await claim(worker.token, 'workers-own')).body).toMatchObject({ owner: worker.principal_id, home: false })
    const path = `/v1/principals/${worker.principal_id}`
    expect((await remove(path, owner, namespace)).status).toBe(403)
    // A deletion of its home would delete it too.
    expect((await remove(`/v1/namespaces/${namespace}`, owner, namespace)).status).toBe(403)
    // The super-admin may, except if it is the last admin of a namespace.
    expect((await remove(path, superAdminToken, namespace)).body).toMatchObject({ status: 400 })
    expect((await remove(`/v1/namespaces/${namespace}`, superAdminToken, namespace)).status).toBe(400)
    expect((await send('GET', '/v1/context', worker.token, { namespace: 'workers-own' })).status).toBe(200)
    await makeAdmin(worker.token, 'workers-own', 'bob')
    expect((await remove(path, superAdminToken, namespace)).status).toBe(200)
    expect((await send('GET', '/v1/namespaces/workers-own', owner)).status).toBe(200)
  })
})

describe('the last admin of any namespace', () => {
  it('is not deleted in its home', async () => {
    const { namespace, owner } = await ownedBy('cleo')
    const { owner: host } = await ownedBy('dan')
    const worker = await addPrincipal(owner, namespace)
    await makeAdmin(host, 'dan-labs', worker.principal_id)
    const path = `/v1/principals/${worker.principal_id}`
    // It does not own that namespace, and others administer it.
    expect((await remove(path, owner, namespace)).status).toBe(200)

    const last = await addPrincipal(owner, namespace)
    await app.principal({ id: 'filler', namespace: 'ownerless', grants: [{ scope: '*', perms: ['read'] }] })
    await makeAdmin(superAdminToken, 'ownerless', last.principal_id)
    const reply = await remove(`/v1/principals/${last.principal_id}`, owner, namespace)
    expect(reply.body).toMatchObject({ status: 400, detail: expect.stringContaining('last admin') })
    expect((await remove(`/v1/namespaces/${namespace}`, owner, namespace)).status).toBe(400)
    expect((await send('GET', '/v1/context', last.token)).status).toBe(200)
  })

  it('stays when two are deleted at once in two namespaces', async () => {
    const one = await ownedBy('eva')
    const two = await ownedBy('fritz')
    const [a, b] = [await addPrincipal(one.owner, one.namespace), await addPrincipal(two.owner, two.namespace)]
    await app.principal({ id: 'filler-2', namespace: 'shared-out', grants: [{ scope: '*', perms: ['read'] }] })
    for (const { principal_id } of [a, b]) await makeAdmin(superAdminToken, 'shared-out', principal_id)
    const replies = await Promise.all([
      remove(`/v1/principals/${a.principal_id}`, one.owner, one.namespace),
      remove(`/v1/principals/${b.principal_id}`, two.owner, two.namespace),
    ])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
  })
})

describe('transferNamespace', () => {
  it('makes an admin principal the owner, and is recorded in the namespace and both homes', async () => {
    const { namespace, owner, invited } = await ownedBy('gus')
    const heir = await signUp('hana')
    expect(errorOf(await transfer(owner, namespace, 'hana'))).toMatchObject({ status: 400 })
    await makeAdmin(owner, namespace, 'hana')
    const { body } = await transfer(owner, namespace, 'hana')
    expect(body.data).toEqual({ transferNamespace: { namespace, owner: 'hana', home: true, tier: 'enterprise' } })
    // The former owner keeps its grants, but loses its protection.
    expect((await send('GET', '/v1/context', owner)).body.perms).toEqual(everything)
    expect((await transfer(owner, namespace, 'gus')).body.errors[0].extensions.status).toBe(403)
    expect((await remove('/v1/principals/hana', owner, namespace)).status).toBe(404)
    expect((await remove(`/v1/namespaces/${namespace}`, owner, namespace)).status).toBe(403)
    // A second transfer to the same owner changes nothing.
    expect((await transfer(heir, namespace, 'hana')).body.data.transferNamespace.owner).toBe('hana')
    const transfersIn = async (token: string, name: string) => {
      const { rows } = (await send('GET', '/v1/audit?limit=100', token, { namespace: name })).body
      return rows.filter((row: { action: string }) => row.action === 'namespace.transfer').reverse()
    }
    const first = { principal_id: 'gus', target: namespace, detail: { from: 'gus', to: 'hana' } }
    // The home of the former owner is the namespace itself.
    expect(await transfersIn(heir, namespace)).toMatchObject([first])
    expect(await transfersIn(heir, 'home-of-hana')).toMatchObject([first])
    expect((await remove('/v1/principals/gus', heir, namespace)).status).toBe(200)
    const moved = await transfer(superAdminToken, namespace, invited.principal_id)
    expect(moved.body.data.transferNamespace).toMatchObject({ owner: invited.principal_id })
    const second = { principal_id: 'super-admin', detail: { from: 'hana', to: invited.principal_id } }
    for (const name of [namespace, 'home-of-hana']) {
      expect(await transfersIn(heir, name)).toMatchObject([first, second])
      expect((await send('GET', '/v1/audit/verify', heir, { namespace: name })).body.intact).toBe(true)
    }
  })

  it('is refused to all others, and for what cannot be transferred', async () => {
    const { namespace, owner, invited } = await ownedBy('ida')
    const status = async (...args: Parameters<typeof transfer>) => errorOf(await transfer(...args))?.status
    const { principal_id } = invited
    for (const name of [namespace, 'no-such', 'demo', 'home-of-ida']) {
      expect(await status(invited.token, name, principal_id)).toBe(403)
    }
    expect(await status(superAdminToken, 'no-such', principal_id)).toBe(403)
    await signUp('jan')
    expect(await status(superAdminToken, 'home-of-jan', principal_id)).toBe(400)
    expect(await status(owner, 'home-of-ida', principal_id)).toBe(400)
    expect(await status(owner, namespace, 'no-such-principal')).toBe(400)
    expect(await status(owner, namespace, '')).toBe(400)
    const blind = (await send('POST', '/v1/principals', owner, { namespace, body: { read_only: true } })).body
    const agent = (await send('POST', '/v1/principals', owner, { namespace, body: { kind: 'agent' } })).body
    const plain = await addPrincipal(owner, namespace)
    for (const { principal_id } of [blind, agent]) await makeAdmin(owner, namespace, principal_id)
    for (const { principal_id } of [blind, agent, plain]) expect(await status(owner, namespace, principal_id)).toBe(400)
    const mint = 'mutation { createApiKey(input: { name: "half", perms: [read, write, admin] }) { token } }'
    const key = (await app.graphql(mint, {}, { token: owner })).body.data.createApiKey.token
    expect(await status(key, namespace, principal_id)).toBe(403)
    expect((await send('GET', `/v1/namespaces/${namespace}`, owner)).body.owner).toBe('ida')
  })
})

describe('max_namespaces', () => {
  it('counts what the principals of a home registered, all together', async () => {
    const owner = await signUp('kay', 'free')
    const home = 'home-of-kay'
    await send('POST', '/v1/scopes', owner, { body: { scope: 'stays' } })
    const workers = await Promise.all([1, 2, 3].map(() => addPrincipal(owner, home)))
    const all = [owner, ...workers.map(({ token }) => token)]
    const replies = await Promise.all(all.map((token, i) => claim(token, `kay-${i}`)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 402, 402, 402])
    for (const [i, token] of all.entries()) {
      const { status, body } = await claim(token, `kay-again-${i}`)
      expect([status, body.error, body.required_tier]).toEqual([402, 'quota_exceeded', 'pro'])
    }
  })

  it('counts what the owner of the home registered before it moved out', async () => {
    const owner = await signUp('lou', 'free')
    const worker = await addPrincipal(owner, 'home-of-lou')
    expect((await claim(owner, 'lou-labs')).body).toMatchObject({ home: true })
    expect((await claim(worker.token, 'lou-second')).status).toBe(402)
    expect((await claim(owner, 'lou-third')).status).toBe(402)
    const second = await addPrincipal(owner, 'lou-labs')
    expect((await claim(second.token, 'lou-fourth')).status).toBe(402)
  })

  it('counts a registered home itself', async () => {
    const token = await app.principal({ id: 'mo', namespace: 'mo-home', tier: 'free' })
    expect((await claim(token, 'mo-labs')).body).toMatchObject({ status: 402, error: 'quota_exceeded' })
    // Its own home does not count as another namespace.
    expect((await claim(token, 'mo-home')).body).toMatchObject({ owner: 'mo', home: true })
  })

  it('holds for transfers by any caller to a home that is full', async () => {
    const { namespace, owner } = await ownedBy('nell')
    await signUp('otis', 'free')
    const full = await signUp('pam', 'free')
    await claim(full, 'pam-labs')
    const worker = await addPrincipal(full, 'pam-labs')
    await makeAdmin(full, 'pam-labs', worker.principal_id)
    for (const heir of ['otis', 'pam', worker.principal_id]) await makeAdmin(owner, namespace, heir)
    for (const heir of ['pam', worker.principal_id]) {
      expect(errorOf(await transfer(owner, namespace, heir))).toMatchObject({ status: 402, required_tier: 'pro' })
      expect(errorOf(await transfer(superAdminToken, namespace, heir))).toMatchObject({ status: 402 })
    }
    // A transfer within the same home adds nothing.
    expect((await transfer(full, 'pam-labs', worker.principal_id)).body.data.transferNamespace.owner).toBe(
      worker.principal_id,
    )
    const { namespace: second, owner: quin } = await ownedBy('quin')
    await makeAdmin(quin, second, 'otis')
    const both = await Promise.all([
      transfer(owner, namespace, 'otis'),
      transfer(superAdminToken, second, 'otis'),
      claim(await app.principal({ id: 'otis', namespace: 'home-of-otis', tier: 'free' }), 'otis-labs'),
    ])
    const won = both.filter(({ body }) => body.data?.transferNamespace || body.owner === 'otis')
    expect(won).toHaveLength(1)
  })

  it('is met by the seeded free token at once', async () => {
    const seeded = (await app.call('POST', '/v1/admin/seed', { token: superAdminToken })).body
    const reply = await claim(seeded.tokens.free, 'one-more')
    expect(reply.body).toMatchObject({ status: 402, error: 'quota_exceeded', required_tier: 'pro' })
  })
})
