import { afterAll, beforeAll, describe, it } from 'vitest'
import { shortOrLong } from '../support/amounts.ts'
import { boot, type TestApp } from '../support/boot.ts'
import { type OpenProfile, openProfile, type Profile, profiles } from '../support/profiles.ts'
import { forAllRuns, timeoutFor } from './draw.ts'
import { checkRequest } from './leak/checks.ts'
import { checkLinks } from './leak/documents/checks.ts'
import { addDocuments } from './leak/documents/history.ts'
import { addUnits } from './leak/history.ts'
import { changeRegistries } from './leak/registries.ts'
import { drawRequest } from './leak/requests.ts'
import { buildWorld } from './leak/world.ts'

const worldsOf: Record<Profile, number> = { embedded: 2, 'scale-out': 2 }
const requestsPerWorld = shortOrLong(40, 100)

describe.each(profiles)('any request (%s)', (name) => {
  const worlds = worldsOf[name]
  let apps: TestApp[]
  let profile: OpenProfile
  beforeAll(async () => {
    profile = await openProfile(name)
    const { config } = profile
    // Every second world runs with constant snapshots and evictions.
    const pressed = { index: { memoryMb: 0, threads: 3, snapshotAfterMs: 1 } }
    apps = [await boot({ config }), await boot({ config: { ...config, ...pressed } })]
  })
  afterAll(async () => {
    for (const app of apps) await app.close()
    await profile.close()
  })

  it('answers as the rules of access say, and shows nothing of what is closed', { timeout: timeoutFor(worlds) }, () =>
    forAllRuns(worlds, async (draw, run) => {
      const app = apps[run % apps.length] as TestApp
      const world = await buildWorld(app, draw, run)
      const half = requestsPerWorld / 2
      for (let i = 0; i < half; i++) await checkRequest(app, world, drawRequest(draw, world))
      await changeRegistries(app, draw, world)
      for (let i = 0; i < 2; i++) await addUnits(app, draw, world)
      await addDocuments(app, draw, world)
      for (let i = 0; i < half; i++) await checkRequest(app, world, drawRequest(draw, world))
      // Checks the remaining Units exactly: each deletion removed what it reported.
      const actor = world.actors.find((a) => a.superAdmin) ?? null
      const all = { actor, token: actor?.token, door: 'rest', scopeHeader: '*', scopeQuery: undefined } as const
      for (const { name: namespace } of world.namespaces) {
        await checkRequest(app, world, { ...all, namespace, operation: { kind: 'units', limit: null, cursor: null } })
      }
      await checkLinks(app, world)
    }),
  )
})
