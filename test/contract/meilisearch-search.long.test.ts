import fc from 'fast-check'
import { Meilisearch } from 'meilisearch'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { IndexClause, IndexedUnit } from '../../src/ports/indexes/index-filter.ts'
import type { IndexSink } from '../../src/ports/indexes/index-sink.ts'
import type { TextIndex } from '../../src/ports/indexes/text-index.ts'
import { writeAttempt } from '../support/database/write-attempt.ts'
import { hasContract } from '../support/meilisearch/contract.ts'
import { type LocalMeilisearch, startMeilisearch } from '../support/meilisearch/server.ts'
import { configOf, openIndex } from '../support/meilisearch/to-test.ts'
import { type FilterChanges, filterFor, indexedUnit, openScope } from './index-fixtures.ts'

let local: LocalMeilisearch
let index: Omit<TextIndex, 'feed'>
let sink: IndexSink
let namespaceId: string
let made = 0

beforeAll(async () => {
  local = await startMeilisearch()
  // The local server shares this thread: a long text keeps both busy.
  const opened = openIndex({ ...configOf(local), callMs: { search: 60_000, probe: 60_000, other: 60_000 } })
  index = opened
  sink = opened.sink
})
afterAll(async () => {
  await local[Symbol.asyncDispose]()
})
beforeEach(() => {
  namespaceId = `namespace ${++made}`
  local.searches.length = 0
})

const anyTime = () => AbortSignal.timeout(90_000)
const put = (units: readonly IndexedUnit[], into = namespaceId) =>
  sink.write(into, { puts: units, removals: [] }, writeAttempt(anyTime()))
const putTexts = (texts: Record<string, string>) =>
  put(Object.entries(texts).map(([unitId, text], i) => indexedUnit(unitId, i + 1, { text })))
const search = (text: string, filter: FilterChanges = {}, limit = 10) =>
  index.search({ text, topK: limit }, filterFor({ namespaceId, ...filter }), limit)
const found = async (...asked: Parameters<typeof search>) => (await search(...asked)).map(({ unitId }) => unitId)

