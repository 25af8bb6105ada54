import { expect, it } from 'vitest'
import { boot } from '../../support/boot.ts'

it('REST and GraphQL run the same registries', async () => {
  const app = await boot()
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
  await app.close()
})
