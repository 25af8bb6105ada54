import { type CallOptions, superAdminToken, type TestApp } from '../../support/boot.ts'
import { mutationsOf } from '../../support/mutations.ts'
import type { ModelFile } from './files.ts'

export interface Member {
  id: string
  groups: readonly string[]
  /** Paths of its writable scopes; all scopes are readable. */
  writes: readonly string[]
  options: CallOptions
}

export interface ModelUnit {
  id: string
  scope: string
  writer: string
  externalId: string | null
  text: string
  docId: string | null
  owner: string
  groups: readonly string[]
  tag: string
  state: 'live' | 'tombstoned' | 'purged'
}

/** The expected state of a namespace; `units` in order of creation. */
export interface World {
  app: TestApp
  namespace: string
  run: ReturnType<typeof mutationsOf>
  members: readonly Member[]
  superAdmin: CallOptions
  units: ModelUnit[]
  files: ModelFile[]
}

export const scopes = ['bay', 'cape'] as const

export async function createWorld(app: TestApp, number: number): Promise<World> {
  const namespace = `tides-${number}`
  const add = async (name: string, groups: readonly string[], writes: readonly string[]): Promise<Member> => {
    const id = `${namespace}-${name}`
    const grants = writes.map((scope) => ({ scope, perms: ['write'] as const }))
    const token = await app.principal({
      id,
      namespace,
      groups,
      grants: [{ scope: '*', perms: ['read'] }, ...grants],
    })
    return { id, groups, writes, options: { token } }
  }
  const members = [
    await add('ann', ['red', 'blue'], scopes),
    await add('ben', ['red'], scopes),
    await add('cleo', ['blue'], ['bay']),
  ]
  for (const scope of scopes) {
    const options = { token: superAdminToken, namespace, body: { scope } }
    await app.call('POST', '/v1/scopes', options)
  }
  const superAdmin = { token: superAdminToken, namespace }
  return { app, namespace, run: mutationsOf(app), members, superAdmin, units: [], files: [] }
}

export const mayRead = ({ id, groups }: Member, unit: ModelUnit): boolean =>
  unit.owner === id || unit.groups.some((group) => group === '*' || groups.includes(group))

export const mayChange = (member: Member, unit: ModelUnit): boolean =>
  mayRead(member, unit) && member.writes.includes(unit.scope)

export const live = ({ units }: World): ModelUnit[] => units.filter((unit) => unit.state === 'live')

/** The live Unit with the same external id, scope and writer. */
export const holder = (world: World, { scope, writer, externalId }: Omit<ModelUnit, 'id'>): ModelUnit | undefined =>
  live(world).find(
    (unit) => externalId !== null && unit.externalId === externalId && unit.scope === scope && unit.writer === writer,
  )
