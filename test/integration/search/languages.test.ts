import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let token: string
beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'ann', namespace: 'acme' })
  const units = [
    { externalId: 'de', text: 'Die Häuser am Hafen wurden im letzten Jahr verkauft, und das ist nicht alles.' },
    { externalId: 'ru', text: 'Корабли стояли в порту всю зиму' },
    { externalId: 'en', text: 'The boats were painted over the winter.' },
    { externalId: 'ma', text: 'Con ma đã đến với những người ở trong nhà' },
    { externalId: 'mạ', text: 'Con mạ đã đến với những người ở trong nhà' },
    { externalId: 'tagged', text: 'Liegeplatzgebührenordnungen', language: 'DE-ch' },
  ].map((unit) => ({ scope: 'a', aclGroups: ['*'], ...unit }))
  const { body } = await app.graphql(
    'mutation ($input: IngestInput!) { ingest(input: $input) { indexed } }',
    { input: { units } },
    { token },
  )
  expect(body.data).toEqual({ ingest: { indexed: true } })
})
afterAll(() => app.close())

const searchFor =
  'query ($input: SearchInput!) { search(input: $input) { hits { externalId language text highlights { start end } } } }'

interface Found {
  externalId: string
  language: string | null
  text: string
  highlights: { start: number; end: number }[]
}

async function search(q: string, language?: string): Promise<Found[]> {
  const input = { q, topK: 5, ...(language !== undefined && { language }) }
  const { body } = await app.graphql(searchFor, { input }, { token })
  expect(body.errors).toBeUndefined()
  return body.data.search.hits
}

const best = async (q: string, language?: string) => (await search(q, language))[0]?.externalId

test('a query finds and marks other forms of its words, in the language of each text', async () => {
  const [hit] = await search('Haus Hafens', 'de')
  expect(hit?.externalId).toBe('de')
  expect(hit?.highlights.map(({ start, end }) => hit.text.slice(start, end))).toEqual(['Häuser', 'Hafen'])
  expect(await best('кораблями')).toBe('ru')
  expect(await best('boat painting')).toBe('en')
  expect(await best('boat painting', 'fr')).toBe('en')
})

test('marks tell Vietnamese words apart, and a query may leave all of them out', async () => {
  expect(await best('con mạ')).toBe('mạ')
  expect(await best('con ma trong nhà')).toBe('ma')
  expect(
    (await search('con ma da den'))
      .map(({ externalId }) => externalId)
      .slice(0, 2)
      .sort(),
  ).toEqual(['ma', 'mạ'])
})

test('a tag that was sent is stored in its canonical form', async () => {
  const [hit] = await search('Liegeplatzgebührenordnung')
  expect(hit).toMatchObject({ externalId: 'tagged', language: 'de-CH' })
  expect((await search('boats'))[0]).toMatchObject({ externalId: 'en', language: null })
})

test('what is not a tag is refused with the field', async () => {
  const { body } = await app.graphql(searchFor, { input: { q: 'boat', language: 'de_CH' } }, { token })
  expect(body.errors[0].message).toContain('language: must be a BCP 47 language tag such as de or pt-BR')
  const unit = { scope: 'a', text: 'a boat', language: 'german language' }
  const written = await app.graphql(
    'mutation ($input: IngestInput!) { ingest(input: $input) { seq } }',
    { input: { units: [unit] } },
    { token },
  )
  expect(written.body.errors[0].message).toContain('units[0].language')
  const rest = (language: string) => app.call('POST', '/v1/ingest', { token, body: { units: [{ ...unit, language }] } })
  expect((await rest('german language')).body.detail).toContain('units[0].language')
  const sent = await rest('de')
  expect(sent.status).toBe(200)
  const stored = await app.call('GET', `/v1/units/${sent.body.units[0].unit_id}`, { token })
  expect(stored.body).toMatchObject({ language: 'de' })
})