describe('the ranking', () => {
  it('is BM25 of words and pairs over the Units that the filter lets through', async () => {
    await putTexts({ both: 'harbour storm', apart: 'storm boat harbour', none: 'boat boat', other: 'boat' })
    await put([indexedUnit('hidden', 9, { text: 'harbour storm', acl: { owner: 'you', groups: [] } })])
    const units = 4
    const idf = (df: number) => Math.log(1 + (units - df + 0.5) / (df + 0.5))
    // Stored lengths are rounded to steps of 10 %.
    const nearly = (length: number) => Math.exp(Math.round(Math.log(length) / Math.log(1.1)) * Math.log(1.1))
    const average = (2 * nearly(2) + nearly(3) + nearly(1)) / units
    const norm = (length: number) => 2.2 / (1 + 1.2 * (0.25 + (0.75 * length) / average))
    const confidence = Math.min(1, norm(2))
    const [both, apart] = [norm(2) * (2 * idf(2) + 0.4 * idf(1)), norm(3) * 2 * idf(2)]
    expect(await search('harbour storm')).toEqual([
      { unitId: 'both', score: expect.closeTo(confidence, 9) },
      { unitId: 'apart', score: expect.closeTo((confidence * apart) / both, 9) },
    ])
  })

  it('puts first what speaks of the same as others that match', async () => {
    const alike = { a: 'storm lantern keeper', b: 'storm lantern keeper' }
    await putTexts({ ...alike, Y: 'storm cheese market', Z: 'storm paper mill', other: 'boat' })
    expect(await found('storm')).toEqual(['a', 'b', 'Y', 'Z'])
  })

  it('counts how often a Unit says a word', async () => {
    await putTexts({ a: 'ferry harbour', b: 'ferry ferry', c: 'harbour boat' })
    expect(await found('ferry')).toEqual(['b', 'a'])
  })

  it('finds pairs within a paragraph, past stop words, and in their order alone', async () => {
    const texts = { across: 'storm\n \nharbour', turned: 'harbour storm', near: 'storm of the harbour' }
    await putTexts(texts)
    const ranked = await search('storm harbour')
    expect(ranked.map(({ unitId }) => unitId)).toEqual(['near', 'across', 'turned'])
    expect(ranked[1]?.score).toBe(ranked[2]?.score)
  })

  it('looks at every word of a query of more than ten', async () => {
    const words = Array.from({ length: 25 }, (_, i) => `word${i}x`)
    await putTexts({ ...Object.fromEntries(words.map((word) => [word, word])), all: words.join(' ') })
    const ranked = await found(words.join(' '), {}, 50)
    expect(ranked[0]).toBe('all')
    // Among equally rare words, the search uses 20.
    expect(ranked).toHaveLength(21)
    for (const { body } of local.searches) {
      for (const { q } of body.queries) expect(q.split(' ').length).toBeLessThanOrEqual(10)
    }
    expect(local.searches.filter(({ body }) => body.federation)).toHaveLength(1)
  })

  it('asks a bounded number of things, however long the query', async () => {
    await putTexts({ a: 'word5', b: 'word6 word7' })
    const q = Array.from({ length: 1000 }, (_, i) => `word${i}`).join(' ')
    expect((await found(q)).sort()).toEqual(['a', 'b'])
    expect(local.searches).toHaveLength(3)
    for (const { body } of local.searches) expect(body.queries.length).toBeLessThanOrEqual(81)
  })

  it('finds the rare words first among more Units than it scores', async () => {
    const common = Array.from({ length: 700 }, (_, i) => indexedUnit(`c${i}`, i + 1, { text: 'harbour boat' }))
    await put([...common, indexedUnit('rare', 701, { text: `zebra ${'boat '.repeat(9)} harbour` })])
    expect((await found('harbour boat zebra'))[0]).toBe('rare')
    expect(await found('harbour zebra', {}, 1000)).toHaveLength(701)
  })

  it('finds what stands at the end of a very long text', async () => {
    await putTexts({ long: `start ${'filler '.repeat(140_000)} lighthouse`, other: 'filler' })
    expect(await found('lighthouse')).toEqual(['long'])
    expect(await found('start')).toEqual(['long'])
  })

  it('takes no word for another, however alike', async () => {
    await putTexts({ a: 'harbour', b: 'harbours', c: 'harbor', d: 'harb our', e: 'harbourmaster' })
    expect((await found('harbour')).sort()).toEqual(['a', 'b'])
    expect(await found('harbo')).toEqual([])
  })
})

