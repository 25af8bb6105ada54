import { openBrowser } from '../../../support/access/browser.ts'
import type { TestGrant } from '../../../support/access/principals.ts'
import { type BootOptions, boot, superAdminToken, type TestApp } from '../../../support/boot.ts'
import { taken } from '../../../support/documents/files.ts'

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
/** The scope for all requests that concern a scope: the area admin has all permissions here, and none elsewhere. */
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
  /** An unused name. */
  fresh(prefix: string): string
  /** Creates a registered scope in the area. */
  scope(): Promise<string>
  /** Creates a Unit in the area that everyone there may read. */
  unit(): Promise<string>
  /** Creates one with a docId, which it returns. */
  docId(): Promise<string>
  /** The same with an uploaded source. */
  unitOfSource(): Promise<string>
  /** Makes a hard deletion in the area; returns its seq. */
  deletion(): Promise<number>
  /** Uploads a source as this role, if it may. */
  source(role: Role): Promise<string>
  /** Ingests a document in the area that everyone there may read. */
  document(): Promise<string>
  principal(): Promise<string>
  grant(): Promise<string>
  /** One that the admin is in. */
  group(): Promise<string>
  /** Signs up; returns the address. */
  person(): Promise<string>
  /** Makes an open one to read the area. */
  invitation(): Promise<{ id: string; token: string }>
  /** Creates a namespace in which each role has the same permissions as in `matrix`. */
  namespace(): Promise<string>
  /** Makes sure that the namespace has a golden query. */
  goldenQuery(): Promise<void>
  /** The id of a finished evaluation run. */
  finishedRun(): Promise<string>
  /** Creates a key of the role itself. */
  key(role: Role): Promise<string>
  /** What was created is used up: the next request gets something new. Until then all get the same. */
  renew(): void
}

export async function createMatrixWorld(options?: BootOptions): Promise<MatrixWorld> {
  const app = await boot(options)
  const tokens: Partial<Record<Role, string>> = { badToken: 'svc_sk_none_0', superAdmin: superAdminToken }
  for (const [role, grants] of Object.entries(grantsOf)) {
    const home = role === 'stranger' ? 'elsewhere' : namespace
    tokens[role as Role] = await app.principal({ id: role, namespace: home, grants, readOnly: role === 'readOnly' })
  }
  let made = 0
  const fresh = (prefix: string) => `${prefix}-${++made}`

  /** Posts as the admin; throws unless it succeeds. */
  const post = async (path: string, body: object, scope = '*') => {
    const reply = await app.call('POST', path, { token: tokens.admin ?? '', body, scope })
    if (reply.status !== 200) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  await post('/v1/scopes', { scope: area })
  const namespaceId = async () => (await app.runtime.bindings.catalog.access.namespace(namespace))?.namespace.id ?? ''

  const kept = new Map<string, Promise<unknown>>()
  const once =
    <T>(name: string, create: () => Promise<T>) =>
    (): Promise<T> => {
      const found = (kept.get(name) as Promise<T> | undefined) ?? create()
      kept.set(name, found)
      return found
    }
  const createUnit = async (): Promise<string> => {
    const { units } = await post('/v1/ingest', { units: [{ text: 'matrix', scope: area, acl_groups: ['*'] }] })
    return units[0].unit_id
  }

  const world: MatrixWorld = {
    app,
    renew: () => kept.clear(),
    token: (role) => tokens[role],
    fresh,
    scope: once('scope', async () => (await post('/v1/scopes', { scope: `${area}/${fresh('scope')}` })).scope),
    unit: once('unit', createUnit),
    docId: once('docId', async () => {
      const unit = { text: 'matrix', scope: area, acl_groups: ['*'], doc_id: fresh('doc') }
      await post('/v1/ingest', { units: [unit] })
      return unit.doc_id
    }),
    unitOfSource: once('unitOfSource', async () => {
      const upload = 'mutation { createSource(input: { data: "YQ==" }) { sourceUri } }'
      const { body } = await app.graphql(upload, {}, { token: tokens.admin ?? '' })
      const unit = { source_uri: body.data.createSource.sourceUri, scope: area, acl_groups: ['*'] }
      return (await post('/v1/ingest', { units: [unit] })).units[0].unit_id
    }),
    deletion: once('deletion', async () => {
      const ids = [await createUnit()]
      return (await post('/v1/units:delete', { ids, hard: true }, area)).seq
    }),
    source: async (role) => {
      const options = { scope: '*', token: tokens[role] ?? '', ...(role === 'superAdmin' && { namespace }) }
      const reply = await app.graphql('mutation { createSource(input: { data: "eA==" }) { sourceUri } }', {}, options)
      return reply.body.data?.createSource?.sourceUri ?? 'source://none'
    },
    document: once('document', async () => {
      const options = { scope: area, aclGroups: ['*'] }
      return (await taken(app, tokens.admin ?? '', `${fresh('file')}.txt`, 'matrix', options)).documentId
    }),
    principal: once('principal', async () => (await post('/v1/principals', {})).principal_id),
    group: once('group', async () => {
      const name = fresh('group')
      const groups = [...(await app.runtime.bindings.catalog.registry.principals(await namespaceId())).items]
        .find(({ principalId }) => principalId === 'admin')
        ?.groups.concat(name)
      const query =
        'mutation ($groups: [String!]) { updatePrincipal(id: "admin", input: { groups: $groups }) { groups } }'
      await app.graphql(query, { groups }, { token: superAdminToken, namespace })
      return name
    }),
    person: once('person', async () => {
      const email = `${fresh('person')}@example.com`
      await openBrowser(app).signUp(email)
      return email
    }),
    grant: once('grant', async () => {
      const principal_id = await world.principal()
      return (await post('/v1/grants', { principal_id, scope: area, perms: ['read'] })).id
    }),
    invitation: once('invitation', async () => {
      const query = `mutation { createInvitation(input: { scope: "${area}", perms: [read] }) { url invitation { id } } }`
      const { body } = await app.graphql(query, {}, { token: tokens.admin ?? '' })
      const { url, invitation } = body.data.createInvitation
      return { id: invitation.id, token: url.split('#')[1] }
    }),
    namespace: once('namespace', async () => {
      const name = fresh('victim')
      for (const [role, grants] of Object.entries(grantsOf)) {
        if (role === 'stranger') continue
        const given = grants.map((grant) => ({ ...grant, namespace: name }))
        const readOnly = role === 'readOnly'
        // Creates the namespace and the grants. The new token replaces the role's token, so it is stored.
        tokens[role as Role] = await app.principal({ id: role, namespace, grants: given, readOnly })
      }
      return name
    }),
    goldenQuery: async () => {
      const query = 'mutation { createGoldenQueries(queries: [{ q: "matrix", expectedAnswers: ["yes"] }]) { created } }'
      await app.graphql(query, {}, { token: tokens.admin ?? '' })
    },
    finishedRun: once('finishedRun', async () => {
      await world.goldenQuery()
      const reply = await app.graphql('mutation { evaluate { run { id } } }', {}, { token: tokens.admin ?? '' })
      return reply.body.data.evaluate.run.id
    }),
    key: async (role) => {
      const query = `mutation { createApiKey(input: { name: "${fresh('key')}" }) { key { id } } }`
      const reply = await app.graphql(query, {}, { token: tokens[role] ?? '' })
      return reply.body.data?.createApiKey?.key.id ?? 'none'
    },
  }
  return world
}
