import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heldTables } from '../../src/adapters/catalog/memory/commits.ts'
import { Memory } from '../../src/adapters/catalog/memory/memory.ts'
import { atNight } from '../support/amounts.ts'
import type { TestApp } from '../support/boot.ts'
import { changeAll, mutations } from './catalog-memory/change.ts'
import { bootReplicas, closeReplicas } from './catalog-memory/replicas.ts'
import { forAllRuns } from './draw.ts'

const isServer = process.env.TEST_DATABASE_URL !== undefined

let apps: TestApp[]
beforeAll(async () => {
  apps = await bootReplicas()
})
afterAll(() => closeReplicas(apps))

/** The differences that appear while the memory is changed by `mutant`, which returns how to undo it. */
async function findUnder(mutant: () => () => void, fields: readonly string[], times: number): Promise<string[]> {
  const undo = mutant()
  const chosen = mutations.filter(({ name }) => fields.includes(name))
  let found: string[] = []
  await forAllRuns(1, async (draw) => {
    if (found.length === 0) found = await changeAll(apps[0] as TestApp, draw, chosen, times, apps)
  }).finally(undo)
  return found
}

/** Tables whose changes are forgotten, and mutations that change them. */
const forgottenTables: Record<string, readonly string[]> = {
  token: ['revokeApiKey'],
  grant: ['createGrant', 'deleteGrant'],
  'namespace,principal,token,grant': ['createPrincipal', 'deletePrincipal', 'createGrant'],
  scope: ['updateScope'],
  'unit,acl_set,unit_count,plane_model,head': ['ingest', 'updateUnit', 'deleteUnits', 'restoreUnits'],
}

// They test the property, not the service: at night.
describe.runIf(atNight && !isServer)('the memory that watches the embedded connection', () => {
  test.each(Object.entries(forgottenTables))(
    'is found out if it forgets changes of %s',
    { timeout: 240_000 },
    async (tables, fields) => {
      const forget = () => {
        const held = heldTables as Record<string, string>
        const before = { ...held }
        for (const table of tables.split(',')) held[table] = 'none'
        return () => void Object.assign(held, before)
      }
      expect((await findUnder(forget, fields, 40)).length).toBeGreaterThan(0)
    },
  )
})

type Apply = Memory['apply']

/** Ways to forget what has changed. */
const forgottenChanges: Record<string, (apply: Apply) => Apply> = {
  'which Units changed': (apply) =>
    function (this: Memory, known, changes) {
      apply.call(this, known, { ...changes, changed: [], units: [] })
    },
  // The embedded database counts them itself, and names all that changed in one way.
  ...(isServer && {
    'the counts': (apply) =>
      function (this: Memory, known, changes) {
        apply.call(this, known, known ? { ...changes, counts: known.counts } : changes)
      },
    'which Units were deleted': (apply) =>
      function (this: Memory, known, changes) {
        apply.call(this, known, { ...changes, changed: changes.units.map(({ unitId }) => unitId) })
      },
  }),
}

describe.runIf(atNight)('the memory', () => {
  test.each(Object.entries(forgottenChanges))(
    'is found out if it forgets %s',
    { timeout: 240_000 },
    async (_, mutant) => {
      const replace = () => {
        const { apply } = Memory.prototype
        Memory.prototype.apply = mutant(apply)
        return () => {
          Memory.prototype.apply = apply
        }
      }
      const found = await findUnder(replace, ['ingest', 'updateUnit', 'deleteUnits', 'restoreUnits'], 25)
      expect(found.length).toBeGreaterThan(0)
    },
  )
})
