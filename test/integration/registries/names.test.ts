import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser } from '../../support/access/browser.ts'
import { signInWith } from '../../support/access/sign-in.ts'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'

let app: TestApp
let owner: string
let deputy: string
beforeAll(async () => {
  app = await boot({ config: { signIn: signInWith() } })
  owner = await app.principal({ id: 'owner', namespace: 'u-works-1', signedUp: true })
  expect((await app.call('POST', '/v1/namespaces', { token: owner, body: { namespace: 'works' } })).status).toBe(200)
  deputy = await app.principal({ id: 'deputy', namespace: 'works', groups: ['crew'] })
})
afterAll(() => app.close())

const ask = async (query: string, token = owner, namespace?: string) => {
  const { body } = await app.graphql(query, {}, { token, ...(namespace && { namespace }) })
  return body.errors ? `${body.errors[0].extensions.status} ${body.errors[0].message}` : body.data
}
const update = async (id: string, input: string, token = owner, fields = 'name groups readOnly activeScope') => {
  const answer = await ask(
    `mutation { updatePrincipal(id: "${id}", input: { ${input} }) { ${fields} } }`,
    token,
    'works',
  )
  return answer.updatePrincipal ?? answer
}
const create = async (input: string, token = owner) =>
  (await ask(`mutation { createPrincipal(input: { ${input} }) { principalId name email token } }`, token))
    .createPrincipal

it('creates with any name, of which the token has what it can', async () => {
  expect(await create('name: "Jürgen von Ölfeld & Söhne"')).toMatchObject({
    name: 'Jürgen von Ölfeld & Söhne',
    email: null,
    token: expect.stringMatching(/^svc_sk_Jurgen-von-Olfeld-Sohne_\w{32}$/),
  })
  expect(await create('kind: agent, name: "爬虫"')).toMatchObject({ token: expect.stringMatching(/^svc_sk_agent_/) })
  expect(await create('kind: agent')).toMatchObject({ name: null })
  expect(await ask('mutation { createPrincipal(input: { groups: ["user:owner"] }) { token } }')).toMatch(/^400 .*user:/)
})

it('changes a principal by the rules of its creation, from its next request on', async () => {
  const { principalId: id, token } = await create('name: "Crawler", kind: service')
  const many = Array.from({ length: 1000 }, (_, i) => `"g${i}"`)
  expect((await update(id, `groups: [${many}]`)).groups).toHaveLength(1000)
  expect(await update(id, `groups: [${[...many, '"one"']}]`)).toMatch(/^400 groups: must be at most 1000/)
  expect(await update(id, 'name: "Reader", groups: ["crew"], readOnly: true, activeScope: "docks"')).toEqual({
    name: 'Reader',
    groups: ['crew'],
    readOnly: true,
    activeScope: 'docks',
  })
  expect((await app.call('GET', '/v1/context', { token })).body).toMatchObject({
    active_scope: 'docks',
    principal: { read_only: true, groups: ['crew'] },
  })
  const refusals: [string, string, string, RegExp][] = [
    [id, '', owner, /^400 must change at least one field/],
    [id, 'name: ""', owner, /^400 name: must not be empty/],
    [id, `name: "${'x'.repeat(129)}"`, owner, /^400 name: must be at most 128/],
    ['nobody', 'name: "x"', owner, /^404 /],
    [id, 'groups: ["crew", "bridge"]', deputy, /^403 groups: /],
    [id, 'name: "x"', token, /^403 /],
    ['owner', 'readOnly: true', deputy, /^403 only an owner itself/],
  ]
  for (const [whom, input, by, refusal] of refusals) expect(await update(whom, input, by)).toMatch(refusal)
  // A group that is there already need not be the admin's own.
  expect(await update(id, 'groups: ["crew", "bridge"]')).toMatchObject({ groups: ['crew', 'bridge'] })
  expect(await update(id, 'groups: ["bridge"]', deputy)).toMatchObject({ groups: ['bridge'] })
  // The rows of refusals are written later, so that the newest row may be one of them.
  const { rows } = (await app.call('GET', '/v1/audit?limit=50', { token: owner })).body
  expect(rows.find(({ action }: { action: string }) => action === 'principal.update')).toMatchObject({
    principal_id: 'deputy',
    target: id,
    detail: { groups_added: 0, groups_removed: 1 },
  })
  const ends = Date.now() + 3_600_000
  const { body } = await app.graphql(
    `mutation { createApiKey(input: { name: "short", expiresAt: ${ends} }) { token } }`,
    {},
    { token: owner },
  )
  const short = body.data.createApiKey.token
  expect(await update(id, 'groups: ["more"]', short)).toMatch(/^403 expiresAt: /)
  expect(await update(id, 'readOnly: false', short)).toMatch(/^403 expiresAt: /)
  expect(await update(id, 'name: "Still a reader"', short)).toMatchObject({ readOnly: true })
})

