import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type CallOptions, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

const send = (method: string, path: string, token: string, options: CallOptions = {}) =>
  app.call(method, path, { token, ...options })
const claim = (token: string, namespace: string) => send('POST', '/v1/namespaces', token, { body: { namespace } })
const homeOf = async (token: string) => (await send('GET', '/v1/context', token)).body.principal.namespace
const addPrincipal = async (token: string, namespace: string, body: object = {}) =>
  (await send('POST', '/v1/principals', token, { namespace, body })).body
const grant = (token: string, namespace: string, body: object) => send('POST', '/v1/grants', token, { namespace, body })
const ingest = (token: string, scope: string) => {
  const body = { units: [{ text: `a lantern in ${scope}`, acl_groups: ['*'] }] }
  return send('POST', '/v1/ingest', token, { scope, body })
}

describe('the first claim', () => {
  it('moves a caller whose home holds nothing; its groups come along, its grant stays', async () => {
    const token = await app.principal({ id: 'ada', namespace: 'u-ada-1', groups: ['g'], activeScope: 'old/place' })
    const { body } = await claim(token, 'ada-labs')
    expect(body).toMatchObject({ home: true, owner: 'ada', tier: 'enterprise', registered: true })
    const context = (await send('GET', '/v1/context', token)).body
    expect(context).toMatchObject({
      principal: { namespace: 'ada-labs', groups: ['g'] },
      active_scope: '*',
      perms: ['read', 'write', 'admin'],
    })
    const listed = (await send('GET', '/v1/namespaces', token)).body.namespaces
    expect(listed.map((n: { namespace: string; home: boolean }) => [n.namespace, n.home])).toEqual([
      ['ada-labs', true],
      ['u-ada-1', false],
    ])
    // The home is still empty, so another claim moves it again; with a scope in it, it stays.
    expect((await claim(token, 'ada-works')).body.home).toBe(true)
    expect((await send('POST', '/v1/scopes', token, { body: { scope: 'plans' } })).status).toBe(200)
    expect((await claim(token, 'ada-third')).body).toMatchObject({ home: false, owner: 'ada' })
    expect(await homeOf(token)).toBe('ada-works')
    expect((await send('GET', '/v1/context', token, { namespace: 'ada-third' })).body.perms).toHaveLength(3)
  })

  it('counts the untouched starter scope as nothing, and one that ever held a Unit as something', async () => {
    const starter = async (id: string) => {
      const token = await app.principal({ id, namespace: `u-${id}-1` })
      await send('POST', '/v1/scopes', token, { body: { scope: 'default/main' } })
      return token
    }
    const untouched = await starter('bea')
    expect((await claim(untouched, 'bea-labs')).body.home).toBe(true)

    const used = await starter('carl')
    const { body } = await ingest(used, 'default/main')
    const ids = [body.units[0].unit_id]
    expect((await send('POST', '/v1/units:delete', used, { body: { ids, hard: true } })).body.purged).toBe(1)
    expect((await claim(used, 'carl-labs')).body.home).toBe(false)
    expect(await homeOf(used)).toBe('u-carl-1')

    const cleared = await starter('dora')
    await send('POST', '/v1/scopes', cleared, { body: { scope: 'notes' } })
    await send('DELETE', '/v1/scopes/notes', cleared)
    expect((await claim(cleared, 'dora-labs')).body.home).toBe(true)
  })

  it('moves nobody out of a namespace that another one owns, nor out of a seeded one', async () => {
    const owner = await app.principal({ id: 'erin', namespace: 'u-erin-1' })
    await claim(owner, 'erin-labs')
    const member = await addPrincipal(owner, 'erin-labs')
    expect((await claim(member.token, 'not-erin')).body).toMatchObject({ home: false, owner: member.principal_id })
    expect(await homeOf(member.token)).toBe('erin-labs')
    const seeded = await app.principal({ id: 'tester', namespace: 'pro' })
    expect((await claim(seeded, 'tester-labs')).body.home).toBe(false)
  })

  it('takes an unclaimed namespace only from nobody', async () => {
    const finn = await app.principal({ id: 'finn', namespace: 'finn-home' })
    // Namespaces without an owner, but with other principals or their grants.
    await app.principal({ id: 'gail', namespace: 'shared' })
    const visiting = [{ namespace: 'visited', scope: 'a', perms: ['read'] as const }]
    const guest = await app.principal({ id: 'hal', namespace: 'hal-home', grants: visiting })
    expect((await claim(finn, 'shared')).status).toBe(403)
    expect((await claim(finn, 'visited')).status).toBe(403)
    expect((await claim(guest, 'visited')).body).toMatchObject({ owner: 'hal', home: true })
    const own = (await claim(finn, 'finn-home')).body
    expect(own).toMatchObject({ owner: 'finn', home: true })
  })
})

