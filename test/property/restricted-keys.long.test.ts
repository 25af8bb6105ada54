import { afterAll, beforeAll, expect, test } from 'vitest'
import { atNight } from '../support/amounts.ts'
import { boot, superAdminToken, type TestApp } from '../support/boot.ts'
import { forAllRuns, timeoutFor } from './draw.ts'
import { rootFields } from './graphql-draw.ts'
import { drawRestrictions, mintKey } from './restricted-keys/keys.ts'
import { attempt, describeDeed, hasActors, isRich } from './restricted-keys/run.ts'
import { actorsFor, createWorld } from './restricted-keys/world.ts'

const runs = 1
/** How often each field is tried. */
const times = atNight ? { query: 2, mutation: 3, subscription: 2 } : { query: 1, mutation: 2, subscription: 1 }

let app: TestApp
beforeAll(async () => {
  app = await boot()
  const seeded = await app.call('POST', '/v1/admin/seed', { token: superAdminToken })
  expect(seeded.status).toBe(200)
})
afterAll(() => app.close())

/** Root fields that always fail for a restricted caller in this world. */
const refusedAlways = ['createBillingPortal', 'createCheckout', 'receiveBillingEvent', 'reconcileBilling', 'seed']

test('whatever a restricted key or an agent asks for, what it changes, makes and shows stays within its restrictions', {
  timeout: timeoutFor(runs),
}, async () => {
  const answered = new Set<string>()
  await forAllRuns(runs, async (draw) => {
    let world = await createWorld(app)
    for (const field of rootFields) {
      if (field.kind === 'mutation' && !(await isRich(world))) world = await createWorld(app)
      for (let i = 0; i < times[field.kind]; i++) {
        const actor = draw.pick(actorsFor(world, field.name))
        const by = await mintKey(world, draw, actor, drawRestrictions(draw, actor))
        const outcome = await attempt(world, draw, by, field)
        expect(outcome.found, describeDeed(outcome)).toEqual([])
        if (!outcome.deed.reply.body.errors) answered.add(field.name)
        if (!hasActors(world, outcome.deed.after)) world = await createWorld(app)
      }
    }
  })
  // Otherwise the draws covered too few cases.
  const tried = rootFields.map(({ name }) => name).filter((name) => !refusedAlways.includes(name))
  expect([...answered].filter((name) => refusedAlways.includes(name))).toEqual([])
  expect(answered.size).toBeGreaterThan(tried.length / (atNight ? 2 : 3))
})