it('keeps an admin, and the names of people', async () => {
  const alone = await app.principal({ id: 'only', namespace: 'alone' })
  const refused = await ask('mutation { updatePrincipal(id: "only", input: { readOnly: true }) { name } }', alone)
  expect(refused).toMatch(/^400 cannot delete the last admin/)
  const browser = openBrowser(app)
  await browser.signUp('ada@example.com')
  const { principal } = (await browser.graphql('{ viewer { principal { principalId name email } } }')).body.data.viewer
  expect(principal).toMatchObject({ name: 'Ada', email: 'ada@example.com' })
  const rename = `mutation { updatePrincipal(id: "${principal.principalId}", input: { name: "Eve" }) { name } }`
  expect((await browser.graphql(rename)).body.errors[0].message).toMatch(/^name: must be left out/)
})

it('shows names beside ids, of the members of the namespace alone', async () => {
  const { principalId: id, token } = await create('name: "Deckhand"')
  const stranger = await app.principal({ id: 'stranger', namespace: 'far', grants: [] })
  await ask('mutation { updatePrincipal(id: "stranger", input: { name: "Secret" }) { name } }', superAdminToken, 'far')
  await ask(`mutation { createGrant(input: { principalId: "${id}", scope: "*", perms: [read, write] }) { id } }`)
  const units = ['', id, 'stranger'].map((acl_owner) => ({
    text: 'rope',
    acl_groups: ['*'],
    ...(acl_owner && { acl_owner }),
  }))
  expect((await app.call('POST', '/v1/ingest', { token: owner, scope: 'docks', body: { units } })).status).toBe(200)
  const { body } = await app.graphql('{ units { units { aclOwner aclOwnerName } } }', {}, { token, scope: 'docks' })
  expect(body.data.units.units).toEqual([
    { aclOwner: 'owner', aclOwnerName: null },
    { aclOwner: id, aclOwnerName: 'Deckhand' },
    { aclOwner: 'stranger', aclOwnerName: null },
  ])
  const readers = async (acl_groups: readonly string[]) => {
    const unit = { text: 'hawser', doc_id: 'hawser', acl_groups }
    await app.call('POST', '/v1/ingest', { token: owner, scope: 'docks', body: { units: [unit] } })
    const fields = 'readers { kind id name }'
    const query = `{ search(input: { q: "hawser" }) { hits { ${fields} } } docs { docs { ${fields} } } }`
    return (await app.graphql(query, {}, { token, scope: 'docks' })).body.data
  }
  const ofOwner = { kind: 'owner', id: 'owner', name: null }
  const shared = [ofOwner, { kind: 'person', id, name: 'Deckhand' }, { kind: 'person', id: 'stranger', name: null }]
  const one = await readers([`user:${id}`, 'user:stranger', 'user:owner'])
  expect(one.search.hits).toEqual([{ readers: shared }])
  expect(one.docs.docs[0]).toEqual({ readers: shared })
  // A hidden Unit changes nothing; a readable one with other readers does.
  expect((await readers(['brass'])).docs.docs[0]).toEqual({ readers: shared })
  const two = await readers(['*', 'brass'])
  expect(two.search.hits).toContainEqual({
    readers: [ofOwner, { kind: 'everyone', id: '*', name: null }, { kind: 'group', id: 'brass', name: null }],
  })
  expect(two.docs.docs[0]).toEqual({ readers: null })
  expect((await ask('{ grants { grants { principalId principalName } } }')).grants.grants).toContainEqual({
    principalId: id,
    principalName: 'Deckhand',
  })
  const explained = await ask(`{ explainAccess(principalId: "${id}", scope: "docks") { principalName } }`)
  expect(explained.explainAccess.principalName).toBe('Deckhand')
  const rows = (await ask('{ audit { rows { principalId principalName } } }')).audit.rows
  expect(rows).toContainEqual({ principalId: 'owner', principalName: null })
  expect(stranger).toBeTruthy()
})

it('says who the page is signed in as', async () => {
  const viewer = '{ viewer { principal { principalId } namespaces { namespace home } credential { kind keyId name } } }'
  const { apiKeys } = await ask('{ apiKeys { keys { id name } } }')
  expect((await ask(viewer)).viewer).toEqual({
    principal: { principalId: 'owner' },
    namespaces: [
      { namespace: 'u-works-1', home: false },
      { namespace: 'works', home: true },
    ],
    credential: { kind: 'key', keyId: apiKeys.keys[0].id, name: apiKeys.keys[0].name },
  })
  expect((await ask(viewer, superAdminToken, 'works')).viewer).toMatchObject({
    principal: { principalId: 'super-admin' },
    credential: { kind: 'token', keyId: null, name: null },
  })
  const browser = openBrowser(app)
  await browser.signUp('grace@example.com')
  const { body } = await browser.graphql(viewer)
  expect(body.data.viewer.credential).toEqual({ kind: 'session', keyId: null, name: null })
})
