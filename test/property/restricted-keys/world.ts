import { demoAdmin } from '../../../src/domain/seed/principals.ts'
import type { PrincipalKind } from '../../../src/model/registry.ts'
import { modalities, planes } from '../../../src/model/unit.ts'
import type { TestGrant } from '../../support/access/principals.ts'
import { superAdminToken, type TestApp } from '../../support/boot.ts'
import { taken } from '../../support/documents/files.ts'

/** A principal with its own unrestricted token. */
export interface Actor {
  id: string
  namespace: string
  kind: PrincipalKind
  groups: readonly string[]
  token: string
}

/** A namespace with every kind of data that an operation can change or show. */
export interface World {
  app: TestApp
  namespace: string
  actors: readonly Actor[]
  /** An admin of the seeded namespace, with all permissions of the seeded admin. */
  seeder: Actor
  /** The owner of another namespace. */
  founder: Actor
  /** Another admin principal of that namespace. */
  heir: string
  /** Ids for arguments, in addition to those of Units. */
  ids: { run: string; source: string; keys: string[]; documents: string[] }
  /** Secrets of open invitations. */
  invitations: string[]
  /** Ids of soft-deleted Units. */
  deleted: string[]
}

export const scopePool = ['a', 'a/b', 'a/b/c', 'ab', 'c', 'c/closed'] as const
export const groupPool = ['staff', 'board'] as const
export const externalIds = ['e1', 'e2', 'e3'] as const
/** Closed only to agents. */
const closedScope = 'c/closed'

const all: TestGrant['perms'] = ['read', 'write', 'admin']
const everywhere: readonly TestGrant[] = [{ scope: '*', perms: all }]
let worlds = 0

export async function createWorld(app: TestApp): Promise<World> {
  const namespace = `w${++worlds}`
  const actors: Actor[] = []
  const add = async (name: string, kind: PrincipalKind, groups: readonly string[], grants = everywhere) => {
    const id = `${namespace}-${name}`
    const token = await app.principal({ id, namespace, kind, groups, grants })
    actors.push({ id, namespace, kind, groups, token })
    return token
  }
  const boss = await add('boss', 'user', groupPool)
  await add('bot', 'agent', ['staff'])
  const mate = await add('mate', 'user', ['staff'], [{ scope: 'a', perms: all }])
  const read: TestGrant['perms'] = ['read']
  await add(
    'victim',
    'user',
    ['board'],
    [
      { scope: 'c', perms: read },
      { scope: closedScope, perms: read },
    ],
  )

  const post = async (path: string, body: object, token = boss) => {
    const reply = await app.call('POST', path, { token, body })
    if (reply.status !== 200) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const ask = async (query: string, token = boss) => {
    const { body } = await app.graphql(query, {}, { token })
    if (body.errors) throw new Error(`${query}: ${JSON.stringify(body.errors)}`)
    return body.data
  }
  const { createSource } = await ask('mutation { createSource(input: {data: "aGVyb24="}) { sourceUri } }')
  for (const scope of scopePool) await post('/v1/scopes', { scope })
  await post('/v1/ingest', { units: unitsOf(namespace, createSource.sourceUri) })
  const ownUnits = ['a', 'a/b'].map((scope) => ({ scope, text: `${mark()} heron`, external_id: 'e1' }))
  await post('/v1/ingest', { units: ownUnits }, mate)
  const documents: string[] = []
  for (const [i, scope] of (['a', 'a/b', 'c'] as const).entries()) {
    const options = { scope, docId: `d${i}`, aclGroups: groupPool.slice(0, i % 3) }
    documents.push((await taken(app, boss, `${mark()}.txt`, `${mark()} heron`, options)).documentId)
  }
  const dropped = unitsOf(namespace, createSource.sourceUri).slice(0, 4)
  const { units } = await post('/v1/ingest', { units: dropped.map((unit) => ({ ...unit, external_id: `x${mark()}` })) })
  const deleted = units.map((unit: { unit_id: string }) => unit.unit_id)
  await post('/v1/units:delete', { ids: deleted })
  await ask(`mutation { updateScope(scope: "${closedScope}", input: {readOnlyAgents: true}) { scope } }`)
  await ask(`mutation { createGoldenQueries(queries: [{q: "heron", expectedAnswers: ["${mark()}"]}]) { created } }`)
  const { evaluate } = await ask('mutation { evaluate(answers: false) { run { id } } }')
  // So that the log names Units of all planes and groups.
  const { body } = await app.call('GET', '/v1/units', { token: boss })
  const updates = body.units
    .slice(0, 20)
    .map(
      ({ unit_id }: { unit_id: string }, i: number) =>
        `u${i}: updateUnit(unitId: "${unit_id}", input: {metadata: {a: 1}}) { seq }`,
    )
  await ask(`mutation { ${updates.join(' ')} }`)
  const invitations: string[] = []
  for (const scope of ['a', 'a/b', 'c']) {
    const { createInvitation } = await ask(
      `mutation { createInvitation(input: {scope: "${scope}", perms: [read, write, admin]}) { url } }`,
    )
    invitations.push(createInvitation.url.split('#')[1])
  }
  const keys: string[] = []
  for (const { token } of actors) {
    keys.push(
      (await ask('mutation { createApiKey(input: {name: "spare"}) { key { id } } }', token)).createApiKey.key.id,
    )
  }
  return {
    app,
    namespace,
    actors,
    seeder: await addSeeder(app, namespace),
    ...(await addFounder(app, namespace)),
    ids: { run: evaluate.run.id, source: createSource.sourceUri, keys, documents },
    invitations,
    deleted,
  }
}

async function addSeeder(app: TestApp, name: string): Promise<Actor> {
  const id = `${name}-seeder`
  const { groups, namespace } = demoAdmin
  return { id, namespace, kind: 'user', groups, token: await app.principal({ id, namespace, groups }) }
}

async function addFounder(app: TestApp, name: string): Promise<Pick<World, 'founder' | 'heir'>> {
  const [id, heir, namespace] = [`${name}-founder`, `${name}-heir`, `${name}-founded`]
  const token = await app.principal({ id, namespace })
  await app.call('POST', '/v1/namespaces', { token, body: { namespace } })
  await app.principal({ id: heir, namespace })
  return { founder: { id, namespace, kind: 'user', groups: [], token }, heir }
}

/** The actors that could do this with an unrestricted key. */
export function actorsFor({ seeder, founder, actors }: World, field: string): readonly Actor[] {
  if (field === 'seed') return [seeder]
  return field === 'transferNamespace' ? [founder] : actors
}

let marks = 0
/** A word that occurs in only one text. */
export const mark = () => `mark${++marks}x`

const acls = [
  { acl_groups: ['staff'] },
  { acl_owner: 'nobody', acl_groups: ['board'] },
  { acl_owner: 'nobody', acl_groups: ['staff'] },
  { acl_owner: 'nobody', acl_groups: ['*'] },
  {},
]

/** In every scope one Unit per plane, each with another ACL. */
function unitsOf(namespace: string, source: string) {
  return scopePool.flatMap((scope, s) =>
    planes.map((plane, p) => ({
      scope,
      plane,
      modality: modalities[0],
      text: `${mark()} heron ${namespace}`,
      ...acls[(s + p) % acls.length],
      ...(p < externalIds.length ? { external_id: externalIds[p] } : { source_uri: source }),
    })),
  )
}

export const superAdminIn = (namespace: string) => ({ token: superAdminToken, namespace })
