import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { textAnalysis } from '../../src/adapters/index-embedded/analysis/text-analysis.ts'
import { createEmbeddedIndex, type EmbeddedIndex } from '../../src/adapters/index-embedded/embedded-index.ts'
import { shardOf } from '../support/index/shards.ts'
import { startMeilisearch } from '../support/meilisearch/server.ts'
import { configOf, openIndex } from '../support/meilisearch/to-test.ts'
import { tempDir } from '../support/temp-dir.ts'
import { filterFor, indexedUnit, namespaceId, put } from './index-fixtures.ts'

const secret = 'a lantern that no log may name'
let logged: object[]
const log = { info: () => {}, warn: (fields: object) => void logged.push(fields), error: () => {} }
beforeEach(() => {
  logged = []
})

const named = (unitId: string, without: string[]) => [{ namespaceId, unitId, without }]

describe('the embedded index', () => {
  let folder: ReturnType<typeof tempDir>
  let index: EmbeddedIndex
  beforeEach(() => {
    folder = tempDir('unreadable')
    index = createEmbeddedIndex({ directory: folder.path, threads: 1, memoryBytes: 2 ** 28, quietMs: 10_000, log })
  })
  afterEach(async () => {
    await index.close()
    folder.remove()
  })

  const search = async (text: string, filters = {}) =>
    (await index.texts.search({ text, topK: 9 }, filterFor({ filters }), 9)).map(({ unitId }) => unitId)

  it('takes a Unit that it cannot analyse as far as it can, and the rest of its batch', async () => {
    const broken = indexedUnit('broken', 2, { text: [secret] as never, docId: 'doc' })
    const changes = [put(indexedUnit('u1', 1)), put(broken), put(indexedUnit('u3', 3))]
    expect(await index.texts.feed.apply(namespaceId, changes, 3)).toBe(true)
    expect(await index.texts.feed.cursor(namespaceId)).toBe(3)
    expect(await search('alpha')).toEqual(['u1', 'u3'])
    expect(await search('', { docId: ['doc'] })).toEqual(['broken'])
    const query = { plane: 'text', model: 'm', vector: Float32Array.of(1, 0, 0, 0) } as const
    expect((await index.vectors.search(query, filterFor(), 9)).map(({ unitId }) => unitId)).toContain('broken')
    expect(logged).toEqual(named('broken', ['language', 'words']))
  })

  it('takes nothing of a row that it could not finish', async () => {
    const halfway = indexedUnit('halfway', 1, { plane: 'audio', acl: { owner: 'me', groups: null as never } })
    await expect(index.texts.feed.apply(namespaceId, [put(halfway)], 1)).rejects.toThrow(TypeError)
    await index.texts.feed.apply(namespaceId, [put(indexedUnit('u1', 1, { docId: 'doc' }))], 1)
    expect(await search('alpha', { docId: ['doc'] })).toEqual(['u1'])
  })

  it('tells ids apart, whatever they hold', async () => {
    await index.texts.feed.apply(
      namespaceId,
      ['a\nb', 'c', 'c\n'].map((id, i) => put(indexedUnit(id, i + 1))),
      3,
    )
    expect(await search('alpha')).toEqual(['a\nb', 'c', 'c\n'])
  })
})

it('words are read without the rules of a language that cannot be known', () => {
  const unit = indexedUnit('u', 1, { text: 'lanterns' })
  Object.defineProperty(unit, 'language', {
    get: () => {
      throw new Error(secret)
    },
  })
  const { words } = shardOf([unit]).text
  expect(words.all().map((key) => key.trim())).toEqual(['lanterns'])
})

it('Meilisearch gets a Unit that cannot be analysed without its words, and the rest of its batch', async () => {
  await using local = await startMeilisearch()
  const words: typeof textAnalysis.words = (text) => {
    if (text === secret) throw new Error(text)
    return textAnalysis.words(text)
  }
  const { sink, search } = openIndex(configOf(local), undefined, { analysis: { ...textAnalysis, words }, log })
  const puts = [indexedUnit('broken', 1, { text: secret, docId: 'doc' }), indexedUnit('u2', 2)]
  const attempt = { signal: AbortSignal.timeout(30_000), again: false, unsettled: () => {} }
  await sink.write(namespaceId, { puts, removals: [] }, attempt)
  const found = async (text: string, filters = {}) =>
    (await search({ text, topK: 9 }, filterFor({ filters }), 9)).map(({ unitId }) => unitId)
  expect([await found('alpha'), await found('', { docId: ['doc'] })]).toEqual([['u2'], ['broken']])
  expect(logged).toEqual(named('broken', ['words']))
})
