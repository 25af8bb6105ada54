import type { CallOptions, TestApp } from './boot.ts'

/** The answer to a mutation: its data, or the first error. */
export interface Outcome {
  // biome-ignore lint/suspicious/noExplicitAny: the wire has no types
  data: any
  error: { status: number; code: string; detail: string } | null
}

/** The mutations that only GraphQL has. */
export function mutationsOf(app: TestApp) {
  const run = async (field: string, query: string, variables: object, options: CallOptions): Promise<Outcome> => {
    const { body } = await app.graphql(query, { ...variables }, options)
    const [error] = body.errors ?? []
    if (!error) return { data: body.data[field], error: null }
    const { status, code } = error.extensions
    return { data: null, error: { status, code, detail: error.message } }
  }
  return {
    updateScope: (scope: string, input: object, options: CallOptions) =>
      run(
        'updateScope',
        `mutation ($scope: String!, $input: UpdateScopeInput!) {
          updateScope(scope: $scope, input: $input) { scope parent planes readOnlyAgents } }`,
        { scope, input },
        options,
      ),
    updateUnit: (unitId: string, input: object, options: CallOptions) =>
      run(
        'updateUnit',
        `mutation ($unitId: String!, $input: UpdateUnitInput!) { updateUnit(unitId: $unitId, input: $input) {
          unit { unitId externalId text aclOwner aclGroups metadata createdAt updatedAt version } seq indexed } }`,
        { unitId, input },
        options,
      ),
    restoreUnits: (ids: readonly string[], options: CallOptions) =>
      run(
        'restoreUnits',
        'mutation ($ids: [String!]!) { restoreUnits(ids: $ids) { matched restored seq indexed } }',
        { ids },
        options,
      ),
  }
}
