import { noVariables, route } from '../route.ts'

const namespaceFields = /* GraphQL */ `
  namespace
  tier
  owner
  home
  registered
  planes
  max_namespaces: maxNamespaces
  created_at: createdAt`

export const listNamespaces = route(
  'GET',
  '/v1/namespaces',
  /* GraphQL */ `query { body: namespaces { namespaces { ${namespaceFields} } } }`,
  noVariables,
  { wholeLists: true },
)

export const createNamespace = route(
  'POST',
  '/v1/namespaces',
  /* GraphQL */ `mutation ($input: CreateNamespaceInput!) { body: createNamespace(input: $input) { ${namespaceFields} } }`,
  ({ body }) => ({ input: body }),
)

export const getNamespace = route(
  'GET',
  '/v1/namespaces/:ns',
  /* GraphQL */ `query ($ns: String!) { body: namespace(name: $ns) { ${namespaceFields} } }`,
  ({ params }) => params,
  { tagged: true },
)

export const deleteNamespace = route(
  'DELETE',
  '/v1/namespaces/:ns',
  /* GraphQL */ `mutation ($ns: String!) { body: deleteNamespace(name: $ns) { deleted scopes grants principals } }`,
  ({ params }) => params,
)

const grantFields = /* GraphQL */ `
  id
  principal_id: principalId
  namespace
  scope
  perms
  groups
  granted_by: grantedBy
  created_at: createdAt`

export const listGrants = route(
  'GET',
  '/v1/grants',
  /* GraphQL */ `query { body: grants { grants { ${grantFields} } } }`,
  noVariables,
  { wholeLists: true },
)

export const createGrant = route(
  'POST',
  '/v1/grants',
  /* GraphQL */ `mutation ($input: CreateGrantInput!) { body: createGrant(input: $input) { ${grantFields} } }`,
  ({ body }) => ({ input: body }),
)

export const getGrant = route(
  'GET',
  '/v1/grants/:id',
  /* GraphQL */ `query ($id: String!) { body: grant(id: $id) { ${grantFields} } }`,
  ({ params }) => params,
  { tagged: true },
)

export const deleteGrant = route(
  'DELETE',
  '/v1/grants/:id',
  /* GraphQL */ `mutation ($id: String!) { body: deleteGrant(id: $id) { deleted } }`,
  ({ params }) => params,
)

const principalFields = /* GraphQL */ `
  principal_id: principalId
  namespace
  kind
  groups
  read_only: readOnly
  active_scope: activeScope
  created_at: createdAt`

export const listPrincipals = route(
  'GET',
  '/v1/principals',
  /* GraphQL */ `query { body: principals { principals { ${principalFields} } } }`,
  noVariables,
  { wholeLists: true },
)

export const createPrincipal = route(
  'POST',
  '/v1/principals',
  /* GraphQL */ `mutation ($input: CreatePrincipalInput!) {
    body: createPrincipal(input: $input) { ${principalFields} token }
  }`,
  ({ body }) => ({ input: body }),
)

export const getPrincipal = route(
  'GET',
  '/v1/principals/:id',
  /* GraphQL */ `query ($id: String!) { body: principal(id: $id) { ${principalFields} } }`,
  ({ params }) => params,
  { tagged: true },
)

export const deletePrincipal = route(
  'DELETE',
  '/v1/principals/:id',
  /* GraphQL */ `mutation ($id: String!) { body: deletePrincipal(id: $id) { deleted tokens grants } }`,
  ({ params }) => params,
)
