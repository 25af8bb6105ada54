import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let owner: string
let ann: string
let guest: string
beforeAll(async () => {
  app = await boot()
  owner = await app.principal({ id: 'owner', namespace: 'u-yard-1', signedUp: true })
  expect((await app.call('POST', '/v1/namespaces', { token: owner, body: { namespace: 'yard' } })).status).toBe(200)
  const reads = { scope: '*', perms: ['read'] } as const
  ann = await app.principal({ id: 'ann', namespace: 'yard', groups: ['db'], grants: [reads] })
  await app.principal({ id: 'bob', namespace: 'yard', grants: [reads] })
  guest = await app.principal({ id: 'guest', namespace: 'far', grants: [] })
})
afterAll(() => app.close())

const ask = async (query: string, token = owner) => {
  const { body } = await app.graphql(query, {}, { token, namespace: 'yard' })
  return body.errors ? `${body.errors[0].extensions.status} ${body.errors[0].message}` : body.data
}
const change = async (name: string, input: string, token = owner) => {
  const answer = await ask(
    `mutation { changeGroup(name: "${name}", input: { ${input} }) { name displayName members groups units source } }`,
    token,
  )
  return answer.changeGroup ?? answer
}
const ingest = async (...acl_groups: string[]) => {
  const body = { units: [{ text: `pallets of ${acl_groups.join()}`, external_id: acl_groups.join(), acl_groups }] }
  const reply = await app.call('POST', '/v1/ingest', { token: owner, scope: 'area', body })
  expect(reply.status).toBe(200)
  return reply.body.units[0]
}
/** The groups whose Unit a search finds. */
const found = async (token: string) => {
  const { body } = await app.call('POST', '/v1/search', { token, namespace: 'yard', body: { q: 'pallets', top_k: 50 } })
  return body.hits.map(({ text }: { text: string }) => text.slice('pallets of '.length)).sort()
}

it('puts principals in and takes them out, from the next request on', async () => {
  for (const group of ['crew', 'db', 'backend', 'eng']) await ingest(group)
  expect(await found(ann)).toEqual(['db'])
  expect(await change('crew', 'add: ["ann", "bob"], displayName: "The crew"')).toEqual({
    ...{ name: 'crew', displayName: 'The crew', members: 2, groups: [], source: 'manual' },
    units: 1,
  })
  expect(await found(ann)).toEqual(['crew', 'db'])
  expect((await change('crew', 'remove: ["ann"]')).members).toBe(1)
  expect(await found(ann)).toEqual(['db'])
  expect(await change('crew', 'add: ["ann", "guest"]')).toMatch(/^400 add\[1\]: must be the id of a principal/)
  expect(await found(ann)).toEqual(['db'])
  expect(await change('*', 'add: ["ann"]')).toMatch(/^400 name: /)
  expect(await change('user:bob', 'add: ["ann"]')).toMatch(/^400 name: /)
  expect(await change('crew', '')).toMatch(/^400 must change/)
  const many = Array.from({ length: 1001 }, (_, i) => `"p${i}"`)
  expect(await change('crew', `add: [${many}]`)).toMatch(/^400 /)
})

it('holds groups in groups: members are in all that lead to them, and the explanation says how', async () => {
  await change('backend', 'addGroups: ["db"]')
  expect(await change('eng', 'addGroups: ["backend"]')).toMatchObject({ members: 1, groups: ['backend'] })
  expect(await found(ann)).toEqual(['backend', 'db', 'eng'])
  const { unit_id } = await ingest('eng')
  const explained = await ask(
    `{ explainAccess(principalId: "ann", unitId: "${unit_id}") { read { allowed reasons { code detail group } } } }`,
  )
  expect(explained.explainAccess.read.reasons).toContainEqual({
    ...{ code: 'group', group: 'eng' },
    detail: 'the Unit is open to the group eng; in eng through backend through db',
  })
  const { principal } = await ask('{ principal(id: "ann") { groups inheritedGroups } }')
  expect(principal).toEqual({ groups: ['db', 'backend', 'eng'], inheritedGroups: ['backend', 'eng'] })
  // Who is made or changed later is in them as well, and so is a guest by the groups of a grant.
  await ask('mutation { updatePrincipal(id: "bob", input: { groups: ["backend"] }) { groups } }')
  await ask(
    'mutation { createGrant(input: { principalId: "guest", scope: "*", perms: [read], groups: ["db"] }) { id } }',
  )
  expect(await found(guest)).toEqual(['backend', 'db', 'eng'])
  const members = '{ groupMembers(name: "eng") { count members { principalId direct } } }'
  expect((await ask(members)).groupMembers).toEqual({
    count: 3,
    members: ['ann', 'bob', 'guest'].map((principalId) => ({ principalId, direct: false })),
  })
  await change('backend', 'removeGroups: ["db"], add: ["ann"]')
  expect(await found(guest)).toEqual(['db'])
  expect(await found(ann)).toEqual(['backend', 'db', 'eng'])
  await change('backend', 'remove: ["ann"], addGroups: ["db"]')
})

