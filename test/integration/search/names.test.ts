import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { nameTable } from '../../support/texts/names.ts'

const all = nameTable.flatMap(([, names]) => names)
const nearNames = [...new Set(all.flatMap(({ near }) => near))]

/** Texts of common words, and of the words in names. */
function fillers(count: number): string[] {
  const common =
    'the guide explains how this value is used and returned by a function of the module with an error'.split(' ')
  const parts = all
    .flatMap(({ name }) => name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((part) => all.every(({ name }) => name !== part))
  const words = [...common, ...common, ...common, ...new Set(parts)]
  let state = 1
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return words[state % words.length]
  }
  return Array.from({ length: count }, (_, i) => Array.from({ length: 20 + (i % 30) }, next).join(' '))
}

let app: TestApp
let token: string

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'ada', namespace: 'acme' })
})
afterAll(() => app?.close())

const put = async (scope: string, units: readonly object[]) => {
  for (let at = 0; at < units.length; at += 500) {
    const body = { units: units.slice(at, at + 500) }
    expect(await app.call('POST', '/v1/ingest', { token, scope, body })).toMatchObject({ status: 200 })
  }
}

async function search(scope: string, q: string, more: object = {}) {
  const { status, body } = await app.call('POST', '/v1/search', { token, scope, body: { q, ...more } })
  expect(status, JSON.stringify(body)).toBe(200)
  return body as { hits: { external_id: string; score: number }[]; trace: { more: boolean } }
}

const ids = ({ hits }: Awaited<ReturnType<typeof search>>) => hits.map(({ external_id }) => external_id)

describe('among 1,700 texts of their words, and others with nearly the same name', () => {
  beforeAll(() =>
    put('names', [
      ...fillers(1700).map((text) => ({ text })),
      // Once alike, and once where it counts for more.
      ...nearNames.flatMap((name) => [{ text: exactText(name) }, { text: `${name}, and again ${name}.` }]),
      ...all.map(({ name }) => ({ external_id: name, text: exactText(name) })),
    ]),
  )
  const exactText = (name: string) => `This text has many words of other things, and in the end ${name} is named too.`

  it.each(nameTable)('those of %s come first as they are typed, also while they are typed', async (_, names) => {
    for (const { name } of names)
      for (const more of [{}, { prefix: 'last', top_k: 20 }, { query_syntax: 'plain', top_k: 1 }])
        expect(ids(await search('names', name, more))[0], `${name} with ${JSON.stringify(more)}`).toBe(name)
  })
})

describe('texts with a name as it is typed', () => {
  const units = {
    words: 'check output, and check the output of every check',
    upper: 'CHECK_OUTPUT of a macro',
    longer: 'subprocess.check_output_all of a module',
    within: 'subprocess.check_output of a module',
    typed: 'It is a long text of many other words that in the end, at last, has (check_output).',
    titled: 'Runs a command',
    more: 'check_outputs of a module',
  }

  beforeAll(() =>
    put(
      'order',
      Object.entries(units).map(([id, text]) => ({
        ...{ external_id: id, text },
        ...(id === 'titled' && { title: 'check_output' }),
      })),
    ),
  )

  it('come first, then those in another case, then those with a longer name; no score is lower than one after it', async () => {
    const { hits } = await search('order', 'check_output')
    const found = hits.map(({ external_id }) => external_id)
    expect(found.slice(0, 2).sort()).toEqual(['titled', 'typed'])
    expect(found.slice(2, 4)).toEqual(['upper', 'within'])
    const scores = hits.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  })

  it('keep their places on pages, above a threshold and with a reranker', async () => {
    const whole = ids(await search('order', 'check_output', { top_k: 7 }))
    const paged: string[] = []
    for (const offset of [0, 2, 4, 6]) paged.push(...ids(await search('order', 'check_output', { top_k: 2, offset })))
    expect(paged).toEqual(whole)
    expect(ids(await search('order', 'check_output', { min_score: 0.9 })).slice(0, 4)).toEqual(whole.slice(0, 4))
    expect(
      ids(await search('order', 'check_output', { rerank: true }))
        .slice(0, 2)
        .sort(),
    ).toEqual(['titled', 'typed'])
  })

  it('are not put first in another order, and exclusions hold for them', async () => {
    const sort = [{ by: 'created_at', order: 'desc' }]
    expect(ids(await search('order', 'check_output', { sort }))).not.toContain(undefined)
    expect(ids(await search('order', 'check_output -macro'))).not.toContain('upper')
    expect(ids(await search('order', 'check_output -titled -end'))[0]).toBe('titled')
  })
})

describe('pages of texts with a name, in several forms, and of others', () => {
  const names = ['check_output', 'CHECK_OUTPUT', 'subprocess.check_output_all', 'check output', 'check_outputs', '']

  beforeAll(() =>
    put(
      'pages',
      fillers(240).map((text, i) => ({
        ...{ external_id: `u${i}`, doc_id: `d${i % 40}`, metadata: { year: 1990 + (i % 7) } },
        text: `${text.slice(0, 40 + 10 * (i % 9))} ${`${names[i % names.length]} check output `.repeat(1 + (i % 3))}`,
      })),
    ),
  )

  it.each<[string, object]>([
    ['alone', {}],
    ['with a filter', { filters: { metadata: { year: { gte: 1993 } } } }],
    ['with a boost', { boost: [{ filter: { metadata: { year: 1994 } }, weight: 3 }] }],
    ['by document', { group_by: 'doc_id', group_size: 2 }],
    ['sorted', { sort: [{ by: 'metadata.year', order: 'asc' }] }],
    ['while they are typed', { prefix: 'last' }],
  ])('have each of them once, %s', async (_, more) => {
    for (const q of ['check_output', 'checkOutput', '"check output"', '"check output" check_output'])
      for (const size of [3, 10, 20]) {
        const seen: string[] = []
        const scores: number[] = []
        for (let offset = 0; offset < 4 * size; offset += size) {
          const page = await search('pages', q, { ...more, top_k: size, offset })
          seen.push(...ids(page))
          scores.push(...page.hits.map(({ score }) => score))
        }
        expect(new Set(seen).size, `${q} in pages of ${size}`).toBe(seen.length)
        if (!('sort' in more)) expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      }
  })
})