describe('claims at the same time', () => {
  it('of one name: one wins, the others are refused as for any taken name', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 6 }, (_, i) => app.principal({ id: `racer-${i}`, namespace: `racer-home-${i}` })),
    )
    const replies = await Promise.all(tokens.map((token) => claim(token, 'the-prize')))
    expect(replies.map((r) => r.status).sort()).toEqual([200, 403, 403, 403, 403, 403])
    const owners = await Promise.all(tokens.map((token) => send('GET', '/v1/namespaces/the-prize', token)))
    expect(owners.filter((r) => r.status === 200)).toHaveLength(1)
    expect(new Set(await Promise.all(tokens.map(homeOf))).size).toBe(6)
  })

  it('of several names by a Free caller: exactly one', async () => {
    const token = await app.principal({ id: 'frugal', namespace: 'frugal-home', tier: 'free', signedUp: true })
    const replies = await Promise.all(Array.from({ length: 5 }, (_, i) => claim(token, `frugal-${i}`)))
    expect(replies.map((r) => r.status).sort()).toEqual([200, 402, 402, 402, 402])
    const listed = (await send('GET', '/v1/namespaces', token)).body.namespaces
    expect(
      listed.filter((n: { owner: string; registered: boolean }) => n.owner === 'frugal' && n.registered),
    ).toHaveLength(1)
  })
})

describe('keys and read-only principals', () => {
  it.each([
    { perms: ['read', 'write', 'admin'] as const },
    { scopePrefix: 'a' },
    { planes: ['text'] as const },
    { groups: [] },
  ])('a key narrowed by %j claims nothing', async (restrictions) => {
    const id = `narrow-${Object.keys(restrictions)}`
    const token = await app.principal({ id, namespace: `${id.toLowerCase()}-home`, restrictions })
    expect((await claim(token, 'narrow-claim')).status).toBe(403)
    expect((await claim(token, 'NO')).status).toBe(400)
    expect((await send('GET', '/v1/namespaces', token)).body.namespaces).toHaveLength(1)
  })

  it('administer no further than they reach, in whatever namespace', async () => {
    const owner = await app.principal({ id: 'ivy', namespace: 'u-ivy-1', groups: ['staff', 'board'] })
    await claim(owner, 'ivy-labs')
    // Each token replaces the previous one, because they have the same name.
    const narrowed = (restrictions: object) =>
      app.principal({ id: 'ivy', namespace: 'ivy-labs', groups: ['staff', 'board'], restrictions })
    const status = async (token: string, method: string, path: string, body?: object) =>
      (await send(method, path, token, { namespace: 'ivy-labs', ...(body ? { body } : {}) })).status

    for (const restrictions of [{ perms: ['read', 'write'] }, { scopePrefix: 'lab' }]) {
      const token = await narrowed(restrictions)
      expect(await status(token, 'GET', '/v1/namespaces/ivy-labs')).toBe(403)
      expect(await status(token, 'DELETE', '/v1/namespaces/ivy-labs')).toBe(403)
      expect(await status(token, 'GET', '/v1/grants')).toBe(403)
      expect(await status(token, 'POST', '/v1/principals', {})).toBe(403)
    }
    // It is an admin, but it must not create anything with more permissions than it has.
    const flat = await narrowed({ planes: ['text'] })
    expect(await status(flat, 'GET', '/v1/principals')).toBe(200)
    expect(await status(flat, 'POST', '/v1/principals', {})).toBe(403)
    const staff = await narrowed({ groups: ['staff'] })
    expect(await status(staff, 'POST', '/v1/principals', { groups: ['staff'] })).toBe(200)
    expect(await status(staff, 'POST', '/v1/principals', { groups: ['board'] })).toBe(403)
    const keeper = await narrowed({ perms: ['admin'] })
    const grantee = { principal_id: 'ivy', scope: 'lab' }
    expect(await status(keeper, 'POST', '/v1/grants', { ...grantee, perms: ['read'] })).toBe(403)
    expect(await status(keeper, 'POST', '/v1/grants', { ...grantee, perms: ['admin'] })).toBe(200)
  })

  it('a read-only principal may claim, but administers nothing, whatever its grants', async () => {
    const token = await app.principal({ id: 'watcher', namespace: 'watched', readOnly: true })
    expect((await claim(token, 'watcher-labs')).body).toMatchObject({ owner: 'watcher', home: true })
    for (const namespace of ['watched', 'watcher-labs']) {
      expect((await send('GET', '/v1/context', token, { namespace })).body.perms).toEqual(['read'])
      expect((await send('GET', `/v1/namespaces/${namespace}`, token)).status).toBe(403)
      expect((await send('DELETE', `/v1/namespaces/${namespace}`, token)).status).toBe(403)
      expect((await send('GET', '/v1/grants', token, { namespace })).status).toBe(403)
    }
  })

  it('an agent does not grant what scopes keep from agents', async () => {
    const boss = await app.principal({ id: 'jo', namespace: 'jo-labs' })
    const agent = await app.principal({ id: 'jo-bot', namespace: 'jo-labs', kind: 'agent' })
    await send('POST', '/v1/scopes', boss, { body: { scope: 'vault' } })
    const give = (scope: string, perms: string[]) => grant(agent, 'jo-labs', { principal_id: 'jo', scope, perms })
    expect((await give('*', ['write'])).status).toBe(200)
    const lock = 'mutation { updateScope(scope: "vault", input: {readOnlyAgents: true}) { scope } }'
    expect((await app.graphql(lock, {}, { token: boss })).body.errors).toBeUndefined()
    expect((await give('*', ['write'])).status).toBe(403)
    expect((await give('vault/below', ['write'])).status).toBe(403)
    expect((await give('*', ['read'])).status).toBe(200)
    expect((await give('elsewhere', ['write'])).status).toBe(200)
  })
})

