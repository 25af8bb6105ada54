import { expect } from 'vitest'
import { planes } from '../../../src/model/unit.ts'
import { type CallOptions, type Reply, superAdminToken, type TestApp } from '../boot.ts'

export interface Asked {
  principalId: string
  unitId?: string
  scope?: string
}

const verdict = 'allowed reasons { code effect detail grant { id scope perms } group scope }'

export const explainAccess = (app: TestApp, asked: Asked, options: CallOptions): Promise<Reply> =>
  app.graphql(
    `query ($principalId: String!, $unitId: String, $scope: String) {
      explainAccess(principalId: $principalId, unitId: $unitId, scope: $scope) {
        principalId read { ${verdict} } write { ${verdict} } } }`,
    { ...asked },
    options,
  )

/** Uses the port, because it can register many scopes in one transaction. */
export async function addScopes(
  app: TestApp,
  namespace: string,
  scopes: readonly { scope: string; readOnlyAgents?: boolean }[],
): Promise<void> {
  const { catalog, random } = app.runtime.bindings
  const found = await catalog.access.namespace(namespace)
  await catalog.transact(found?.namespace.id ?? '', async (tx) => {
    for (const { scope, readOnlyAgents = false } of scopes) {
      await tx.scopes.insert({ id: random.id('scope'), scope, parent: null, planes, createdAt: 0, readOnlyAgents })
    }
  })
}

/** Deletes a principal of the namespace. */
export async function remove(app: TestApp, namespace: string, principalId: string): Promise<void> {
  const options = { token: superAdminToken, namespace }
  expect((await app.call('DELETE', `/v1/principals/${principalId}`, options)).status).toBe(200)
}
