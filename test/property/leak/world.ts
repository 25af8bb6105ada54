import type { Permission } from '../../../src/model/registry.ts'
import { planes } from '../../../src/model/unit.ts'
import type { TestGrant } from '../../support/access/principals.ts'
import { superAdminToken, type TestApp } from '../../support/boot.ts'
import type { Draw } from '../draw.ts'
import { addDocuments } from './documents/history.ts'
import { addUnits, deleteScopes, deleteUnits, updateUnits } from './history.ts'
import type { Actor, Namespace, World } from './model.ts'
import { groupPool, newcomerOf, scopePool } from './pools.ts'

/** Creates namespaces, scopes, principals and Units through the service, and records them in the model. */
export async function buildWorld(app: TestApp, draw: Draw, run: number): Promise<World> {
  const world: World = {
    namespaces: [],
    actors: [],
    units: [],
    overwritten: [],
    dead: [],
    goneNames: [],
    documents: [],
    links: [],
    sent: 0,
  }
  for (let i = 0; i <= 1 + draw.upTo(1); i++) {
    const namespace: Namespace = {
      name: `w${run}-${i}`,
      tier: draw.pick(['free', 'pro', 'enterprise']),
      owner: null,
      scopes: new Map(),
    }
    world.namespaces.push(namespace)
    // Each namespace has a principal with all permissions, like a founder; these alone don't make a Unit's ACL match.
    const grants = [{ namespace: namespace.name, scope: '*', perms: ['read', 'write', 'admin'] as const, groups: [] }]
    await addActor(app, world, { ...plain(`keeper-${namespace.name}`, namespace.name), kind: 'service', grants })
    await registerScopes(app, draw, namespace)
  }
  await addNewcomer(app, world, `new-w${run}`)
  const extra = 4 + draw.upTo(4)
  for (let i = 0; i < extra; i++) await addActor(app, world, drawActor(draw, world, `p${i}-w${run}`))
  world.actors.push({ ...plain('super-admin', 'demo'), token: superAdminToken, superAdmin: true })

  const size = 20 + draw.upTo(30)
  while (world.units.length < size) await addUnits(app, draw, world)
  await updateUnits(app, draw, world)
  for (let i = 0; i < 2; i++) await addDocuments(app, draw, world)
  await deleteUnits(app, draw, world)
  await deleteScopes(app, draw, world)
  for (let i = 0; i < 2; i++) await addUnits(app, draw, world)
  return world
}

const plain = (id: string, home: string): Actor => ({
  id,
  home,
  token: '',
  kind: 'user',
  groups: [],
  readOnly: false,
  activeScope: '*',
  grants: [],
  superAdmin: false,
  restrictions: {},
})

const readWrite: Permission[] = ['read', 'write']
const permSets: Permission[][] = [
  ['read'],
  ['read'],
  readWrite,
  readWrite,
  [...readWrite, 'admin'],
  ['write'],
  ['admin'],
]

function drawActor(draw: Draw, world: World, id: string): Actor {
  const home = draw.pick(world.namespaces).name
  const grants = world.namespaces.flatMap(({ name }): Required<TestGrant>[] => {
    // Most actors have permissions in their home namespace, some have none; few have permissions elsewhere.
    if (!draw.chance(name === home ? 90 : 40)) return []
    // A guest's groups differ between scopes.
    const all = draw.chance(name === home ? 50 : 20)
    const paths = all ? ['*'] : [draw.pick(['acme', ...scopePool]), draw.pick(scopePool), draw.pick(scopePool)]
    return [...new Set(paths)].map((scope) => ({
      namespace: name,
      scope,
      perms: draw.pick(permSets),
      groups: draw.some(groupPool, 2),
    }))
  })
  return {
    ...plain(id, home),
    kind: draw.pick(['user', 'agent', 'service']),
    // A group may have the name of a principal; its members don't become owners.
    groups: draw.some([...groupPool, ...groupPool, ...world.actors.map((a) => a.id)], 4),
    readOnly: draw.chance(20),
    activeScope: draw.chance(50) ? '*' : draw.pick([...scopePool, ...grants.map((grant) => grant.scope)]),
    grants,
  }
}

/** A principal with an empty home. Its first claim moves the home, unless others have written there before. */
async function addNewcomer(app: TestApp, world: World, name: string): Promise<void> {
  world.namespaces.push({ name, tier: 'pro', owner: null, scopes: new Map() })
  const grants = [{ namespace: name, scope: '*', perms: ['read', 'write', 'admin'] as const, groups: [] }]
  await addActor(app, world, { ...plain(newcomerOf(name), name), grants })
}

async function addActor(app: TestApp, world: World, actor: Actor): Promise<void> {
  const { id, home: namespace, kind, groups, readOnly, activeScope, grants } = actor
  const tier = world.namespaces.find((n) => n.name === namespace)?.tier ?? 'free'
  const token = await app.principal({ id, namespace, tier, kind, groups, readOnly, activeScope, grants })
  world.actors.push({ ...actor, token })
}

/** Through the port, because the API cannot set planes and `read_only_agents`. */
async function registerScopes(app: TestApp, draw: Draw, namespace: Namespace): Promise<void> {
  const { catalog, random } = app.runtime.bindings
  const found = await catalog.access.namespace(namespace.name)
  if (!found) throw new Error(`${namespace.name} was not made`)
  const paths = new Set([draw.pick(scopePool), draw.pick(scopePool), 'acme', ...draw.some(scopePool, 4)])
  await catalog.transact(found.namespace.id, async (tx) => {
    for (const scope of paths) {
      const enabled = draw.chance(70) ? planes : planes.filter((p) => p === 'text' || draw.chance(50))
      const facts = { planes: enabled, readOnlyAgents: draw.chance(20) }
      namespace.scopes.set(scope, facts)
      await tx.scopes.insert({ id: random.id('scope'), scope, parent: null, createdAt: 0, ...facts })
    }
  })
}
