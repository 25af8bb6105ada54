import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rules } from '../../src/domain/access/gate.ts'
import { bounds } from '../../src/domain/access/visibility.ts'
import { permissions } from '../../src/model/registry.ts'
import type { Operation, Reach } from '../../src/operations/operation.ts'
import { operations } from '../../src/operations/operations.ts'
import { atNight } from '../support/amounts.ts'
import { boot, superAdminToken, type TestApp } from '../support/boot.ts'
import { forAllRuns } from './draw.ts'
import { rootFields } from './graphql-draw.ts'
import { mintKey, type Restriction } from './restricted-keys/keys.ts'
import { attempt, isRich, type Outcome } from './restricted-keys/run.ts'
import { actorsFor, createWorld, type World } from './restricted-keys/world.ts'

let app: TestApp
let world: World
beforeAll(async () => {
  app = await boot()
  await app.call('POST', '/v1/admin/seed', { token: superAdminToken })
  world = await createWorld(app)
})
afterAll(() => app.close())

/** A rule that is switched off, and the requests that must detect it. */
interface Mutant {
  name: string
  /** Switches the rule off; returns a function that switches it on again. */
  apply(): () => void
  fields: readonly string[]
  restrictions: readonly Restriction[]
  actors: readonly string[]
}

const table = operations as Record<string, Operation>
const replace = <T extends object, K extends keyof T>(object: T, key: K, value: T[K]) => {
  const before = object[key]
  object[key] = value
  return () => {
    object[key] = before
  }
}
const fieldsOf = (reach: Reach) => Object.keys(table).filter((name) => table[name]?.reach === reach)
const admins = ['boss']

const tableMutants = Object.entries(table).flatMap(([name, operation]): Mutant[] =>
  operation.reach === 'clamped'
    ? []
    : [
        {
          name: `${name} reaches nothing`,
          apply: () => replace(table, name, { ...operation, reach: 'clamped' }),
          fields: [name],
          restrictions: rules[operation.reach].keys.slice(0, 1),
          actors: admins,
        },
      ],
)

/** Seeding needs permissions on `*`, which no key with a scope prefix has. */
const isEquivalent = (reach: string, restriction: Restriction) => reach === 'seed' && restriction === 'scopePrefix'

const keyMutants = Object.entries(rules).flatMap(([reach, rule]) =>
  rule.keys
    .filter((restriction) => !isEquivalent(reach, restriction))
    .map(
      (restriction): Mutant => ({
        name: `${reach} does not mind ${restriction}`,
        apply: () =>
          replace(
            rule,
            'keys',
            rule.keys.filter((key) => key !== restriction),
          ),
        fields: fieldsOf(reach as Reach),
        restrictions: [restriction],
        actors: admins,
      }),
    ),
)

const agentMutants = Object.entries(rules).flatMap(([reach, rule]): Mutant[] =>
  rule.agents === 'kept to open scopes'
    ? [
        {
          name: `${reach} does not mind agents`,
          apply: () => {
            const { agents } = rule
            delete rule.agents
            return () => Object.assign(rule, { agents })
          },
          fields: fieldsOf(reach as Reach),
          restrictions: [],
          actors: ['bot'],
        },
      ]
    : [],
)

const boundMutants: Mutant[] = [
  {
    name: 'what an expiring key makes never ends',
    apply: () => replace(bounds, 'expiresAt', () => null),
    fields: ['createGrant', 'createPrincipal', 'createScope'],
    restrictions: ['expiresAt'],
    actors: admins,
  },
  {
    name: 'a new scope is granted with every permission',
    apply: () => replace(bounds, 'perms', () => [...permissions]),
    fields: ['createScope'],
    restrictions: ['perms'],
    actors: admins,
  },
  {
    name: 'a new principal learns all of hidden Units',
    apply: () => replace(bounds, 'ofTokens', () => ({})),
    fields: ['createPrincipal'],
    restrictions: ['hiddenCount'],
    actors: admins,
  },
  ...(['planes', 'groups'] as const).map(
    (restriction): Mutant => ({
      name: `ingest overwrites Units outside the ${restriction} of the key`,
      apply: () => replace(bounds, 'reaches', () => true),
      fields: ['ingest'],
      restrictions: [restriction],
      actors: admins,
    }),
  ),
]

/** Tries requests until one detects the mutant. */
async function hunt(mutant: Mutant): Promise<Outcome | null> {
  let caught: Outcome | null = null
  const fields = rootFields.filter(({ name }) => mutant.fields.includes(name))
  await forAllRuns(1, async (draw) => {
    for (let i = 0; i < 60 && !caught; i++) {
      if (!(await isRich(world))) world = await createWorld(app)
      const field = draw.pick(fields)
      const able = actorsFor(world, field.name)
      const named = able.filter(({ id }) => mutant.actors.some((name) => id.endsWith(`-${name}`)))
      const actor = draw.pick(named.length > 0 ? named : able)
      const by = await mintKey(world, draw, actor, mutant.restrictions)
      const outcome = await attempt(world, draw, by, field)
      if (outcome.found.length > 0) caught = outcome
    }
  })
  return caught
}

// It tests the property, not the service: at night.
describe.runIf(atNight)('the property finds out each rule of the gate that is switched off', () => {
  test.each([...tableMutants, ...keyMutants, ...agentMutants, ...boundMutants])(
    '$name',
    {
      timeout: 240_000,
    },
    async (mutant) => {
      const restore = mutant.apply()
      const caught = await hunt(mutant).finally(restore)
      expect(caught?.found.length ?? 0).toBeGreaterThan(0)
    },
  )
})
