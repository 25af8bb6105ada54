import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorOf } from '../../support/access/api-keys.ts'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let token: string

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'ada', namespace: 'acme' })
})
afterAll(() => app?.close())

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
    // The word itself shares runs of letters, too.
    expect((cars[1]?.score ?? 1) / (cars[0]?.score ?? 1)).toBeLessThanOrEqual(0.8)
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
