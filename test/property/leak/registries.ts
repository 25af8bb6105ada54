import { expect } from 'vitest'
import type { KeyRestrictions } from '../../../src/model/registry.ts'
import { planes } from '../../../src/model/unit.ts'
import { superAdminToken, type TestApp } from '../../support/boot.ts'
import type { Draw } from '../draw.ts'
import { type Actor, covers, type Namespace, type World } from './model.ts'
import { groupPool, scopePool } from './pools.ts'

const permissions = ['read', 'write', 'admin'] as const

/** Creates keys, claims namespaces (with and without a move of the home), and deletes namespaces and principals. */
export async function changeRegistries(app: TestApp, draw: Draw, world: World): Promise<void> {
  for (let i = 0; i < 3; i++) await mintKey(app, draw, world)
  const newcomer = draw.pick(peopleOf(world).filter((actor) => whole(actor) && actor.id.startsWith('keeper-new')))
  await claim(app, world, newcomer, `${newcomer.home}-first`)
  for (let i = 0; i < 2; i++) await claim(app, world, draw.pick(peopleOf(world)), drawName(draw, world))
  if (draw.chance(50)) await deleteNamespace(app, draw, world)
  if (draw.chance(50)) await deletePrincipal(app, draw, world)
  for (let i = 0; i < 2; i++) await mintKey(app, draw, world)
  for (const token of world.dead) expect((await app.call('GET', '/v1/context', { token })).status).toBe(401)
}

const whole = (actor: Actor) => Object.keys(actor.restrictions).length === 0
const peopleOf = (world: World) => world.actors.filter((actor) => !actor.superAdmin)
const keysOf = (world: World, id: string) => world.actors.filter((actor) => actor.id === id)

/** Creates a key that is narrower than its parent token or key; all of them belong to one principal. */
async function mintKey(app: TestApp, draw: Draw, world: World): Promise<void> {
  const minter = draw.pick(peopleOf(world))
  const wanted: KeyRestrictions = {
    ...(draw.chance(50) ? { perms: permissions.filter((perm) => perm === 'read' || draw.chance(50)) } : {}),
    ...(draw.chance(40) ? { scopePrefix: draw.pick(scopePool) } : {}),
    ...(draw.chance(40) ? { planes: planes.filter((plane) => plane === 'text' || draw.chance(40)) } : {}),
    ...(draw.chance(40) ? { groups: draw.some(groupPool, 2) } : {}),
  }
  const query = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token } }'
  const reply = await app.graphql(query, { input: { name: 'leak', ...wanted } }, { token: minter.token, scope: '*' })
  if (!isWithin(wanted, minter.restrictions)) {
    expect(reply.body.errors[0].extensions.status).toBe(403)
    return
  }
  const { token } = reply.body.data.createApiKey
  const restrictions = { ...minter.restrictions, ...wanted }
  world.actors.push({ ...minter, token, restrictions })
}

/** A key can only be narrower than its parent; it inherits every restriction that it does not set. */
function isWithin(wanted: KeyRestrictions, own: KeyRestrictions): boolean {
  const within = <T>(list: readonly T[] | undefined, limit: readonly T[] | undefined) =>
    list === undefined || limit === undefined || list.every((item) => limit.includes(item))
  return (
    within(wanted.perms, own.perms) &&
    within(wanted.planes, own.planes) &&
    within(wanted.groups, own.groups) &&
    (wanted.scopePrefix === undefined || covers(own.scopePrefix ?? '*', wanted.scopePrefix))
  )
}

/** A new name, or one that is in use, was deleted, or is reserved. */
function drawName(draw: Draw, world: World): string {
  const [first] = world.namespaces
  const fresh = `${first?.name}-claimed-${world.actors.length}`
  return draw.pick([fresh, fresh, fresh, draw.pick(world.namespaces).name, 'demo', ...world.goneNames])
}