describe('what a search may see', () => {
  const anyString = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter((text) => text.isWellFormed()),
    fc.constantFrom(
      'x" OR namespace != "',
      "' OR 1 = 1",
      '\\" OR plane = "text',
      '] OR id EXISTS',
      'a\nb',
      '*',
      'Ann ',
      '1',
    ),
  )

  it('is not widened by anything that a caller writes', async () => {
    await put([
      indexedUnit('mine', 1, { acl: { owner: 'Ann', groups: ['crew'] }, docId: 'D1', metadata: { 'k"': 'v"', n: 1 } }),
    ])
    const property = fc.asyncProperty(anyString, anyString, async (one, other) => {
      const reader = { principalId: one, groups: [other] }
      const asked = await Promise.all([
        found('', { reader }),
        found('', { reader: 'unlimited', filters: { docId: [one, other] } }),
        found('', { reader: 'unlimited', filters: { metadata: { [one]: other } } }),
        found('', { reader: 'unlimited', filters: { externalId: [one], sourceUri: [other], mime: [one] } }),
        found('', { reader: 'unlimited', filters: { aclOwner: [one, other] } }),
        found('', { reader: 'unlimited', scopeIds: new Map([['text', [one, other]]]) }),
        found('', { reader: 'unlimited', namespaceId: one }),
      ])
      const expected = [
        one === 'Ann' || other === 'crew',
        [one, other].includes('D1'),
        one === 'k"' && other === 'v"',
        false,
        [one, other].includes('Ann'),
        [one, other].includes(openScope),
        one === namespaceId,
      ]
      expect(asked.map((list) => list.length > 0)).toEqual(expected)
    })
    await fc.assert(property, {
      numRuns: 60,
      examples: [
        ['Ann', 'x'],
        ['ann', 'CREW'],
        ['k"', 'v"'],
        ['D1', 'd1'],
      ],
    })
  })

  it('is one namespace by the token alone', async () => {
    await put([indexedUnit('ours', 1)])
    await put([indexedUnit('theirs', 1)], 'another namespace')
    expect(await found('alpha')).toEqual(['ours'])
    const bearers = [...new Set(local.searches.map(({ bearer }) => bearer))]
    expect(bearers).toHaveLength(1)
    expect(bearers[0]).not.toBe(local.adminKey)
    const asked = new Meilisearch({ host: local.url, apiKey: `${bearers[0]}` })
    const { results } = await asked.multiSearch({ queries: [{ indexUid: 'units', q: '', limit: 1000 }] })
    expect(results[0]?.hits.map((hit) => hit.unit_id)).toEqual(['ours'])
    await expect(asked.index('units').getDocuments({ filter: 'seq > 0' })).rejects.toThrow('invalid_api_key')
    const other = { queries: [{ indexUid: 'another', q: '' }] }
    await expect(asked.multiSearch(other)).rejects.toThrow('invalid')
  })

  it('does not outlive its token', async () => {
    await put([indexedUnit('ours', 1)])
    await found('alpha')
    const [, payload = ''] = `${local.searches[0]?.bearer}`.split('.')
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    expect(exp * 1000 - Date.now()).toBeLessThanOrEqual(15 * 60_000)
    expect(exp * 1000).toBeGreaterThan(Date.now())
  })

  it('can be thousands of scopes, different ones for each plane', async () => {
    await put([indexedUnit('here', 1), indexedUnit('heard', 2, { plane: 'audio', scopeId: 's7' })])
    const many = Array.from({ length: 4000 }, (_, i) => `s${i}`)
    const scopeIds: IndexClause['scopeIds'] = new Map([
      ['text', [...many, openScope]],
      ['visual', [...many, openScope]],
      ['audio', many],
    ])
    expect(await found('alpha beta gamma', { scopeIds })).toEqual(['heard', 'here'])
    expect(Math.max(...local.searches.map(({ body }) => JSON.stringify(body).length))).toBeLessThan(5_000_000)
  })
})

describe('what is kept', () => {
  it('holds no word of a text as it stands, and nothing at all after a removal', async () => {
    const secret = {
      text: 'Zqxjkwv lantern',
      docId: 'zqdoc',
      metadata: { zqkey: 'zqvalue' },
      sourceUri: 's3://zqsource',
    }
    await put([indexedUnit('gone', 1, secret), indexedUnit('stays', 2, { text: 'boat' })])
    const store = () => JSON.stringify([...(local.indexes.get('units')?.documents.values() ?? [])])
    expect(store()).toContain('"gone"')
    expect(store().toLowerCase()).not.toMatch(/zq|lantern/)
    await sink.write(namespaceId, { puts: [], removals: [{ unitId: 'gone', plane: 'text' }] }, writeAttempt(anyTime()))
    expect(store()).not.toContain('"gone"')
    expect(store()).toContain('"stays"')
  })

  it('is listed beyond a page, and told apart by plane and namespace', async () => {
    const units = Array.from({ length: 2300 }, (_, i) => indexedUnit(`u${i}`, i + 1, { text: null }))
    await put([...units, indexedUnit('audio', 5000, { plane: 'audio' })])
    const manifest = await sink.manifest(namespaceId, 'text')
    expect(manifest).toEqual(new Map(units.map(({ unitId, seq }) => [unitId, seq])))
    const asked = [...units.slice(0, 1500), indexedUnit('unknown', 1)]
    expect((await sink.held(namespaceId, asked)).size).toBe(1500)
    await sink.drop(namespaceId, writeAttempt())
    expect((await sink.manifest(namespaceId, 'text')).size).toBe(0)
  })
})

it.skipIf(!hasContract)('asks for nothing that the API document does not have', () => {
  expect(local.violations).toEqual([])
})
