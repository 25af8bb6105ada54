import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { cases as ownCases, type SearchCase } from '../../support/texts/search-cases.ts'

let app: TestApp
let token: string
let worlds = 0

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'ada', namespace: 'acme' })
})
afterAll(() => app?.close())

interface Hit {
  external_id: string
  text: string
  score: number
  highlights: { start: number; end: number }[]
}

type SentUnit = { id: string; text: string } & Record<string, unknown>

/** A scope of its own with these Units. */
async function world(units: readonly SentUnit[]) {
  const scope = `language/w${worlds++}`
  const sent = units.map(({ id, ...unit }) => ({ external_id: id, ...unit }))
  expect(await app.call('POST', '/v1/ingest', { token, scope, body: { units: sent } })).toMatchObject({ status: 200 })
  return async (q: string, more: object = {}, path = '/v1/search') => {
    const { status, body } = await app.call('POST', path, { token, scope, body: { q, ...more } })
    expect(status, JSON.stringify(body)).toBe(200)
    return body as { hits: Hit[]; trace: { query: object } }
  }
}

const ids = ({ hits }: { hits: Hit[] }) => hits.map(({ external_id }) => external_id)
const marked = ({ hits: [hit] }: { hits: Hit[] }) => hit?.highlights.map(({ start, end }) => hit.text.slice(start, end))

async function check({ units, padding = 0, q, options = {}, ...expected }: SearchCase) {
  const unrelated = Array.from({ length: padding }, (_, i) => ({
    id: `padding${i}`,
    text: `Basalt column ${i} of a cliff`,
  }))
  const found = ids(await (await world([...units, ...unrelated]))(q, options))
  if (expected.first !== undefined) expect(found[0], found.join()).toBe(expected.first)
  if (expected.order) expect(found.filter((id) => expected.order?.includes(id))).toEqual(expected.order)
  if (expected.not_first !== undefined) expect(found[0]).not.toBe(expected.not_first)
  if (expected.none) expect(found.filter((id) => expected.none?.includes(id))).toEqual([])
  if (expected.all) expect(found).toEqual(expect.arrayContaining(expected.all))
  if (expected.only) expect(found.sort()).toEqual(expected.only.sort())
}

const texts = (found: Record<string, string>) => Object.entries(found).map(([id, text]) => ({ id, text }))

describe('phrases and exclusions', () => {
  const harbour = {
    rope: 'The rope of the old ferry is in the shed. A FERRY  needs rope.',
    shed: 'In the shed of the ferry: an old rope, naïve and wet.',
    crane: "The crane's hook lifts the ferry, version 1.2.3",
    other: 'Bread is baked at five; C++ is not spoken, 1.2.30',
  }

  it.each<[string, string[]]>([
    ['ferry "old ferry"', ['rope']],
    ['"FERRY NEEDS"', ['rope']],
    ['"naive and wet"', ['shed']],
    ['"Naïve  and\nwet"', ['shed']],
    ['“an old rope”', ['shed']],
    ['"rope" ferry', ['rope', 'shed']],
    ['"rop" ferry', []],
    ['"ferry old"', []],
    ['"crane’s hook"', ['crane']],
    ['"1.2.3"', ['crane']],
    ['"1.2"', []],
    ['"C"', []],
    ['"c++"', ['other']],
    ['ferry -crane', ['rope', 'shed']],
    ['ferry -cranes', ['rope', 'shed']],
    ['ferry -"old rope"', ['crane', 'rope']],
    ['ferry -shed, -1.2.3.', []],
    ['ferry - shed', ['crane', 'rope', 'shed']],
    ['ferry -"shed', ['crane', 'rope', 'shed']],
    ['ferry-crane', ['crane', 'rope', 'shed']],
    ['ferry "" old', ['crane', 'rope', 'shed']],
    ['-ferry', ['other']],
    ['-"the ferry" -rope', ['other']],
    ['-C', ['crane', 'other', 'rope', 'shed']],
    ['"++"', ['other']],
  ])('%s', async (q, expected) => {
    search ??= await world(texts(harbour))
    expect(ids(await search(q)).sort()).toEqual(expected)
  })
  let search: Awaited<ReturnType<typeof world>> | undefined

  it('say what they understood', async () => {
    const ask = await world(texts({ a: 'one' }))
    const query = async (q: string, options = {}, path = '/v1/search') => (await ask(q, options, path)).trace.query
    expect(await query('a "b c" -d -"e f" "g', { prefix: 'last' })).toEqual({
      ...{ phrases: ['b c'], excluded: ['d', 'e f'], prefix: 'g', syntax: 'web' },
    })
    expect(await query('-5" valve 2024-05', { prefix: 'last' })).toMatchObject({ excluded: ['5'], prefix: '2024-05' })
    expect(await query('a -b', { query_syntax: 'plain' })).toEqual({
      ...{ phrases: [], excluded: [], prefix: null, syntax: 'plain' },
    })
    expect(await query('a "b c"', { prefix: 'last' }, '/v1/answer')).toEqual({
      ...{ phrases: ['b c'], excluded: [], prefix: null, syntax: 'plain' },
    })
    const many = Array.from({ length: 65 }, (_, i) => `-w${i}`).join(' ')
    const { status, body } = await app.call('POST', '/v1/search', { token, body: { q: many } })
    expect([status, body.detail]).toEqual([400, expect.stringContaining('must have at most 64 phrases and exclusions')])
  })

  it('hold for vectors, titles and Units without a text', async () => {
    const vector = [0, 1, 0]
    const ask = await world(texts({ unrelated: 'Bread is baked' }))
    const scope = `language/w${worlds - 1}`
    const units = [
      { externalId: 'near', text: 'A ferry of the north', vector },
      { externalId: 'named', text: 'of the ropes', title: 'A ferry', vector },
      { externalId: 'picture', modality: 'image', plane: 'text', sourceUri: 's3://a', vector },
    ]
    const ingest = 'mutation ($input: IngestInput!) { ingest(input: $input) { counts { created } } }'
    const { body } = await app.graphql(ingest, { input: { units } }, { token, scope })
    expect(body.data?.ingest.counts, JSON.stringify(body)).toEqual({ created: 3 })
    const by = { vector: { text: vector } }
    expect(ids(await ask('-north', by)).sort()).toEqual(['named', 'picture'])
    expect(ids(await ask('"a ferry"', by)).sort()).toEqual(['named', 'near'])
    expect(ids(await ask('"ferry of the"', by))).toEqual(['near'])
    expect(ids(await ask('-ferry', by))).toEqual(['picture'])
    expect(ids(await ask('-ferry')).sort()).toEqual(['picture', 'unrelated'])
  })

  it('rank first in a plain query, which takes every character as text', async () => {
    const plain = { query_syntax: 'plain' }
    const ask = await world([
      { id: 'parted', text: 'old old ferry ferry ferry -rope rope -rope' },
      {
        id: 'phrase',
        text: `A shed with nets, tar, paint and a long list of other things, beside the rope ferry of May`,
      },
    ])
    const { hits } = await ask('"rope ferry" -rope', plain)
    expect(hits.map(({ external_id }) => external_id)).toEqual(['phrase', 'parted'])
    expect(hits[0]?.score).toBeGreaterThanOrEqual(hits[1]?.score ?? 1)
    expect(ids(await ask('rope ferry -rope', plain))[0]).toBe('parted')
  })

  it('list the newest of a query that only excludes', async () => {
    const ask = await world(texts({ first: 'ferry one', second: 'crane', third: 'ferry three', last: 'two' }))
    expect(ids(await ask('-crane', { top_k: 2 }))).toEqual(['last', 'third'])
    expect(ids(await ask('-crane', { filters: { external_id: ['first', 'second'] } }))).toEqual(['first'])
  })

  it('find the one text among many better ones', async () => {
    const many = Array.from({ length: 450 }, (_, i) => [`m${i}`, `ferry ferry rope rope number${i} or not`])
    const found = { deep: 'At the ferry they wondered, and nobody knew, whether to rope or not to ferry it' }
    const ask = await world(texts({ ...Object.fromEntries(many), ...found }))
    expect(ids(await ask('rope "or not to ferry"'))).toEqual(['deep'])
    expect(ids(await ask('rope ferry -number1 -rope', { top_k: 5 }))).toEqual([])
    expect(ids(await ask('ferry rope -"rope rope"'))).toEqual(['deep'])
  })

  it('are marked in a hit', async () => {
    const ask = await world(texts({ a: 'In regard to AT&T, regard it' }))
    expect(marked(await ask('"in regard to" "at&t"'))).toEqual(['In regard to', 'AT&T', 'regard'])
  })
})

