import {
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { schema } from '../../../src/graphql/schema.ts'
import { boot, type CallOptions, superAdminToken, type TestApp } from '../../support/boot.ts'

let app: TestApp
let owner: string
let stranger: string
const gone = { namespace: 'ada-labs' }

beforeAll(async () => {
  app = await boot()
  const everything = { scope: '*', perms: ['read', 'write', 'admin'] } as const
  await app.principal({ id: 'lab-hand', ...gone })
  owner = await app.principal({ id: 'ada', namespace: 'ada-home', grants: [everything, { ...everything, ...gone }] })
  stranger = await app.principal({ id: 'bob', namespace: 'bob-home' })
  const units = [{ text: 'the secret recipe', acl_groups: ['*'] }]
  const { status } = await app.call('POST', '/v1/ingest', { token: owner, ...gone, scope: 'shelf', body: { units } })
  expect(status).toBe(200)
  expect((await app.call('DELETE', '/v1/namespaces/ada-labs', { token: owner })).status).toBe(200)
  // The sweep also writes a row.
  await app.runtime.domain.background.idle()
})
afterAll(() => app.close())

const asSuper = { token: superAdminToken, ...gone }
const get = (path: string, options: CallOptions = asSuper) => app.call('GET', path, options)
const actionsOf = (rows: { action: string }[]) => rows.map(({ action }) => action)

test('its deletion stands in its own log and in that of who deleted it', async () => {
  const home = await get('/v1/audit', { token: owner })
  const [row] = home.body.rows
  expect(row).toMatchObject({
    namespace: 'ada-home',
    principal_id: 'ada',
    action: 'namespace.delete',
    target: 'ada-labs',
  })
  const own = (await get('/v1/audit')).body.rows.find(({ action }: { action: string }) => action === 'namespace.delete')
  expect(own).toMatchObject({ namespace: 'ada-labs', principal_id: 'ada', target: 'ada-labs', detail: row.detail })
  expect(own.request_id).toBe(row.request_id)
})

test("what the super-admin deletes stands in the log of the super-admin's own namespace", async () => {
  await app.principal({ id: 'eve', namespace: 'eve-labs' })
  expect((await app.call('DELETE', '/v1/namespaces/eve-labs', { token: superAdminToken })).status).toBe(200)
  const { body } = await get('/v1/audit', { token: superAdminToken })
  expect(body.rows[0]).toMatchObject({ namespace: 'demo', principal_id: 'super-admin', target: 'eve-labs' })
})

test('its log is read, verified, proved and exported by the super-admin', async () => {
  const list = await get('/v1/audit')
  expect(list.status).toBe(200)
  expect(actionsOf(list.body.rows)).toEqual(expect.arrayContaining(['units.ingest', 'namespace.delete']))
  const verified = await get('/v1/audit/verify')
  expect(verified.body).toMatchObject({ ...gone, intact: true, checked: list.body.count })
  const checkpoint = await get('/v1/audit/checkpoint')
  expect(checkpoint.body).toMatchObject({ ...gone, origin: 'svc/audit/ada-labs', size: list.body.count })
  expect((await get('/v1/audit/proof?seq=1')).body).toMatchObject({ seq: 1, size: list.body.count })
  const made = await app.graphql('mutation { exportAudit { url } }', {}, asSuper)
  const exported = await app.call('GET', made.body.data.exportAudit.url)
  const lines = exported.body
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line))
  expect(actionsOf(lines)).toEqual([...actionsOf(list.body.rows).reverse(), 'audit.export'])
  expect((await get('/v1/audit/verify')).body).toMatchObject({ intact: true, checked: list.body.count + 1 })
})

test('to everyone else it is a name that never was one, and to the super-admin beyond its log', async () => {
  for (const token of [owner, stranger]) {
    for (const path of ['/v1/audit', '/v1/audit/verify', '/v1/audit/checkpoint', '/v1/context']) {
      const reply = await get(path, { token, ...gone })
      const never = await get(path, { token, namespace: 'never-was' })
      expect([reply.status, reply.body]).toEqual([403, never.body])
    }
  }
  const never = await get('/v1/units', { token: superAdminToken, namespace: 'never-was' })
  for (const path of ['/v1/units', '/v1/context', '/v1/scopes', '/v1/catalog/stats', '/v1/grants', '/v1/principals']) {
    const reply = await get(path)
    expect([reply.status, reply.body], path).toEqual([403, never.body])
  }
  expect((await get('/v1/audit', { token: superAdminToken, namespace: 'never-was' })).status).toBe(403)
})

/** An arbitrary valid value for the schema. */
function anyValue(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return anyValue(type.ofType)
  if (isListType(type)) return []
  if (isEnumType(type)) return type.getValues()[0]?.name
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type))
    const fields = type.isOneOf ? Object.values(type.getFields()).slice(0, 1) : required
    return Object.fromEntries(fields.map((field) => [field.name, anyValue(field.type)]))
  }
  const byName: Record<string, unknown> = { Int: 1, Float: 1, SafeInt: 1, Boolean: true, JSON: {} }
  return byName[type.name] ?? 'xxxx'
}
const selection = (type: GraphQLOutputType) => (isLeafType(getNamedType(type)) ? '' : '{ __typename }')

test('no other operation of the schema opens it', async () => {
  const open = new Map<string, string | undefined>()
  for (const [kind, root] of [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const) {
    for (const [name, field] of Object.entries(root?.getFields() ?? {})) {
      const args = field.args.filter((arg) => isNonNullType(arg.type))
      const declared = args.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')
      const given = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ')
      const [head, call] = args.length === 0 ? ['', name] : [`(${declared})`, `${name}(${given})`]
      const variables = Object.fromEntries(args.map((arg) => [arg.name, anyValue(arg.type)]))
      const { body } = await app.graphql(`${kind}${head} { ${call} ${selection(field.type)} }`, variables, asSuper)
      const [error] = body.errors ?? []
      const isRefused =
        error?.message === 'the namespace was not granted: choose one that a grant of yours names' &&
        error.extensions?.code === 'forbidden'
      if (!isRefused) open.set(name, error?.message)
    }
  }
  expect(Object.fromEntries(open)).toEqual({
    audit: undefined,
    auditCheckpoint: undefined,
    auditProof: 'exactly one of seq and from is required',
    exportAudit: undefined,
    verifyAudit: undefined,
  })
})
