import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { errorOf } from '../../support/access/api-keys.ts'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

describe('languages', () => {
  let token: string
  beforeAll(async () => {
    token = await app.principal({ id: 'ann', namespace: 'tongues' })
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
    const rest = (language: string) =>
      app.call('POST', '/v1/ingest', { token, body: { units: [{ ...unit, language }] } })
    expect((await rest('german language')).body.detail).toContain('units[0].language')
    const sent = await rest('de')
    expect(sent.status).toBe(200)
    const stored = await app.call('GET', `/v1/units/${sent.body.units[0].unit_id}`, { token })
    expect(stored.body).toMatchObject({ language: 'de' })
  })
})

test('texts with the common words of a query come before those without, unless it is a question', async () => {
  const token = await app.principal({ id: 'cam', namespace: 'common' })
  const units = [
    { external_id: 'without', text: 'Pattern, matcher, pattern.' },
    {
      external_id: 'with',
      text: 'Compiles what stands before into a longer list, which is read later as a pattern for the matcher.',
    },
    { external_id: 'other', text: 'Compiles what stands before into a longer list, which is read later.' },
  ]
  expect(await app.call('POST', '/v1/ingest', { token, scope: 's', body: { units } })).toMatchObject({ status: 200 })
  const best = async (q: string) => {
    const { body } = await app.call('POST', '/v1/search', { token, scope: 's', body: { q } })
    return body.hits[0].external_id
  }
  expect(await best('pattern matcher')).toBe('without')
  expect(await best('matcher into pattern')).toBe('with')
  expect(await best('which matcher')).toBe('without')
  expect(await best('matcher which')).toBe('with')
})

describe('synonyms of a namespace', () => {
  let token: string

  beforeAll(async () => {
    token = await app.principal({ id: 'ada', namespace: 'acme' })
  })

  const fields = '{ groups oneWay { from to } }'
  const set = (input: object, as = token) =>
    app.graphql(`mutation ($input: SynonymsInput!) { setSynonyms(input: $input) ${fields} }`, { input }, { token: as })

  interface Hit {
    external_id: string
    text: string
    score: number
    highlights: { start: number; end: number }[]
  }

  let worlds = 0
  async function world(texts: Record<string, string>) {
    const scope = `w${worlds++}`
    const units = Object.entries(texts).map(([id, text]) => ({ external_id: id, text }))
    expect(await app.call('POST', '/v1/ingest', { token, scope, body: { units } })).toMatchObject({ status: 200 })
    return async (q: string, more: object = {}) => {
      const { status, body } = await app.call('POST', '/v1/search', { token, scope, body: { q, ...more } })
      expect(status, JSON.stringify(body)).toBe(200)
      return body.hits as Hit[]
    }
  }
  const ids = (hits: readonly Hit[]) => hits.map(({ external_id }) => external_id)
  const marked = (hits: readonly Hit[]) =>
    Object.fromEntries(
      hits.map(({ external_id, text, highlights }) => [
        external_id,
        highlights.map(({ start, end }) => text.slice(start, end)),
      ]),
    )

  describe('synonyms', () => {
    it.each([
      'ox',
      'ferry',
      'harbourmaster',
      'electroencephalography',
      'Donaudampfschifffahrtsgesellschaft',
      '港口',
      'motor ship',
    ])('weigh .8 of what they stand for, however long that is: %s', async (from) => {
      const others = ['Bread is baked at five', 'Nets are mended in the yard', 'Lamps were lit at dusk']
      const search = await world({
        own: `The quay of the ${from} was empty all night`,
        other: 'The quay of the zeppelin was empty all night',
        ...Object.fromEntries(others.map((text, i) => [`x${i}`, text])),
      })
      await set({ oneWay: [{ from, to: ['zeppelin'] }] })
      const hits = await search(from, { min_score: 0.31 })
      expect(ids(hits)).toEqual(['own', 'other'])
      expect((hits[1]?.score ?? 1) / (hits[0]?.score ?? 1)).toBeCloseTo(0.8, 1)
    })

    it('find what stands for a word or a phrase, at once, with less weight, and mark it', async () => {
      const search = await world({
        car: 'The car stood at the quay all night',
        auto: 'The automobiles stood at the quay all night',
        york: 'Ships leave for New York, and for nowhere else',
        nyc: 'Ships leave for NYC, and for nowhere else',
        new: 'A new pier was built in York',
        sharp: 'Written in C# by the harbour office',
        plus: 'Written in C++ by the harbour office',
        none: 'Bread is baked at five',
      })
      const before = await search('NYC', { min_score: 0.31 })
      expect(ids(before)).toEqual(['nyc'])
      const input = {
        groups: [
          ['automobile', 'car'],
          ['NYC', 'New  York', 'Big Apple'],
          ['C#', 'see sharp'],
        ],
        oneWay: [{ from: 'vehicle', to: ['car', 'automobile'] }],
      }
      expect((await set(input)).body.data.setSynonyms).toEqual({
        ...input,
        groups: [
          ['automobile', 'car'],
          ['NYC', 'New York', 'Big Apple'],
          ['C#', 'see sharp'],
        ],
      })
      const cars = await search('cars', { min_score: 0.31 })
      expect(ids(cars)).toEqual(['car', 'auto'])
      expect(marked(cars)).toEqual({ car: ['car'], auto: ['automobiles'] })
      const york = await search('new york', { min_score: 0.31 })
      expect(ids(york).filter((id) => id !== 'new')).toEqual(['york', 'nyc'])
      expect(marked(york)).toMatchObject({ york: ['New', 'York'], nyc: ['NYC'] })
      const nyc = await search('NYC', { min_score: 0.31 })
      expect(marked(nyc)).toEqual({ nyc: ['NYC'], york: ['New', 'York'] })
      expect(marked(await search('big apple', { min_score: 0.31 }))).toEqual({ nyc: ['NYC'], york: ['New', 'York'] })
      expect(ids(await search('see sharp', { min_score: 0.31 }))).toEqual(['sharp'])
      expect(ids(await search('vehicle', { min_score: 0.31 })).sort()).toEqual(['auto', 'car'])
      expect(ids(await search('"car"'))).toEqual(['car'])
      expect(ids(await search('cars -automobile', { min_score: 0.31 }))).toEqual(['car'])
      const { body } = await app.graphql(`{ synonyms ${fields} }`, {}, { token })
      expect(body.data.synonyms.oneWay).toEqual(input.oneWay)
      await set({})
      expect(ids(await search('NYC', { min_score: 0.31 }))).toEqual(['nyc'])
    })

    it('are refused by what is wrong with them', async () => {
      const detail = async (input: object) => errorOf(await set(input))?.detail
      expect(await detail({ groups: [['one']] })).toMatch(/groups\[0\].*at least 2/)
      expect(await detail({ groups: [['a b c d e f', 'g']] })).toMatch(/groups\[0\]\[0\].*5 words/)
      expect(await detail({ oneWay: [{ from: '…', to: ['g'] }] })).toMatch(/oneWay\[0\]\.from.*letter/)
      const many = Array.from({ length: 501 }, (_, i) => [`a${i}`, `b${i}`])
      expect(await detail({ groups: many, oneWay: many.map(([from, to]) => ({ from, to: [to] })) })).toMatch(/1000/)
    })
  })
})
