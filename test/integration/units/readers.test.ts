import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'
import { documentOf, ingestFile, sendDocument, settled, taken, upload } from '../../support/documents/files.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

describe('the readers of one Unit', () => {
  const tokens: Record<string, string> = {}

  beforeAll(async () => {
    const grants = [{ scope: '*', perms: ['read', 'write'] as const }]
    tokens.root = await app.principal({ id: 'root', namespace: 'acme', groups: ['team', 'board'] })
    for (const id of ['ann', 'bob', 'eve'])
      tokens[id] = await app.principal({ id, namespace: 'acme', groups: ['team', 'board'], grants })
  })

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
})

describe('the readers of many Units', () => {
  const tokens: Record<string, string> = {}

  beforeAll(async () => {
    const grants = [{ scope: '*', perms: ['read', 'write'] as const }]
    tokens.root = await app.principal({ id: 'root', namespace: 'works', groups: ['team'] })
    for (const id of ['ann', 'bob', 'eve'])
      tokens[id] = await app.principal({ id, namespace: 'works', groups: id === 'eve' ? [] : ['team'], grants })
    tokens.guest = await app.principal({
      ...{ id: 'guest', namespace: 'elsewhere' },
      grants: [{ namespace: 'works', scope: '*', perms: ['read'] as const }],
    })
  })

  const as = (who: string) => ({ token: tokens[who] ?? '', namespace: 'works' })

  async function ingest(who: string, units: object[]): Promise<string[]> {
    const { body } = await app.call('POST', '/v1/ingest', { ...as(who), scope: 'main', body: { units } })
    return body.units.map(({ unit_id }: { unit_id: string }) => unit_id)
  }

  async function updateReaders(who: string, input: object, options = {}) {
    const document = 'mutation ($input: UpdateReadersInput!) { updateReaders(input: $input) { matched seq indexed } }'
    const { body } = await app.graphql(document, { input }, { ...as(who), ...options })
    const [error] = body.errors ?? []
    return error ? [error.extensions.status, error.message] : body.data.updateReaders
  }

  /** External ids of what someone finds, and how many live Units are hidden from them. */
  async function found(who: string, docId: string) {
    const body = { q: 'heron', top_k: 50, filters: { doc_id: docId } }
    const search = await app.call('POST', '/v1/search', { ...as(who), body })
    const listed = await app.call('GET', `/v1/units?doc_id=${docId}`, as(who))
    const ids = (hits: { external_id: string }[]) => hits.map(({ external_id }) => external_id).sort()
    expect(ids(search.body.hits)).toEqual(ids(listed.body.units))
    return ids(search.body.hits)
  }
  const hidden = async (who: string) => (await app.call('GET', '/v1/units?limit=1', as(who))).body.hidden_by_acl

  const unit = (docId: string, i: number, more = {}) => ({
    ...{ text: 'heron', doc_id: docId, external_id: `${docId}-${i}`, acl_groups: ['team'], metadata: { i } },
    ...more,
  })

  describe('updateReaders', () => {
    it('changes the readable Units that the caller owns, at once and with one row', async () => {
      await ingest('ann', [unit('a', 0), unit('a', 1), unit('a', 2), unit('b', 0)])
      await ingest('bob', [unit('a', 3)])
      const before = await hidden('eve')
      expect(await found('bob', 'a')).toEqual(['a-0', 'a-1', 'a-2', 'a-3'])
      const input = { filter: { docId: 'a', metadata: { i: { gte: 1 } } }, aclGroups: ['nobody'] }
      const changed = await updateReaders('ann', input)
      expect(changed).toEqual({ matched: 2, seq: expect.any(Number), indexed: true })
      expect(await found('bob', 'a')).toEqual(['a-0', 'a-3'])
      expect(await found('ann', 'a')).toEqual(['a-0', 'a-1', 'a-2', 'a-3'])
      // The same again matches, and changes nothing.
      expect(await updateReaders('ann', input)).toMatchObject({ matched: 2, seq: changed.seq })
      expect(await updateReaders('ann', { docId: 'a', aclGroups: ['*'] })).toMatchObject({ matched: 3 })
      expect(await found('eve', 'a')).toEqual(['a-0', 'a-1', 'a-2'])
      expect(await hidden('eve')).toBe(before - 3)
      const { body } = await app.call('GET', '/v1/audit?limit=100', as('root'))
      const rows = body.rows.filter(({ action }: { action: string }) => action === 'units.readers')
      expect(rows.map(({ detail }: { detail: object }) => detail)).toMatchObject([
        { units: 3, changed: 3, acl_groups: true, acl_owner: false },
        { units: 2, changed: 0 },
        { units: 2, changed: 2, seq: changed.seq },
      ])
    })

    it('reaches the readable Units of others for an admin principal alone, and counts no hidden one', async () => {
      const [open, closed] = await ingest('ann', [unit('c', 0), unit('c', 1, { acl_groups: [] })])
      expect(await updateReaders('bob', { docId: 'c', aclGroups: ['*'] })).toMatchObject({ matched: 0 })
      expect(await updateReaders('bob', { ids: [open, closed, 'unknown'], aclOwner: 'bob' })).toMatchObject({
        matched: 0,
      })
      expect(await updateReaders('root', { ids: [open, closed], aclOwner: 'eve' })).toMatchObject({ matched: 1 })
      expect(await found('eve', 'c')).toEqual(['c-0'])
      expect(await updateReaders('eve', { docId: 'c', aclGroups: [] })).toMatchObject({ matched: 1 })
      expect(await found('ann', 'c')).toEqual(['c-1'])
      // By the external id of the caller's own.
      expect(await updateReaders('ann', { ids: ['c-1'], aclGroups: ['team'] })).toMatchObject({ matched: 1 })
      expect(await found('bob', 'c')).toEqual(['c-1'])
    })

    it('leaves what is sent again as it is sent', async () => {
      await ingest('ann', [unit('d', 0)])
      await updateReaders('ann', { docId: 'd', aclGroups: ['*'] })
      await ingest('ann', [unit('d', 0)])
      expect(await found('eve', 'd')).toEqual([])
      expect(await found('bob', 'd')).toEqual(['d-0'])
    })

    it('gives a document the groups that all its Units have', async () => {
      const token = tokens.ann ?? ''
      const text = ['# One', 'Herons stand.', '# Two', 'Herons wade.']
        .map((part) => part.padEnd(700, ` ${part}`))
        .join('\n\n')
      const ingested = () => taken(app, token, 'herons.md', text, { scope: 'main', aclGroups: ['team'] })
      const { documentId, docId, units } = await ingested()
      expect(units).toBeGreaterThan(1)
      const groups = async () => (await documentOf(app, token, documentId)).aclGroups
      const listed = await app.call('GET', `/v1/units?doc_id=${docId}`, as('ann'))
      await updateReaders('ann', { ids: [listed.body.units[0].unit_id], aclGroups: ['*'] })
      expect(await groups()).toEqual(['team'])
      await updateReaders('ann', { docId, aclGroups: ['*'] })
      expect(await groups()).toEqual(['*'])
      expect((await app.call('GET', `/v1/units?doc_id=${docId}`, as('eve'))).body.units).toHaveLength(units)
      // So the same file with the groups of before is a change.
      await ingested()
      expect(await groups()).toEqual(['team'])
      expect((await app.call('GET', `/v1/units?doc_id=${docId}`, as('eve'))).body.units).toEqual([])
    })

    it('refuses what is unclear', async () => {
      const refused = async (input: object) => (await updateReaders('ann', input))[1]
      expect(await refused({ docId: 'a' })).toMatch(/must have acl_?groups or acl_?owner/i)
      expect(await refused({ aclGroups: [] })).toContain('exactly one of filter')
      expect(await refused({ docId: 'a', ids: ['b'], aclGroups: [] })).toContain('exactly one of filter')
      expect(await refused({ filter: {}, aclGroups: [] })).toContain('filter: must have at least one condition')
      expect(await refused({ filter: { metadata: { a: { like: 'b' } } }, aclGroups: [] })).toContain('metadata.a.like')
    })
  })

  describe('the group of a principal itself', () => {
    it('opens a Unit to this principal, without being registered, in any namespace', async () => {
      await ingest('ann', [unit('e', 0, { acl_groups: ['user:eve'] }), unit('e', 1, { acl_groups: ['user:guest'] })])
      expect(await found('eve', 'e')).toEqual(['e-0'])
      expect(await found('guest', 'e')).toEqual(['e-1'])
      expect(await found('bob', 'e')).toEqual([])
      await updateReaders('ann', { docId: 'e', aclGroups: ['user:bob', 'user:nobody'] })
      expect(await found('bob', 'e')).toEqual(['e-0', 'e-1'])
      expect(await found('guest', 'e')).toEqual([])
      const context = await app.call('GET', '/v1/context', as('bob'))
      expect(context.body.principal.groups).toEqual(['team'])
    })

    it('is named by an explanation', async () => {
      const [unitId] = await ingest('ann', [unit('f', 0, { acl_groups: ['user:eve', 'user:root'] })])
      const document = `query ($unitId: String!) {
      explainAccess(principalId: "eve", unitId: $unitId) { read { allowed reasons { code group } } } }`
      const { body } = await app.graphql(document, { unitId }, as('root'))
      expect(body.data.explainAccess.read).toMatchObject({ allowed: true })
      expect(body.data.explainAccess.read.reasons).toContainEqual({ code: 'group', group: 'user:eve' })
    })

    it('counts for a key whose groups name it, and cannot be given to anyone', async () => {
      await ingest('ann', [unit('g', 0, { acl_groups: ['user:eve'] })])
      const keyWith = async (groups: string[]) => {
        const document = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token } }'
        const { body } = await app.graphql(document, { input: { name: 'k', groups } }, as('eve'))
        tokens.key = body.data.createApiKey.token
        return found('key', 'g')
      }
      expect(await keyWith([])).toEqual([])
      expect(await keyWith(['user:eve'])).toEqual(['g-0'])
      const made = await app.call('POST', '/v1/principals', { ...as('root'), body: { groups: ['user:eve'] } })
      expect(made.body).toMatchObject({ status: 400, detail: 'groups[0]: must not begin with user:' })
    })
  })
})
