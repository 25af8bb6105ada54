import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let token: string

interface FoundHit {
  unitId: string
  explain: { leg: string }[]
}

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'titles-owner', namespace: 'titles', groups: ['crew'] })
})
afterAll(() => app.close())

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
