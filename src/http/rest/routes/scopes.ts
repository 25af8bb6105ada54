import { noVariables, route } from '../route.ts'

export const scopeFields = /* GraphQL */ `
  scope
  namespace
  parent
  planes
  read_only_agents: readOnlyAgents
  created_at: createdAt`

export const listScopes = route(
  'GET',
  '/v1/scopes',
  /* GraphQL */ `query { body: scopes { scopes { ${scopeFields} } } }`,
  noVariables,
  { wholeLists: true },
)

export const createScope = route(
  'POST',
  '/v1/scopes',
  /* GraphQL */ `mutation ($input: CreateScopeInput!) { body: createScope(input: $input) { ${scopeFields} } }`,
  ({ body }) => ({ input: body }),
)

export const getScope = route(
  'GET',
  '/v1/scopes/:scope',
  /* GraphQL */ `query ($scope: String!) { body: scope(scope: $scope) { ${scopeFields} } }`,
  ({ params }) => params,
  { tagged: true },
)

export const deleteScope = route(
  'DELETE',
  '/v1/scopes/:scope',
  /* GraphQL */ `mutation ($scope: String!) { body: deleteScope(scope: $scope) { deleted scopes grants } }`,
  ({ params }) => params,
)