it('refuses circles, what is too deep, and too many groups, and changes nothing then', async () => {
  expect(await change('db', 'addGroups: ["eng"]')).toMatch(/^400 addGroups: must not lead back/)
  expect(await change('db', 'addGroups: ["db"]')).toMatch(/^400 addGroups: must not lead back/)
  for (let i = 0; i < 16; i++)
    expect(await change(`deep${i}`, `addGroups: ["deep${i + 1}"]`)).toMatchObject({ members: 0 })
  expect(await change('deep16', 'addGroups: ["deep17"]')).toMatch(/^400 addGroups: must leave groups at most 16 deep/)
  expect(await change('top', 'addGroups: ["deep0"]')).toMatch(/^400 addGroups: must leave/)
  const many = Array.from({ length: 998 }, (_, i) => `"g${i}"`)
  const update = (groups: string[]) =>
    ask(`mutation { updatePrincipal(id: "bob", input: { groups: [${groups}] }) { groups } }`)
  // It is in `backend`, and through it in `eng`.
  expect((await update([...many, '"backend"'])).updatePrincipal.groups).toHaveLength(1000)
  expect(await update([...many, '"one"', '"backend"'])).toMatch(
    /^400 groups: must leave each principal in at most 1000/,
  )
  expect(await change('more', 'addGroups: ["eng"]')).toMatch(/^400 groups: must leave each principal/)
  await update(['"backend"'])
})

it('lists what principals, grants and readable Units name, with what the caller may read', async () => {
  const deputy = await app.principal({ id: 'deputy', namespace: 'yard', groups: ['crew'] })
  const { body } = await app.graphql(
    'mutation { createApiKey(input: { name: "other" }) { token } }',
    {},
    { token: deputy },
  )
  expect(body.errors).toBeUndefined()
  const unit = { text: 'secret', acl_groups: ['hidden-team'] }
  await app.call('POST', '/v1/ingest', { token: deputy, scope: 'area', body: { units: [unit] } })
  const list = async (args: string, token = owner) =>
    (await ask(`{ groups(${args}) { count nextCursor groups { name members units } } }`, token)).groups
  expect(await list('prefix: "hidden"')).toEqual({ count: 0, nextCursor: null, groups: [] })
  expect((await list('prefix: "hidden"', deputy)).groups).toEqual([{ name: 'hidden-team', members: 0, units: 1 }])
  // The Units of `eng` are hidden from the deputy, but a principal is in it.
  expect((await list('prefix: "eng"', deputy)).groups).toEqual([{ name: 'eng', members: 3, units: 0 }])
  const first = await list('limit: 2')
  expect(first.groups.map(({ name }: { name: string }) => name)).toEqual(['backend', 'crew'])
  expect((await list(`limit: 100, cursor: ${first.nextCursor}`)).groups[0].name).toBe('db')
  expect(await change('eng', 'add: ["ann"]', deputy)).toMatch(/^403 groups: /)
  expect(await change('crew', 'add: ["ann"]', deputy)).toMatchObject({ members: 2 })
})

it('renames a group of members and Units in one step', async () => {
  const { body } = await app.graphql(
    'mutation { createApiKey(input: { name: "narrow", groups: ["db"] }) { token } }',
    {},
    { token: ann },
  )
  const narrow = body.data.createApiKey.token
  const rename = async (name: string, newName: string) => {
    const answer = await ask(`mutation { renameGroup(name: "${name}", newName: "${newName}") { name members units } }`)
    return answer.renameGroup ?? answer
  }
  expect(await rename('db', 'crew')).toMatch(/^400 newName: must be a name that nothing uses/)
  // Only a Unit that is hidden from the owner names it.
  expect(await rename('db', 'hidden-team')).toMatch(/^400 newName: /)
  expect(await rename('unknown', 'other')).toMatch(/^404 /)
  expect(await rename('db', 'databases')).toEqual({ name: 'databases', members: 2, units: 1 })
  for (const token of [ann, guest]) expect(await found(token)).toEqual(expect.arrayContaining(['backend', 'db', 'eng']))
  expect(await found(narrow)).toEqual(['db'])
  expect((await ask('{ groups(prefix: "db") { count } }')).groups.count).toBe(0)
  const { acl_groups } = (await app.call('GET', '/v1/units/db', { token: owner, scope: 'area' })).body
  expect(acl_groups).toEqual(['databases'])
  // Sent as before, the Unit is changed back: it must not count as unchanged.
  const again = { text: 'pallets of db', external_id: 'db', acl_groups: ['db'] }
  const reply = await app.call('POST', '/v1/ingest', { token: owner, scope: 'area', body: { units: [again] } })
  expect(reply.body.units[0].status).toBe('updated')
  expect(await found(narrow)).toEqual([])
  const { rows } = (await app.call('GET', '/v1/audit?limit=50', { token: owner })).body
  expect(rows.filter((row: { action: string }) => row.action === 'group.rename')).toMatchObject([
    { target: 'db', detail: { to: 'databases' } },
  ])
})