async function claim(app: TestApp, world: World, actor: Actor, name: string): Promise<void> {
  const { token, id, home: homeName } = actor
  const reply = await app.call('POST', '/v1/namespaces', { token, body: { namespace: name } })
  const home = world.namespaces.find((namespace) => namespace.name === homeName)
  if (home === undefined) throw new Error(`${id} has no home`)
  const existing = world.namespaces.find((namespace) => namespace.name === name)
  // The home is registered, so it counts towards the limit: in a Free home a further claim fails.
  if (whole(actor) && existing?.owner === id) {
    expect(reply.status).toBe(200)
    return
  }
  const isTaken = existing !== undefined && !isFree(world, existing, id)
  if (!whole(actor) || isTaken || name === 'demo' || world.goneNames.includes(name)) {
    expect(reply.status).toBe(403)
    return
  }
  if (home.tier === 'free' && existing !== home) {
    expect(reply.body).toMatchObject({ status: 402, error: 'quota_exceeded', required_tier: 'pro' })
    return
  }
  const moves = existing !== home && home.scopes.size === 0 && (home.owner === null || home.owner === id)
  const { tier } = existing ?? home
  expect(reply.body).toMatchObject({ namespace: name, owner: id, tier, home: moves || existing === home })
  if (existing) existing.owner = id
  else world.namespaces.push({ name, tier, owner: id, scopes: new Map() })
  for (const key of keysOf(world, id)) {
    key.grants = [...key.grants, { namespace: name, scope: '*', perms: permissions, groups: [] }]
    if (moves) Object.assign(key, { home: name, activeScope: '*' })
  }
}

/** Without an owner, and no other principal has a home or a grant there: such as a home that one has moved out of. */
const isFree = (world: World, { name, owner }: Namespace, id: string) =>
  owner === null &&
  peopleOf(world).every((other) => {
    return other.id === id || (other.home !== name && other.grants.every(({ namespace }) => namespace !== name))
  })

/** Deletes a claimed namespace; its name can never be used again, and its principals are deleted too. */
async function deleteNamespace(app: TestApp, draw: Draw, world: World): Promise<void> {
  const claimed = world.namespaces.filter((namespace) => namespace.owner !== null)
  if (claimed.length === 0) return
  const { name } = draw.pick(claimed) satisfies Namespace
  const reply = await app.call('DELETE', `/v1/namespaces/${name}`, { token: superAdminToken, namespace: name })
  const left = world.actors.filter((actor) => !actor.superAdmin && actor.home === name)
  if (strandsOthers(world, left, name)) {
    expect(reply.status).toBe(400)
    return
  }
  expect(reply.body).toMatchObject({ deleted: true })
  world.namespaces = world.namespaces.filter((namespace) => namespace.name !== name)
  world.goneNames.push(name)
  for (const unit of world.units) if (unit.namespace === name && unit.state !== 'purged') unit.state = 'lost'
  for (const document of world.documents) if (document.namespace === name) document.state = 'lost'
  remove(world, left)
  for (const actor of world.actors) actor.grants = actor.grants.filter((grant) => grant.namespace !== name)
}

async function deletePrincipal(app: TestApp, draw: Draw, world: World): Promise<void> {
  // Keepers stay: each is the last admin of its namespace.
  const { id, home } = draw.pick(peopleOf(world).filter((actor) => !actor.id.startsWith('keeper')))
  const reply = await app.call('DELETE', `/v1/principals/${id}`, { token: superAdminToken, namespace: home })
  if (strandsOthers(world, keysOf(world, id))) {
    expect(reply.status).toBe(400)
    return
  }
  expect(reply.body).toMatchObject({ deleted: true, tokens: keysOf(world, id).length })
  remove(world, keysOf(world, id))
}

/** Whether a namespace other than the deleted one would lose its last admin. */
function strandsOthers(world: World, gone: readonly Actor[], goneName?: string): boolean {
  const administers = (actor: Actor, name: string) =>
    !actor.readOnly &&
    actor.grants.some((grant) => grant.namespace === name && grant.scope === '*' && grant.perms.includes('admin'))
  return world.namespaces.some(({ name }) => {
    const admins = world.actors.filter((actor) => administers(actor, name))
    return name !== goneName && admins.length > 0 && admins.every((actor) => gone.includes(actor))
  })
}

function remove(world: World, actors: readonly Actor[]): void {
  world.dead.push(...actors.map((actor) => actor.token))
  world.actors = world.actors.filter((actor) => !actors.includes(actor))
}
