import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

describe('external ids', () => {
  let namespace: string
  let writer: string
  let colleague: string
  let made = 0

  beforeEach(async () => {
    made += 1
    namespace = `ids-${made}`
    writer = await app.principal({ id: `writer-${made}`, namespace, groups: ['crew'] })
    colleague = await app.principal({ id: `colleague-${made}`, namespace, groups: ['crew'] })
  })

  const send = (token: string, units: readonly object[], scope = 'dock') =>
    app.call('POST', '/v1/ingest', { token, scope, body: { units } })
  const one = async (token: string, unit: object, scope = 'dock') => {
    const reply = await send(token, [unit], scope)
    expect(reply.body).toMatchObject({ units: [{ unit_id: expect.any(String) }] })
    return reply.body.units[0]
  }
  const get = (token: string, id: string, scope = '*') => app.call('GET', `/v1/units/${id}`, { token, scope })
  const remove = async (token: string, ids: readonly string[], options: { hard?: boolean; scope?: string } = {}) => {
    const { hard = false, scope = '*' } = options
    return (await app.call('POST', '/v1/units:delete', { token, scope, body: { ids, hard } })).body
  }
  const shared = { acl_groups: ['crew'] }

  describe('unit_id at ingest', () => {
    test('updates the readable Unit that has it, which keeps owner, external id and writer', async () => {
      const made = await one(writer, { text: 'first', external_id: 'log', ...shared })
      const update = { unit_id: made.unit_id, text: 'second', ...shared }
      expect(await one(colleague, update)).toMatchObject({
        unit_id: made.unit_id,
        external_id: 'log',
        status: 'updated',
      })
      expect(await one(colleague, update)).toMatchObject({ status: 'unchanged' })
      const { body } = await get(writer, made.unit_id)
      expect(body).toMatchObject({ text: 'second', external_id: 'log', acl_owner: `writer-${namespace.slice(4)}` })
      // The writer can still use its external id for it.
      expect(await one(writer, { text: 'third', external_id: 'log', ...shared })).toMatchObject({
        unit_id: made.unit_id,
        status: 'updated',
      })
    })

    test('is the external id where no such Unit is readable in that scope, hidden or not', async () => {
      const hidden = await one(writer, { text: 'private' })
      const elsewhere = await one(colleague, { text: 'elsewhere', ...shared }, 'quay')
      for (const id of [hidden.unit_id, elsewhere.unit_id, 'unit_unknown']) {
        const created = await one(colleague, { unit_id: id, text: 'new' })
        expect(created).toMatchObject({ external_id: id, status: 'created' })
        expect(created.unit_id).not.toBe(id)
        expect(await one(colleague, { unit_id: id, text: 'newer' })).toMatchObject({
          unit_id: created.unit_id,
          status: 'updated',
        })
        expect(await one(colleague, { unit_id: id, external_id: id, text: 'newer' })).toMatchObject({
          unit_id: created.unit_id,
          status: 'unchanged',
        })
      }
      expect((await get(writer, hidden.unit_id)).body).toMatchObject({ text: 'private' })
      expect((await get(writer, elsewhere.unit_id)).body).toMatchObject({ text: 'elsewhere', external_id: null })
    })

    test('and another external id are 400, the same for hidden and unknown Units', async () => {
      const hidden = await one(writer, { text: 'private', external_id: 'theirs' })
      const mine = await one(colleague, { text: 'mine', external_id: 'own' })
      const problems = await Promise.all(
        [hidden.unit_id, 'unit_unknown'].map(async (unit_id) => {
          const { status, body } = await send(colleague, [{ unit_id, external_id: 'theirs', text: 'new' }])
          return { status, detail: body.detail.replaceAll(unit_id, 'ID') }
        }),
      )
      expect(problems[0]).toEqual(problems[1])
      expect(problems[0]).toMatchObject({ status: 400, detail: expect.stringContaining('units[0].unit_id') })
      const moved = await send(colleague, [{ unit_id: mine.unit_id, external_id: 'other', text: 'new' }])
      expect(moved).toMatchObject({ status: 400, body: { detail: expect.stringContaining('units[0].external_id') } })
      const taken = await send(colleague, [{ unit_id: mine.unit_id, acl_owner: 'other', text: 'new' }])
      expect(taken).toMatchObject({ status: 400, body: { detail: expect.stringContaining('units[0].acl_owner') } })
      expect((await get(colleague, mine.unit_id)).body).toMatchObject({ text: 'mine', external_id: 'own' })
    })

    test('and an external id that mean one Unit are 400 in one batch', async () => {
      const { unit_id } = await one(writer, { text: 'first', external_id: 'log' })
      for (const entries of [
        [{ unit_id }, { external_id: 'log' }],
        [{ unit_id }, { unit_id }],
        [{ unit_id: 'new' }, { external_id: 'new' }],
      ]) {
        const reply = await send(
          writer,
          entries.map((entry) => ({ ...entry, text: 'second' })),
        )
        expect(reply).toMatchObject({ status: 400, body: { detail: expect.stringContaining('units[1]') } })
      }
      expect((await get(writer, unit_id)).body).toMatchObject({ text: 'first' })
    })

    test('of a deleted Unit is taken as the external id', async () => {
      const { unit_id } = await one(writer, { text: 'first' })
      await remove(writer, [unit_id])
      const again = await one(writer, { unit_id, text: 'second' })
      expect(again).toMatchObject({ status: 'created', external_id: unit_id })
      expect(again.unit_id).not.toBe(unit_id)
    })
  })

  describe("the caller's own external id stands for the id", () => {
    test('in GET and GraphQL: the oldest in the effective scopes, and only what one wrote', async () => {
      const oldest = await one(writer, { text: 'in a', external_id: 'log', ...shared }, 'dock/a')
      const newer = await one(writer, { text: 'in b', external_id: 'log', ...shared }, 'dock/b')
      expect((await get(writer, 'log')).body).toMatchObject({ unit_id: oldest.unit_id, text: 'in a' })
      expect((await get(writer, 'log', 'dock/b')).body).toMatchObject({ unit_id: newer.unit_id, text: 'in b' })
      const { body } = await app.graphql('{ unit(unitId: "log") { unitId } }', {}, { token: writer, scope: '*' })
      expect(body.data.unit).toEqual({ unitId: oldest.unit_id })
      const unknown = await get(colleague, 'unknown')
      expect(unknown.status).toBe(404)
      expect((await get(colleague, 'log')).body).toEqual(unknown.body)
    })

    test('not where a readable Unit has it as its id, but where a hidden one has', async () => {
      const open = await one(writer, { text: 'open', ...shared })
      const closed = await one(writer, { text: 'closed' })
      for (const { unit_id } of [open, closed]) {
        await app.call('POST', '/v1/ingest', {
          token: colleague,
          scope: 'quay',
          body: { units: [{ external_id: unit_id, text: 'own' }] },
        })
      }
      expect((await get(colleague, open.unit_id)).body.text).toBe('open')
      expect((await get(colleague, closed.unit_id)).body.text).toBe('own')
    })

    test('in deletions: one Unit for each id, the oldest, soft and hard', async () => {
      const oldest = await one(writer, { text: 'in a', external_id: 'log', ...shared }, 'dock/a')
      const newer = await one(writer, { text: 'in b', external_id: 'log', ...shared }, 'dock/b')
      expect(await remove(colleague, ['log'])).toMatchObject({ matched: 0 })
      expect(await remove(writer, ['log', oldest.unit_id, 'log'])).toMatchObject({ matched: 1, tombstoned: 1 })
      expect((await get(writer, oldest.unit_id)).status).toBe(404)
      expect((await get(writer, 'log')).body).toMatchObject({ unit_id: newer.unit_id })
      // A live Unit comes before the deleted one.
      expect(await remove(writer, ['log'], { hard: true })).toMatchObject({ purged: 1 })
      expect((await get(writer, newer.unit_id)).status).toBe(404)
      expect(await remove(writer, ['log'], { hard: true })).toMatchObject({ purged: 1 })
      expect(await remove(writer, ['log'], { hard: true })).toMatchObject({ matched: 0 })
    })
  })

  test('a document takes 10,000 Units of each writer, hidden ones of others or not', async () => {
    const batch = Array.from({ length: 1000 }, (_, i) => ({ vector: [1 + i], doc_id: 'book', acl_groups: [] }))
    for (let i = 0; i < 10; i++) expect((await send(writer, batch)).status).toBe(200)
    expect(await send(writer, [{ text: 'one more', doc_id: 'book' }])).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('book') },
    })
    expect(await one(colleague, { text: 'my own', doc_id: 'book' })).toMatchObject({ status: 'created' })
  })
})

