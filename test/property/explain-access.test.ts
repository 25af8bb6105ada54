import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Permission } from '../../src/model/registry.ts'
import { errorOf } from '../support/access/api-keys.ts'
import { type Asked, addScopes, explainAccess, remove } from '../support/access/explain.ts'
import type { TestPrincipal } from '../support/access/principals.ts'
import { shortOrLong } from '../support/amounts.ts'
import { boot, superAdminToken, type TestApp } from '../support/boot.ts'
import { mutationsOf } from '../support/mutations.ts'
import { type Draw, forAllRuns, timeoutFor } from './draw.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

const scopePool = ['a', 'a/b', 'a/b/c', 'ab', 'c']
const groupPool = ['red', 'blue', 'green']
const permSets: Permission[][] = [['read'], ['read', 'write'], ['read', 'write', 'admin'], ['write'], ['admin']]

function drawPrincipal(draw: Draw, namespace: string, id: string): TestPrincipal {
  const scopes = draw.chance(30) ? ['*'] : draw.some(scopePool, 3)
  const home = draw.chance(70) ? namespace : `${namespace}-abroad`
  return {
    id,
    namespace: home,
    kind: draw.pick(['user', 'agent']),
    groups: draw.some(groupPool, 2),
    readOnly: draw.chance(20),
    activeScope: draw.pick(['*', ...scopePool]),
    grants: scopes.map((scope) => ({ namespace, scope, perms: draw.pick(permSets), groups: draw.some(groupPool, 2) })),
  }
}

const runs = shortOrLong(2, 4)
test(
  'an explanation of access agrees with what the API does',
  () =>
    forAllRuns(runs, async (draw, run) => {
      const namespace = `w${run}`
      const all = { token: superAdminToken, namespace }
      await app.principal({ id: `keeper-${run}`, namespace })
      await addScopes(
        app,
        namespace,
        scopePool.map((scope) => ({ scope, readOnlyAgents: draw.chance(25) })),
      )
      const principals = await Promise.all(
        Array.from({ length: 6 }, async (_, i) => {
          const principal = drawPrincipal(draw, namespace, `p${i}-${run}`)
          return { ...principal, token: await app.principal(principal) }
        }),
      )
      const inputs = Array.from({ length: 8 }, (_, i) => ({
        scope: draw.pick(scopePool),
        text: `unit ${i}`,
        acl_owner: draw.pick(principals).id,
        acl_groups: draw.some(draw.chance(20) ? ['*'] : groupPool, 2),
      }))
      const ingested = await app.call('POST', '/v1/ingest', { ...all, scope: '*', body: { units: inputs } })
      const units: string[] = ingested.body.units.map((unit: { unit_id: string }) => unit.unit_id)
      const gone = draw.pick(principals)
      if (draw.chance(50)) await remove(app, gone.namespace, gone.id)

      for (const { id: principalId, namespace: home, grants, token } of principals) {
        const as = { token, namespace, scope: '*' }
        const deletes = (scope: string, ids: readonly string[]) =>
          app.call('POST', '/v1/units:delete', { ...as, scope, body: { ids } })
        /** The duplicate external id is always an error, so nothing is written. */
        const putsTwice = (scope: string) => {
          const unit = { scope, text: 'twice', external_id: 'same' }
          return app.call('POST', '/v1/ingest', { ...as, body: { units: [unit, unit] } })
        }
        const about = async (asked: Omit<Asked, 'principalId'>) => {
          const reply = await explainAccess(app, { principalId, ...asked }, all)
          const { read, write } = reply.body.data?.explainAccess ?? {}
          const known = errorOf(reply) === null
          // A guest without a grant (for example after its deletion) is unknown here.
          if (!known) expect([errorOf(reply)?.status, home === namespace]).toEqual([404, false])
          for (const why of known ? [read, write] : []) {
            expect(why.allowed).toBe(!why.reasons.some(({ effect }: { effect: string }) => effect === 'denies'))
          }
          return { read: read?.allowed ?? false, write: write?.allowed ?? false }
        }
        for (const unitId of units) {
          const said = await about({ unitId })
          const read = (await app.call('GET', `/v1/units/${unitId}`, as)).status === 200
          const write = (await deletes('*', [unitId])).body.matched === 1
          expect({ unitId, principalId, grants, ...said }).toEqual({ unitId, principalId, grants, read, write })
          if (write) expect((await mutationsOf(app).restoreUnits([unitId], all)).data.restored).toBe(1)
        }
        for (const scope of ['*', ...scopePool, 'unregistered', 'a/unregistered']) {
          const said = await about({ scope })
          const read = (await app.call('GET', '/v1/units', { ...as, scope })).status === 200
          // A deletion is allowed if any scope below is writable; an ingest tests the scope itself.
          const write =
            scope === '*'
              ? (await deletes(scope, ['unit_unknown'])).status === 200
              : (await putsTwice(scope)).status === 400
          expect({ scope, principalId, grants, ...said }).toEqual({ scope, principalId, grants, read, write })
        }
      }
    }),
  timeoutFor(runs),
)
