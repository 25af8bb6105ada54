import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'
import { ingestFile, sendDocument, settled, taken, upload } from '../../support/documents/files.ts'

let app: TestApp
const tokens: Record<string, string> = {}

beforeAll(async () => {
  app = await boot()
  const grants = [{ scope: '*', perms: ['read', 'write'] as const }]
  tokens.root = await app.principal({ id: 'root', namespace: 'acme', groups: ['team', 'board'] })
  for (const id of ['ann', 'bob', 'eve'])
    tokens[id] = await app.principal({ id, namespace: 'acme', groups: ['team', 'board'], grants })
})
afterAll(() => app?.close())

const ingest = (who: string, unit: object) =>
  app.call('POST', '/v1/ingest', { token: tokens[who] ?? '', scope: 'main', body: { units: [unit] } })
const created = async (who: string, unit: object): Promise<string> => {
  const { body } = await ingest(who, { text: 'heron', acl_groups: ['team'], ...unit })
  return body.units[0].unit_id
}
const update = async (who: string, unitId: string, input: object) => {
  const document =
    'mutation ($id: String!, $input: UpdateUnitInput!) { updateUnit(unitId: $id, input: $input) { seq } }'
  const { body } = await app.graphql(document, { id: unitId, input }, { token: tokens[who] ?? '' })
  return body.errors ? [body.errors[0].extensions.status, body.errors[0].message] : 200
}
const aclOf = async (unitId: string) => {
  const options = { token: superAdminToken, namespace: 'acme' }
  const { body } = await app.call('GET', `/v1/units/${unitId}`, options)
  return [body.acl_owner, body.acl_groups]
}
const refusal = (field: string) => [
  403,
  expect.stringMatching(new RegExp(`^${field}: only the Unit's owner or an admin`)),
]

describe('owner and readers of a Unit', () => {
  it('are not changed by a writer, who changes metadata and title', async () => {
    const unitId = await created('ann', {})
    expect(await update('bob', unitId, { aclOwner: 'bob' })).toEqual(refusal('acl_owner'))
    expect(await update('bob', unitId, { aclGroups: ['team', 'board'] })).toEqual(refusal('acl_groups'))
    expect(await update('bob', unitId, { aclGroups: [] })).toEqual(refusal('acl_groups'))
    expect(await update('bob', unitId, { metadata: { a: 1 }, aclOwner: 'bob' })).toEqual(refusal('acl_owner'))
    expect(await update('bob', unitId, { aclOwner: 'ann', aclGroups: ['team', 'team'], title: 'same' })).toBe(200)
    expect(await update('bob', unitId, { metadata: { by: 'bob' } })).toBe(200)
    expect(await aclOf(unitId)).toEqual(['ann', ['team']])
  })

  it('are changed by the owner, and by an admin principal with a key that may', async () => {
    const unitId = await created('ann', {})
    expect(await update('ann', unitId, { aclGroups: ['board'] })).toBe(200)
    expect(await update('ann', unitId, { aclOwner: 'bob' })).toBe(200)
    expect(await update('ann', unitId, { aclOwner: 'ann' })).toEqual(refusal('acl_owner'))
    const key = await app.graphql(
      'mutation { createApiKey(input: { name: "writer", perms: [read, write] }) { token } }',
      {},
      { token: tokens.root ?? '' },
    )
    tokens.key = key.body.data.createApiKey.token
    expect(await update('key', unitId, { aclOwner: 'root' })).toEqual(refusal('acl_owner'))
    expect(await update('root', unitId, { aclOwner: 'eve', aclGroups: ['team'] })).toBe(200)
    expect(await aclOf(unitId)).toEqual(['eve', ['team']])
  })

  it('are not changed by a key so that it could not read the Unit any more', async () => {
    const key = await app.graphql(
      'mutation { createApiKey(input: { name: "team", groups: ["team"] }) { token } }',
      {},
      { token: tokens.root ?? '' },
    )
    tokens.team = key.body.data.createApiKey.token
    const place = 'acl_groups: the Unit must stay within the planes and groups of the API key'
    const unitId = await created('ann', {})
    expect(await update('team', unitId, { aclGroups: ['board'] })).toEqual([403, place])
    expect(await aclOf(unitId)).toEqual(['ann', ['team']])
    const closed = { unit_id: unitId, text: 'heron', acl_groups: ['board'] }
    for (const unit of [closed, { text: 'new', acl_owner: 'eve', acl_groups: ['board'] }]) {
      const { status, body } = await ingest('team', unit)
      expect([status, body.detail]).toEqual([403, `units[0].${place}`])
    }
    // Its principal may not read it either then, so the key is as wide as it was.
    expect(await update('team', unitId, { aclOwner: 'eve', aclGroups: [] })).toBe(200)
    expect((await ingest('team', { text: 'own', acl_groups: ['board'] })).status).toBe(200)
  })

  it('stay where a writer ingests the Unit by its unit_id', async () => {
    const unit_id = await created('ann', {})
    const again = { unit_id, text: 'grey heron' }
    for (const acl_groups of [['board'], [], ['*']]) {
      const { status, body } = await ingest('bob', { ...again, acl_groups })
      expect([status, body.detail]).toEqual(refusal('units\\[0\\].acl_groups'))
    }
    expect((await ingest('bob', { ...again, acl_owner: 'bob' })).status).toBe(400)
    expect((await ingest('bob', again)).body.counts.updated).toBe(1)
    expect((await ingest('bob', { ...again, text: 'white heron', acl_groups: ['team'] })).body.counts.updated).toBe(1)
    expect(await aclOf(unit_id)).toEqual(['ann', ['team']])
    expect((await ingest('ann', { ...again, acl_groups: ['board'] })).status).toBe(200)
    expect(await aclOf(unit_id)).toEqual(['ann', ['board']])
  })

  it('stay where its writer, no longer the owner, ingests it by its external_id', async () => {
    const sent = { external_id: 'given', text: 'heron', acl_owner: 'bob', acl_groups: ['team'] }
    const unitId = await created('ann', sent)
    expect((await ingest('ann', sent)).body.counts.unchanged).toBe(1)
    const { acl_owner, acl_groups, ...rest } = sent
    expect((await ingest('ann', rest)).body.counts.unchanged).toBe(1)
    expect((await ingest('ann', { ...rest, text: 'egret' })).body.counts.updated).toBe(1)
    const refused = await ingest('ann', { ...sent, acl_owner: 'ann' })
    expect([refused.status, refused.body.detail]).toEqual(refusal('units\\[0\\].acl_owner'))
    const opened = await ingest('ann', { ...sent, acl_groups: ['*'] })
    expect([opened.status, opened.body.detail]).toEqual(refusal('units\\[0\\].acl_groups'))
    expect(await aclOf(unitId)).toEqual(['bob', ['team']])
  })
})