describe('titles', () => {
  let token: string

  interface FoundHit {
    unitId: string
    explain: { leg: string }[]
  }

  beforeAll(async () => {
    token = await app.principal({ id: 'titles-owner', namespace: 'titles', groups: ['crew'] })
  })

  const graphql = async (query: string, variables: object = {}) =>
    (await app.call('POST', '/graphql', { token, scope: 'dock', body: { query, variables } })).body
  const ingest = async (unit: object) =>
    graphql('mutation ($unit: UnitInput!) { ingest(input: {units: [$unit]}) { units { unitId status } } }', { unit })
  const ingested = async (unit: object) => (await ingest(unit)).data.ingest.units[0]
  /** What the text leg found. */
  const hits = async (q: string, rerank = false) =>
    (
      await graphql(
        'query ($input: SearchInput!) { search(input: $input) { hits { unitId title text highlights { start } explain { leg } } } }',
        { input: { q, rerank } },
      )
    ).data.search.hits
      .filter(({ explain }: FoundHit) => explain.some(({ leg }) => leg === 'text'))
      .map(({ explain: _, ...hit }: FoundHit) => hit)
  const update = (unitId: string, input: object) =>
    graphql(
      'mutation ($unitId: String!, $input: UpdateUnitInput!) { updateUnit(unitId: $unitId, input: $input) { unit { title text } indexed } }',
      { unitId, input },
    )

  describe('the title of a Unit', () => {
    test('is found, returned and never highlighted or quoted', async () => {
      const text = 'They are greased in spring.'
      const { unitId } = await ingested({ text, title: 'Handbook > Capstans', externalId: 'capstan' })
      expect(await hits('capstans')).toEqual([{ unitId, title: 'Handbook > Capstans', text, highlights: [] }])
      expect((await hits('capstans', true))[0].unitId).toBe(unitId)
      const { data } = await graphql('query ($id: String!) { unit(unitId: $id) { title } }', { id: unitId })
      expect(data.unit).toEqual({ title: 'Handbook > Capstans' })
      const answered = await graphql(
        '{ answer(input: {q: "When are capstans greased?"}) { answer { text citations { quote } } } }',
      )
      expect(JSON.stringify(answered)).not.toContain('Handbook')
    })

    test('belongs to what a Unit says: another one is a change, the same one is none', async () => {
      const unit = { text: 'oak', title: 'Masts', externalId: 'mast' }
      const { unitId } = await ingested(unit)
      expect(await ingested(unit)).toEqual({ unitId, status: 'unchanged' })
      expect(await ingested({ ...unit, title: 'Spars' })).toEqual({ unitId, status: 'updated' })
      expect(await hits('masts')).toEqual([])
      expect((await hits('spars')).map((hit: { title: string }) => hit.title)).toEqual(['Spars'])
      expect(await ingested({ ...unit, title: '' })).toEqual({ unitId, status: 'updated' })
      expect(await ingested({ text: 'oak', externalId: 'mast' })).toEqual({ unitId, status: 'unchanged' })
    })

    test('changes in place, and an empty one removes it', async () => {
      const { unitId } = await ingested({ text: 'hemp', title: 'Ropes', externalId: 'rope' })
      expect((await update(unitId, { title: 'Hawsers' })).data.updateUnit).toEqual({
        unit: { title: 'Hawsers', text: 'hemp' },
        indexed: true,
      })
      expect(await hits('hawsers')).toMatchObject([{ unitId, title: 'Hawsers' }])
      expect(await hits('ropes')).toEqual([])
      expect((await update(unitId, { metadata: { a: 1 } })).data.updateUnit.unit.title).toBe('Hawsers')
      expect((await update(unitId, { title: '' })).data.updateUnit.unit.title).toBeNull()
      expect(await ingested({ text: 'hemp', metadata: { a: 1 }, externalId: 'rope' })).toEqual({
        unitId,
        status: 'unchanged',
      })
    })

    test('has at most 1,024 characters', async () => {
      expect((await ingest({ text: 'x', title: 'é'.repeat(1024) })).errors).toBeUndefined()
      const { errors } = await ingest({ text: 'x', title: 'e'.repeat(1025) })
      expect(errors[0].message).toBe('units[0].title: must be at most 1024 characters')
    })

    test('stands on /v1 too', async () => {
      const body = { units: [{ text: 'tar', title: 'Barrels', external_id: 'tar' }] }
      const sent = await app.call('POST', '/v1/ingest', { token, scope: 'dock', body })
      expect(sent.status).toBe(200)
      const [hit] = (await app.call('POST', '/v1/search', { token, scope: 'dock', body: { q: 'barrels' } })).body.hits
      const unit = (await app.call('GET', `/v1/units/${hit.unit_id}`, { token, scope: 'dock' })).body
      for (const one of [hit, unit]) expect(one).toMatchObject({ text: 'tar', title: 'Barrels' })
    })
  })
})
