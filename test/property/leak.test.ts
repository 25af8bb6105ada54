import { afterAll, beforeAll, describe, it } from 'vitest'
import { boot, type TestApp } from '../support/boot.ts'
import { forAllRuns, timeoutFor } from './draw.ts'
import { checkRequest } from './leak/checks.ts'
import { drawRequest } from './leak/requests.ts'
import { buildWorld } from './leak/world.ts'

const worlds = 25
const requestsPerWorld = 60

describe('whatever anybody asks for', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await boot()
  })
  afterAll(() => app.close())

  it('answers as the rules of access say, and shows nothing of what is closed', { timeout: timeoutFor(worlds) }, () =>
    forAllRuns(worlds, async (draw, run) => {
      const world = await buildWorld(app, draw, run)
      for (let i = 0; i < requestsPerWorld; i++) await checkRequest(app, world, drawRequest(draw, world))
      // What is left, to the Unit: no deletion took more, or less, than it said.
      const actor = world.actors.find((a) => a.superAdmin) ?? null
      const all = { actor, token: actor?.token, door: 'rest', scopeHeader: '*', scopeQuery: undefined } as const
      for (const { name: namespace } of world.namespaces) {
        await checkRequest(app, world, { ...all, namespace, operation: { kind: 'units', limit: null, cursor: null } })
      }
    }),
  )
})