describe('a document with a Unit that has another owner', () => {
  const part = (words: string) => `${words} `.repeat(60)
  const file = (last: string) => `# One\n\n${part('heron')}\n\n# Two\n\n${part(last)}\n`
  const unitsOf = async (docId: string): Promise<{ unit_id: string; text: string }[]> => {
    const options = { token: superAdminToken, namespace: 'acme' }
    return (await app.call('GET', `/v1/units?doc_id=${docId}&limit=100`, options)).body.units.filter(
      (unit: { doc_id: string }) => unit.doc_id === docId,
    )
  }

  it('cannot be given other groups, and a new version leaves that Unit to its readers', async () => {
    const token = tokens.ann ?? ''
    const options = { scope: 'main', aclGroups: ['team'] }
    const document = await taken(app, token, 'birds.md', file('egret'), options)
    expect(document.status).toBe('ready')
    const [first] = (await unitsOf('birds.md')).filter(({ text }) => text.includes('heron'))
    const given = first?.unit_id ?? ''
    expect(await update('ann', given, { aclOwner: 'bob', aclGroups: ['board'] })).toBe(200)

    const sourceUri = await upload(app, token, file('egret'))
    const refused = await sendDocument(app, { sourceUri, name: 'birds.md', ...options, aclGroups: ['*'] }, { token })
    expect(refused.body.errors[0].extensions).toMatchObject({ code: 'forbidden', status: 403 })
    const other = await sendDocument(app, { sourceUri, name: 'birds.md', ...options, metadata: { a: 1 } }, { token })
    expect((await settled(app, token, other.body.data.ingestDocument.documentId)).status).toBe('ready')
    expect(await aclOf(given)).toEqual(['bob', ['board']])

    const changed = await ingestFile(app, token, 'birds.md', file('bittern'), options)
    expect((await settled(app, token, changed.documentId)).status).toBe('ready')
    expect((await unitsOf('birds.md')).map(({ unit_id }) => unit_id)).toContain(given)
    expect(await aclOf(given)).toEqual(['bob', ['board']])
  })
})
