import { describe, expect, it } from 'vitest'
import type { IndexClause, IndexFilter } from '../../src/ports/indexes/index-filter.ts'
import type { TextIndex, TextQuery } from '../../src/ports/indexes/text-index.ts'
import { filterFor, indexedUnit, namespaceId, openScope, put } from './index-fixtures.ts'
import { nonInterferenceContract } from './non-interference.contract.ts'
import { unitIndexContract } from './unit-index.contract.ts'
import { visibilityContract } from './visibility.contract.ts'

/** The contract of the text index port, for every engine. */
export function textIndexContract(
  name: string,
  create: () => Promise<TextIndex>,
  { remembersRemovals = true, runs = 200 } = {},
): void {
  const searchAll = (index: TextIndex, filter: IndexFilter) => index.search({ text: 'alpha', topK: 10 }, filter, 100)

  async function found(
    texts: Record<string, string | null>,
    query: string,
    limit = 10,
    more: Partial<TextQuery> = {},
  ): Promise<string[]> {
    const index = await create()
    const changes = Object.entries(texts).map(([unitId, text], i) => put(indexedUnit(unitId, i + 1, { text })))
    await index.feed.apply(namespaceId, changes, changes.length)
    return (await index.search({ text: query, topK: limit, ...more }, filterFor(), limit)).map(
      (candidate) => candidate.unitId,
    )
  }

  describe(`text index: ${name}`, () => {
    unitIndexContract({ create, searchAll, remembersRemovals })
    visibilityContract({ create, searchAll })
    const asked = filterFor({ filters: { modality: ['text'] } })
    const gammas = { text: 'gamma alpha delta alpha', topK: 10 }
    const standing = {
      ...{ text: 'gamma the al', topK: 10, isOpen: true },
      synonyms: [
        { start: 0, end: 5, to: ['beta', 'delta the beta', 'unheard'] },
        { start: 6, end: 9, to: ['delta'] },
      ],
    }
    const both = async (index: TextIndex) => [
      ...(await index.search(gammas, asked, 100)),
      ...(await index.search(standing, asked, 100)),
    ]
    if (runs > 0) nonInterferenceContract(create, both, runs)

    it('ranks rare words above common ones, and short texts above long ones', async () => {
      const texts = {
        common: 'river bank',
        rare: 'river zebra',
        other: 'river boat',
        long: `zebra ${'filler '.repeat(30)}`,
      }
      expect((await found(texts, 'river zebra')).slice(0, 1)).toEqual(['rare'])
      const zebra = await found(texts, 'zebra')
      expect(zebra).toEqual(['rare', 'long'])
    })

    it('finds synonyms of words and phrases, after the words themselves', async () => {
      const texts = {
        a: 'a large car stood there',
        b: 'a large automobile stood there',
        c: 'a large motor car stood there',
        d: 'a large motor boat, no car or',
        e: 'a large train stood there',
      }
      const to = (text: string, ...to: string[]) => ({ synonyms: [{ start: 0, end: text.length, to }] })
      const cars = await found(texts, 'car', 10, to('car', 'automobile'))
      expect(cars.toSorted()).toEqual(['a', 'b', 'c', 'd'])
      expect(cars.at(-1)).toBe('b')
      expect((await found(texts, 'vehicle', 10, to('vehicle', 'motor car', 'train'))).toSorted()).toEqual(['c', 'e'])
      expect(await found(texts, 'motor car', 2, to('motor car', 'automobile'))).toEqual(['c', 'd'])
      expect(await found(texts, 'it', 10, to('it', 'automobile', 'unheard of'))).toEqual(['b'])
    })

    it('tells names with symbols from each other and from their parts', async () => {
      const names = {
        a: 'written in C++ here',
        b: 'written in C# here',
        c: 'written in C here',
        d: 'AT&T rang',
        e: 'at T',
      }
      expect((await found(names, 'C#'))[0]).toBe('b')
      expect((await found(names, 'C++'))[0]).toBe('a')
      expect((await found(names, 'AT&T'))[0]).toBe('d')
      const versions = { a: 'use 1.2.30 now', b: 'use 1.2.3 now', c: 'run check output', d: 'run check_output' }
      expect((await found(versions, '1.2.3'))[0]).toBe('b')
      expect((await found(versions, 'check_output'))[0]).toBe('d')
    })

    it('lets the last word stand for words that begin with it, on request', async () => {
      const texts = {
        a: 'the harbour master',
        b: 'the harvest moon',
        c: 'the master',
        d: 'har is a word',
        e: 'use check_output',
      }
      const beginning = await found(texts, 'har', 10, { isOpen: true })
      expect([beginning[0], beginning.slice(1).toSorted()]).toEqual(['d', ['a', 'b']])
      expect((await found(texts, 'master har', 10, { isOpen: true }))[0]).toBe('a')
      expect((await found(texts, 'check_ou', 10, { isOpen: true }))[0]).toBe('e')
    })

    it('finds everything visible for a blank query, Units without text too', async () => {
      expect(await found({ b: 'river', a: null, c: 'boat' }, ' ')).toEqual(['a', 'b', 'c'])
      expect(await found({ b: 'river', a: null, c: 'boat' }, '', 2)).toEqual(['a', 'b'])
    })

    it('returns only Units that hold a word of the query', async () => {
      expect(await found({ a: 'river', b: 'mountain', c: null, d: '' }, 'river valley')).toEqual(['a'])
      expect(await found({ a: 'river' }, '?!')).toEqual([])
      expect(await found({ a: 'river' }, 'constructor __proto__')).toEqual([])
    })

    it('finds all that shares letters with the query, if it says so', async () => {
      const index = await create()
      const texts = ['harbourmaster', 'harbormasters', 'the arbour', '汽车大灯', '灯', 'lighthouse'].map((text, i) =>
        put(indexedUnit(`u${i}`, i + 1, { text })),
      )
      await index.feed.apply(namespaceId, texts, texts.length)
      const sharing: Record<string, string[]> = { harbourmaster: ['u0', 'u1', 'u2'], 大灯: ['u3'], lihgthouse: ['u5'] }
      for (const [text, expected] of Object.entries(sharing)) {
        const ids = (await index.search({ text, topK: 10 }, filterFor(), 100)).map(({ unitId }) => unitId).sort()
        if (index.findsLetters(text)) expect(ids).toEqual(expected)
      }
      // 灯 may be a part of any longer word.
      expect(index.findsLetters('the 灯')).toBe(false)
    })

    it('breaks ties by ascending unitId, at the limit too', async () => {
      const texts = { b: 'river', a: 'river', Z: 'river', a2: 'river', a10: 'river' }
      for (const limit of [1, 3, 5]) {
        expect(await found(texts, 'river', limit)).toEqual(['Z', 'a', 'a10', 'a2', 'b'].slice(0, limit))
      }
      expect(await found(texts, 'river', 0)).toEqual([])
    })

    it('searches all planes of the filter at once', async () => {
      const index = await create()
      const units = [
        indexedUnit('t', 1),
        indexedUnit('a', 2, { plane: 'audio' }),
        indexedUnit('v', 3, { plane: 'visual' }),
      ]
      await index.feed.apply(namespaceId, units.map(put), 3)
      const scopeIds: IndexClause['scopeIds'] = new Map([
        ['text', [openScope]],
        ['audio', [openScope]],
      ])
      const candidates = await index.search({ text: 'alpha', topK: 10 }, filterFor({ scopeIds }), 10)
      expect(candidates.map((c) => c.unitId)).toEqual(['a', 't'])
      expect(candidates[0]?.score).toBe(candidates[1]?.score)
    })

    describe('titles', () => {
      const ranked = async (units: Record<string, [title: string | null, text: string | null]>, query: string) => {
        const index = await create()
        const changes = Object.entries(units).map(([unitId, [title, text]], i) =>
          put(indexedUnit(unitId, i + 1, { title, text })),
        )
        await index.feed.apply(namespaceId, changes, changes.length)
        return index.search({ text: query, topK: 10 }, filterFor(), 10)
      }

      it('are found like the text, also where there is none', async () => {
        const found = await ranked(
          { a: ['Harbour > Cranes', 'lifting'], b: [null, 'lifting'], c: ['Crane', null] },
          'cranes',
        )
        expect(found.map(({ unitId }) => unitId).sort()).toEqual(['a', 'c'])
      })

      it('count once where the text repeats them', async () => {
        const units = {
          a: ['Harbour > Deep cranes', '## Deep cranes\n\nlift boats'],
          b: ['Harbour > Deep cranes', 'lift boats'],
          c: [null, 'Harbour deep cranes\n\nlift boats'],
        } as const
        for (const query of ['cranes', 'deep cranes', 'boats']) {
          const found = await ranked({ ...units, other: [null, 'a lighthouse'] } as never, query)
          expect(found.map(({ unitId }) => unitId)).toEqual(['a', 'b', 'c'])
          expect(found[0]?.score).toBe(found[1]?.score)
          expect(found[1]?.score).toBe(found[2]?.score)
        }
      })

      it('make no pair of words with the text', async () => {
        const found = await ranked(
          { a: ['deep crane', 'lift boats'], b: [null, 'deep crane lift boats'] },
          'crane lift',
        )
        expect(found[0]?.unitId).toBe('b')
        expect(found[0]?.score).toBeGreaterThan(found[1]?.score ?? 1)
      })
    })

    it('finds word forms, whatever their case and accents', async () => {
      const texts = { a: 'The CAFÉS were running', b: 'nothing here' }
      for (const query of ['cafe', 'Cafés', 'cafe\u0301', 'run', 'RUNS'])
        expect(await found(texts, query)).toEqual(['a'])
    })

    it('drops a possessive ending', async () => {
      expect(await found({ a: 'the dog’s tail', b: "a dog's life" }, 'dogs')).toEqual(['a', 'b'])
      expect(await found({ a: 'the dog’s tail', b: "a dog's life", c: 'plan s' }, 's')).toEqual(['c'])
    })

    it('ignores stop words, unless the query is nothing else', async () => {
      const texts = { hamlet: 'to be or not to be', other: 'the question of the day' }
      expect(await found(texts, 'the hamlet of not being')).toEqual([])
      expect(await found(texts, 'not to be')).toEqual(['hamlet'])
    })

    it('finds words in scripts that put no spaces between them', async () => {
      const texts = {
        ja: '私は東京に住んでいます。',
        zh: '我们喜欢机器学习和数据库',
        th: 'ฉันรักภาษาไทย',
        ko: '서울에서 만나요',
        en: 'Tokyo',
      }
      expect(await found(texts, '東京')).toEqual(['ja'])
      expect(await found(texts, '学习')).toEqual(['zh'])
      expect(await found(texts, 'ภาษา')).toEqual(['th'])
      expect(await found(texts, '만나요')).toEqual(['ko'])
    })

    describe('highlights', () => {
      const marked = async (query: string, text: string) =>
        (await create()).highlights({ text: query }, text).map(({ start, end }) => text.slice(start, end))

      it('stand where the words stand in the text as it is', async () => {
        expect(await marked('run dog', 'Running dogs ran; a DOG’s run')).toEqual(['Running', 'dogs', 'DOG', 'run'])
        expect(await marked('the run', 'the run')).toEqual(['run'])
        expect(await marked('not to be', 'To be, not seen')).toEqual(['To', 'be', 'not'])
        expect(await marked('dog’s tail', "the cat’s and the dog's")).toEqual(['dog'])
        expect(await marked('absent', 'Running')).toEqual([])
      })

      it('stay right where folding changes lengths', async () => {
        expect(await marked('office naive end', 'ﬃ 🙂 oﬃce nai\u0308ve ½ ｅｎｄ')).toEqual([
          'oﬃce',
          'nai\u0308ve',
          'ｅｎｄ',
        ])
        expect(await marked('東京', '𠮷野家は東京にあります')).toEqual(['東京'])
        expect(await marked('1 2', 'a ½ b')).toEqual(['½'])
      })
    })
  })
}
