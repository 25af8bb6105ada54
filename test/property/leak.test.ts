import { afterAll, beforeAll, describe, it } from 'vitest'
import { boot, type TestApp } from '../support/boot.ts'
import { forAllRuns, timeoutFor } from './draw.ts'
import { checkRequest } from './leak/checks.ts'
import { drawRequest } from './leak/requests.ts'
import { buildWorld } from './leak/world.ts'

const worlds = 12
const requestsPerWorld = 40

describe('whatever anybody asks for', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await boot()
  })
  const stats: Record<string, number> = {}
  afterAll(() => {
    console.log(Object.entries(stats).sort().join('  '))
    return app.close()
  })

  it('answers as the rules of access say, and shows nothing of what is closed', { timeout: timeoutFor(worlds) }, () =>
    forAllRuns(worlds, async (draw, run) => {
      const world = await buildWorld(app, draw, run)
      for (let i = 0; i < requestsPerWorld; i++) {
        const r = drawRequest(draw, world)
        const a = await checkRequest(app, world, r)
        const k =
          r.operation.kind +
          a.status +
          (a.status === 200 && r.operation.kind === 'units'
            ? (a.body.units.length ? '+' : '-') + (a.body.hidden_by_acl ? 'h' : '')
            : a.status === 200 && r.operation.kind === 'search'
              ? (a.body.hits.length ? '+' : '-') + (a.body.hidden_by_acl ? 'h' : '')
              : a.status === 200 && r.operation.kind === 'delete'
                ? a.body.matched
                  ? '+'
                  : '-'
                : '')
        stats[k] = (stats[k] ?? 0) + 1
      }
      // What is left, to the Unit: no deletion took more, or less, than it said.
      const actor = world.actors.find((a) => a.superAdmin) ?? null
      const all = { actor, token: actor?.token, door: 'rest', scopeHeader: '*', scopeQuery: undefined } as const
      for (const { name: namespace } of world.namespaces) {
        await checkRequest(app, world, { ...all, namespace, operation: { kind: 'units', limit: null, cursor: null } })
      }
    }),
  )
})
