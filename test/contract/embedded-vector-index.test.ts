import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns, shortOrLong } from '../support/amounts.ts'
import { manyIndexes, openIndex } from '../support/index/embedded-index.ts'
import { tempDir } from '../support/temp-dir.ts'
import { filterFor, indexedUnit, namespaceId, put } from './index-fixtures.ts'
import { vectorIndexContract } from './vector-index.contract.ts'

const createIndex = manyIndexes()
const create = async () => (await createIndex()).vectors
// That hidden rows change nothing is tested on texts and vectors at once: embedded-non-interference.test.ts
vectorIndexContract('embedded', create, { runs: 0 })

const query = (values: number[]) => ({ plane: 'text', model: 'm', vector: Float32Array.from(values) }) as const
const unitWith = (unitId: string, seq: number, values: number[]) =>
  put(indexedUnit(unitId, seq, { vector: { model: 'm', values: Float32Array.from(values) } }))

describe('the embedded vector index', () => {
  it('is exact: the same as sorting every row by its cosine', async () => {
    // A small set of values makes many ties.
    const vector = fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 5, maxLength: 5 })
    const property = fc.asyncProperty(
      fc.array(vector, { maxLength: 40 }),
      vector,
      fc.integer({ min: 1, max: 50 }),
      async (rows, asked, limit) => {
        const index = await create()
        await index.feed.apply(
          namespaceId,
          rows.map((values, i) => unitWith(`u${i}`, i + 1, values)),
          rows.length,
        )
        const found = await index.search(query(asked), filterFor(), limit)
        const all = rows.map((values, i) => ({ unitId: `u${i}`, score: cosine(asked, values) }))
        const scores = all.map((c) => c.score).sort((a, b) => b - a)
        expect(found).toHaveLength(Math.min(limit, rows.length))
        found.forEach(({ unitId, score }, i) => {
          expect(score).toBeCloseTo(scores[i] ?? Number.NaN, 10)
          expect(score).toBeCloseTo(all.find((c) => c.unitId === unitId)?.score ?? Number.NaN, 10)
          const next = found[i + 1]
          if (next !== undefined)
            expect(score > next.score || (score === next.score && unitId < next.unitId)).toBe(true)
        })
      },
    )
    await fc.assert(property, { numRuns: propertyRuns(shortOrLong(60, 200)) })
  })

  it('is exact for the best of many Units with several vectors, however many are wanted', async () => {
    let state = 1
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state / 2 ** 31 - 1
    }
    const vector = () => Array.from({ length: 16 }, random)
    // Some have many alike, which take the places of others among the nearest vectors.
    const units = Array.from({ length: 9000 }, (_, i) => {
      const first = vector()
      return Array.from({ length: i % 10 === 0 ? 12 : 1 }, () => first.map((value) => value + random() / 20))
    })
    const index = await create()
    const changes = units.map((vectors, i) => {
      const values = Float32Array.from(vectors.flat())
      return put(indexedUnit(`u${i}`, i + 1, { vector: { model: 'm', values, count: vectors.length } }))
    })
    await index.feed.apply(namespaceId, changes, changes.length)
    for (const asked of [vector(), units[20]?.[3] ?? [], units[8990]?.[0] ?? []]) {
      const all = units.map((vectors, i) => ({
        unitId: `u${i}`,
        score: Math.max(...vectors.map((values) => cosine(asked, values))),
      }))
      all.sort((a, b) => b.score - a.score)
      for (const limit of [1, 10, 60]) {
        const found = await index.search(query(asked), filterFor(), limit)
        const best = all.slice(0, limit)
        expect(found.map(({ unitId }) => unitId)).toEqual(best.map(({ unitId }) => unitId))
        for (const [i, { score }] of best.entries()) expect(found[i]?.score).toBeCloseTo(score, 5)
      }
    }
  })

  it('scores zero vectors 0', async () => {
    const index = await create()
    await index.feed.apply(namespaceId, [unitWith('zero', 1, [0, 0]), unitWith('against', 2, [-1, 0])], 2)
    expect(await index.search(query([1, 0]), filterFor(), 5)).toEqual([
      { unitId: 'zero', score: 0 },
      { unitId: 'against', score: -1 },
    ])
    const scores = (await index.search(query([0, 0]), filterFor(), 5)).map((c) => Math.abs(c.score))
    expect(scores).toEqual([0, 0])
  })

  it('compares only vectors of the query’s length: the dimensions of a model may change', async () => {
    const index = await create()
    const nearest = async (values: number[]) =>
      (await index.search(query(values), filterFor(), 5)).map(({ unitId }) => unitId)
    await index.feed.apply(namespaceId, [unitWith('before', 1, [1, 0]), unitWith('stays', 2, [0, 1])], 2)
    expect(await nearest([1, 0])).toEqual(['before', 'stays'])
    expect(await nearest([1, 0, 0])).toEqual([])
    await index.feed.apply(namespaceId, [unitWith('before', 3, [0, 0, 1])], 3)
    expect(await nearest([0, 0, 2])).toEqual(['before'])
    expect(await nearest([1, 0])).toEqual(['stays'])
    await index.feed.apply(namespaceId, [put(indexedUnit('stays', 4, { vector: null }))], 4)
    expect(await nearest([1, 0])).toEqual([])
  })

  it('refuses vectors that are not finite, and no other change for them', async () => {
    const index = await create()
    await index.feed.apply(namespaceId, [unitWith('u', 1, [1, 0]), unitWith('v', 2, [0, 1])], 2)
    const bad = [unitWith('u', 3, [Number.NaN, 0]), unitWith('long', 4, [1, 0, 0]), unitWith('w', 5, [1, 1])]
    await index.feed.apply(namespaceId, bad, 5)
    expect(await index.feed.cursor(namespaceId)).toBe(5)
    expect([...(await index.feed.manifest(namespaceId, 'text')).keys()].sort()).toEqual(['long', 'u', 'v', 'w'])
    // Their vectors are in no search, the older ones neither.
    expect((await index.search(query([1, 0]), filterFor(), 5)).map((c) => c.unitId)).toEqual(['w', 'v'])
    await expect(index.search(query([Number.POSITIVE_INFINITY, 0]), filterFor(), 5)).rejects.toThrow(RangeError)
  })
})

function cosine(a: number[], b: number[]): number {
  const dot = (x: number[], y: number[]) => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0)
  const norms = Math.sqrt(dot(a, a) * dot(b, b))
  return norms === 0 ? 0 : dot(a, b) / norms
}

describe('beside another engine for vectors', () => {
  it('keeps everything but vectors', async () => {
    const directory = tempDir('texts')
    await using texts = { ...openIndex(directory.path, { keepsVectors: false }), [Symbol.asyncDispose]: close }
    async function close() {
      await texts.close()
      directory.remove()
    }
    const otherVector = { model: 'next', values: Float32Array.of(1, 0) }
    await texts.vectors.feed.apply(namespaceId, [put(indexedUnit('u', 1, { otherVector }))], 1)
    await texts.vectors.feed.repair(namespaceId, [put(indexedUnit('v', 2))])
    expect(await texts.vectors.search(query([1, 0, 0, 0]), filterFor(), 5)).toEqual([])
    expect(await texts.vectors.search({ ...query([1, 0]), model: 'next' }, filterFor(), 5)).toEqual([])
    expect(await texts.texts.search({ text: 'alpha', topK: 5 }, filterFor(), 5)).toHaveLength(2)
    expect(await texts.vectors.feed.manifest(namespaceId, 'text')).toEqual(
      new Map([
        ['u', 1],
        ['v', 2],
      ]),
    )
  })
})