it('REST and GraphQL run the same registries', async () => {
  const token = await app.principal({ id: 'pat', namespace: 'u-pat-1', signedUp: true })
  const ask = async (query: string, variables: Record<string, unknown> = {}) => {
    const { body } = await app.graphql(query, variables, { token })
    return body.errors?.[0].extensions.code ?? body.data
  }
  const rest = async (path: string) => (await app.call('GET', path, { token })).body

  const create = 'mutation { createNamespace(input: {namespace: "pat-labs"}) { namespace home maxNamespaces } }'
  expect(await ask(create)).toEqual({
    createNamespace: { namespace: 'pat-labs', home: true, maxNamespaces: null },
  })
  expect(
    (await ask('{ namespaces { namespaces { namespace } } }')).namespaces.namespaces.map(
      (n: object) => Object.values(n)[0],
    ),
  ).toEqual((await rest('/v1/namespaces')).namespaces.map((n: { namespace: string }) => n.namespace))
  const made = (
    await ask('mutation { createPrincipal(input: {kind: agent, groups: ["x"]}) { principalId kind token } }')
  ).createPrincipal
  expect(made).toMatchObject({ kind: 'agent', token: expect.stringMatching(/^svc_sk_agent_/) })
  const id = made.principalId
  expect((await rest(`/v1/principals/${id}`)).principal_id).toBe(id)
  expect(await ask('query ($id: String!) { principal(id: $id) { groups } }', { id })).toEqual({
    principal: { groups: ['x'] },
  })
  expect((await ask('{ principals { principals { principalId } } }')).principals.principals).toEqual([
    { principalId: 'pat' },
    { principalId: id },
  ])
  const grantInput = { principalId: id, scope: '*', perms: ['read', 'admin'] }
  const { createGrant } = await ask(
    'mutation ($input: CreateGrantInput!) { createGrant(input: $input) { id perms } }',
    {
      input: grantInput,
    },
  )
  expect(createGrant.perms).toEqual(['read', 'admin'])
  expect(await rest('/v1/grants')).toMatchObject({ grants: [{ principal_id: 'pat' }, { id: createGrant.id }] })
  expect((await ask('{ grants { grants { id } } }')).grants.grants).toHaveLength(2)
  const byId = { id: createGrant.id }
  expect(await ask('query ($id: String!) { grant(id: $id) { grantedBy } }', byId)).toEqual({
    grant: { grantedBy: 'pat' },
  })
  expect(await ask('mutation ($id: String!) { deleteGrant(id: $id) { deleted } }', byId)).toEqual({
    deleteGrant: { deleted: true },
  })
  expect(await ask('mutation ($id: String!) { deletePrincipal(id: $id) { tokens grants } }', { id })).toEqual({
    deletePrincipal: { tokens: 1, grants: 0 },
  })
  // Text that no store accepts is a client error here too.
  for (const bad of ['a\0', '\ud800', '']) {
    expect(await ask('query ($id: String!) { grant(id: $id) { id } }', { id: bad })).toBe('bad_request')
    expect(await ask('query ($id: String!) { principal(id: $id) { kind } }', { id: bad })).toBe('bad_request')
    expect(await ask('query ($name: String!) { namespace(name: $name) { tier } }', { name: bad })).toBe('forbidden')
  }
  expect(await ask('{ namespace(name: "pat-labs") { owner } }')).toEqual({ namespace: { owner: 'pat' } })
  expect(await ask('mutation { deleteNamespace(name: "pat-labs") { grants principals } }')).toEqual({
    deleteNamespace: { grants: 1, principals: 1 },
  })
})