describe('what is marked', () => {
  it.each<[string, string, string[]]>([
    ['lighthuose', 'The lighthouse, and a light house', ['lighthouse', 'light']],
    ['teh hafenmiester', 'Der Hafenmeister wohnt am Hafen', ['Hafenmeister', 'Hafen']],
    ['meister', 'Der Hafenmeister, ein Minister, ein Meester', ['Hafenmeister', 'Meester']],
    ['bookkeeper', 'A keeper of books', ['keeper']],
    ['crane', 'The crane of a craner, crates', ['crane']],
    ['rope', 'The hope of a rose', []],
  ])('for %s in %s is %j', async (q, text, expected) => {
    expect(marked(await (await world(texts({ text })))(q)) ?? []).toEqual(expected)
  })

  it('is a word with a typo within the best passage of a long text', async () => {
    const text = `${'sand and lighthouse. '.repeat(200)}The keeper of the lighthouse sleeps. ${'sea and sand. '.repeat(200)}`
    const [hit] = (await (await world(texts({ text })))('lighthuose keeper')).hits
    const words = hit?.highlights.map(({ start, end }) => hit.text.slice(start, end))
    expect(words).toEqual(['keeper', 'lighthouse'])
  })
})

describe('names with symbols', () => {
  it('rank the same by the lists that an earlier search has sorted', async () => {
    const words = ['C++', 'crane', 'anchor', 'berth', 'quay/lock', 'wagon', 'hook']
    // Texts of these words in many orders.
    const units = Array.from({ length: 60 }, (_, i) => ({
      id: `u${i}`,
      text: Array.from({ length: 8 }, (_, at) => words[(i * (at + 1) + at * at) % 7]).join(' '),
    }))
    const ask = await world(units)
    const scores = async () => (await ask('crane quay/lock C++ anchor', { top_k: 50 })).hits.map(({ score }) => score)
    const first = await scores()
    expect(new Set(first).size).toBeGreaterThan(5)
    expect(await scores()).toEqual(first)
  })
})

const shared = new URL('../../../../shared/data/cases/search.jsonl', import.meta.url)

describe.skipIf(!existsSync(shared))('cases of complaints (skipped where ../shared/data/cases is absent)', () => {
  const lines = existsSync(shared) ? readFileSync(shared, 'utf8').trim().split('\n') : []
  it.each(lines.map((line) => JSON.parse(line) as SearchCase))('$name', check)
})

describe('cases in other languages', () => {
  it.each(ownCases)('$name', check)
})
