import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'
import type { TestGrant } from '../../support/principals.ts'

export const roles = [
  'nobody',
  'badToken',
  'readOnly',
  'reader',
  'writer',
  'areaAdmin',
  'admin',
  'stranger',
  'superAdmin',
] as const
export type Role = (typeof roles)[number]

export const namespace = 'matrix'
/** Where everything happens that concerns a scope: the area admin holds all of it, and nothing else. */
export const area = 'area'

const grantsOf: Record<Exclude<Role, 'nobody' | 'badToken' | 'superAdmin'>, readonly TestGrant[]> = {
  readOnly: [{ scope: '*', perms: ['read', 'write', 'admin'] }],
  reader: [{ scope: '*', perms: ['read'] }],
  writer: [{ scope: '*', perms: ['read', 'write'] }],
  areaAdmin: [{ scope: area, perms: ['read', 'write', 'admin'] }],
  admin: [{ scope: '*', perms: ['read', 'write', 'admin'] }],
  stranger: [{ scope: '*', perms: ['read', 'write', 'admin'] }],
}

export interface MatrixWorld {
  app: TestApp
  token(role: Role): string | undefined
  /** A name that nothing has yet. */
  fresh(prefix: string): string
  /** A registered scope in the area. */
  scope(): Promise<string>
  /** A Unit in the area that everyone there may read. */
  unit(): Promise<string>
  /** The seq of a hard delete in the area. */
  deletion(): Promise<number>
  principal(): Promise<string>
  grant(): Promise<string>
  /** A namespace in which each role holds what it holds in `matrix`. */
  namespace(): Promise<string>
  /** Has the namespace hold one. */
  goldenQuery(): Promise<void>
  /** The id of a finished run. */
  finishedRun(): Promise<string>
  /** A key of the role's own. */
  key(role: Role): Promise<string>
}

export async function createMatrixWorld(): Promise<MatrixWorld> {
  const app = await boot()
  const tokens: Partial<Record<Role, string>> = { badToken: 'svc_sk_none_0', superAdmin: superAdminToken }
  for (const [role, grants] of Object.entries(grantsOf)) {
    const home = role === 'stranger' ? 'elsewhere' : namespace
    tokens[role as Role] = await app.principal({ id: role, namespace: home, grants, readOnly: role === 'readOnly' })
  }
  let made = 0
  const fresh = (prefix: string) => `${prefix}-${++made}`

  /** As the admin; throws unless it succeeds. */
  const post = async (path: string, body: object, scope = '*') => {
    const reply = await app.call('POST', path, { token: tokens.admin ?? '', body, scope })
    if (reply.status !== 200) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  await post('/v1/scopes', { scope: area })

  const world: MatrixWorld = {
    app,
    token: (role) => tokens[role],
    fresh,
    scope: async () => (await post('/v1/scopes', { scope: `${area}/${fresh('scope')}` })).scope,
    unit: async () => {
      const { units } = await post('/v1/ingest', { units: [{ text: 'matrix', scope: area, acl_groups: ['*'] }] })
      return units[0].unit_id
    },
    deletion: async () => {
      const ids = [await world.unit()]
      return (await post('/v1/units:delete', { ids, hard: true }, area)).seq
    },
    principal: async () => (await post('/v1/principals', {})).principal_id,
    grant: async () => {
      const principal_id = await world.principal()
      return (await post('/v1/grants', { principal_id, scope: area, perms: ['read'] })).id
    },
    namespace: async () => {
      const name = fresh('victim')
      for (const [role, grants] of Object.entries(grantsOf)) {
        if (role === 'stranger') continue
        const given = grants.map((grant) => ({ ...grant, namespace: name }))
        const readOnly = role === 'readOnly'
        // Makes the namespace and the grants; the token replaces the role's own, which is why it is kept.
        tokens[role as Role] = await app.principal({ id: role, namespace, grants: given, readOnly })
      }
      return name
    },
    goldenQuery: async () => {
      const query = 'mutation { createGoldenQueries(queries: [{ q: "matrix", expectedAnswers: ["yes"] }]) { created } }'
      await app.graphql(query, {}, { token: tokens.admin ?? '' })
    },
    finishedRun: async () => {
      await world.goldenQuery()
      const reply = await app.graphql('mutation { evaluate { run { id } } }', {}, { token: tokens.admin ?? '' })
      return reply.body.data.evaluate.run.id
    },
    key: async (role) => {
      const query = `mutation { createApiKey(input: { name: "${fresh('key')}" }) { key { id } } }`
      const reply = await app.graphql(query, {}, { token: tokens[role] ?? '' })
      return reply.body.data?.createApiKey?.key.id ?? 'none'
    },
  }
  return world
}
