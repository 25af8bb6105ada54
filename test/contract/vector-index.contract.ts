import { describe, expect, it } from 'vitest'
import type { IndexClause, IndexFilter } from '../../src/ports/indexes/index-filter.ts'
import type { VectorIndex } from '../../src/ports/indexes/vector-index.ts'
import { filterFor, indexedUnit, namespaceId, openScope, put, remove } from './index-fixtures.ts'
import { nonInterferenceContract } from './non-interference.contract.ts'
import { unitIndexContract } from './unit-index.contract.ts'
import { visibilityContract } from './visibility.contract.ts'

/** The contract of the vector index port, for every engine. */
export function vectorIndexContract(
  name: string,
  create: () => Promise<VectorIndex>,
  { remembersRemovals = true, runs = 200 } = {},
): void {
  const query = { plane: 'text', model: 'm', vector: Float32Array.of(1, 0.5, -0.25, 0.125) } as const
  const searchAll = (index: VectorIndex, filter: IndexFilter) => index.search(query, filter, 100)

  async function filled(vectors: Record<string, number[]>): Promise<VectorIndex> {
    const index = await create()
    const changes = Object.entries(vectors).map(([unitId, values], i) =>
      put(indexedUnit(unitId, i + 1, { vector: { model: 'm', values: Float32Array.from(values) } })),
    )
    await index.feed.apply(namespaceId, changes, changes.length)
    return index
  }
  const nearest = async (index: VectorIndex, vector: number[], limit = 10) =>
    index.search({ ...query, vector: Float32Array.from(vector) }, filterFor(), limit)

  describe(`vector index: ${name}`, () => {
    unitIndexContract({ create, searchAll, remembersRemovals })
    visibilityContract({ create, searchAll })
    if (runs > 0)
      nonInterferenceContract(create, (index) => searchAll(index, filterFor({ filters: { modality: ['text'] } })), runs)

    it('ranks by cosine, whatever the lengths of the vectors', async () => {
      const index = await filled({ far: [-3, 0], near: [0.01, 0.001], middle: [5, 5], across: [0, 9] })
      const found = await nearest(index, [2, 0])
      expect(found.map((c) => c.unitId)).toEqual(['near', 'middle', 'across', 'far'])
      const expected = [0.995, Math.SQRT1_2, 0, -1]
      for (const [i, score] of expected.entries()) expect(found[i]?.score).toBeCloseTo(score, 3)
    })

    it('ranks by cosine at the ends of float32', async () => {
      const index = await filled({ along: [1, 0], tiny: [1.4e-45, 0], large: [3e38, 3e38], against: [-3e38, 0] })
      for (const length of [1.4e-45, 1e-20, 1, 3e38]) {
        const found = await nearest(index, [length, 0])
        expect(found.map((c) => c.unitId)).toEqual(['along', 'tiny', 'large', 'against'])
        for (const [i, score] of [1, 1, Math.SQRT1_2, -1].entries()) expect(found[i]?.score).toBeCloseTo(score, 5)
      }
    })

    it('scores a vector against itself 1 and never beyond', async () => {
      const index = await filled({ same: [0.1, 0.2, 0.3, 0.7] })
      const [self] = await nearest(index, [0.1, 0.2, 0.3, 0.7])
      expect(self?.score).toBeCloseTo(1, 5)
      expect(self?.score).toBeLessThanOrEqual(1)
    })

    it('breaks ties by ascending unitId, in code units, at the limit too', async () => {
      const index = await filled({ b: [1, 0], a: [2, 0], Z: [3, 0], é: [4, 0], a10: [1, 0], a2: [1, 0] })
      const order = ['Z', 'a', 'a10', 'a2', 'b', 'é']
      for (const limit of [1, 3, 6, 10]) {
        expect((await nearest(index, [1, 0], limit)).map((c) => c.unitId)).toEqual(order.slice(0, limit))
      }
      expect(await nearest(index, [1, 0], 0)).toEqual([])
    })

    it('holds a second vector of a Unit, of another model, and can leave out who has one of certain models', async () => {
      const index = await create()
      const [first, second] = [
        { model: 'm', values: Float32Array.of(1, 0, 0, 0) },
        { model: 'next', values: Float32Array.of(0, 1) },
      ]
      const units = [
        indexedUnit('old', 1, { vector: first }),
        indexedUnit('both', 2, { vector: first, otherVector: second }),
        indexedUnit('new', 3, { vector: second }),
      ]
      await index.feed.apply(namespaceId, units.map(put), 3)
      const ids = async (model: string, vector: number[], without?: string[]) => {
        const asked = { plane: 'text', model, vector: Float32Array.from(vector), ...(without && { without }) } as const
        return (await index.search(asked, filterFor(), 10)).map((c) => c.unitId)
      }
      const [towardsFirst, towardsSecond] = [
        [1, 0, 0, 0],
        [0, 1],
      ]
      expect(await ids('m', towardsFirst)).toEqual(['both', 'old'])
      expect(await ids('next', towardsSecond)).toEqual(['both', 'new'])
      expect(await ids('next', towardsSecond, ['m'])).toEqual(['new'])
      expect(await ids('next', towardsSecond, ['unknown'])).toEqual(['both', 'new'])
      expect(await ids('m', towardsFirst, ['next', 'unknown'])).toEqual(['old'])
      await index.feed.apply(namespaceId, [put(indexedUnit('both', 4, { vector: second }))], 4)
      expect(await ids('m', towardsFirst)).toEqual(['old'])
      expect(await ids('next', towardsSecond, ['m'])).toEqual(['both', 'new'])
    })

    it('finds a Unit with several vectors once, by the nearest, until it has others', async () => {
      const index = await create()
      const several = (model: string, ...vectors: number[][]) => ({
        model,
        values: Float32Array.from(vectors.flat()),
        count: vectors.length,
      })
      const units = [
        indexedUnit('long', 1, { vector: several('m', [1, 0], [0, 1], [-1, 0]) }),
        indexedUnit('short', 2, { vector: several('m', [1, 0.5]) }),
        indexedUnit('both', 3, { vector: several('m', [1, 1]), otherVector: several('next', [1, 0], [0, 1]) }),
      ]
      await index.feed.apply(namespaceId, units.map(put), 3)
      const near = async (vector: number[], limit = 10, model = 'm') => {
        const asked = { plane: 'text', model, vector: Float32Array.from(vector) } as const
        const found = await index.search(asked, filterFor(), limit)
        return found.map(({ unitId, score }) => [unitId, Math.round(score * 100) / 100])
      }
      expect(await near([0, 1])).toEqual([
        ['long', 1],
        ['both', 0.71],
        ['short', 0.45],
      ])
      expect(await near([-1, 0], 1)).toEqual([['long', 1]])
      expect((await near([1, 0], 2)).map(([unitId]) => unitId)).toEqual(['long', 'short'])
      expect(await near([0, 1], 10, 'next')).toEqual([['both', 1]])
      expect((await index.feed.manifest(namespaceId, 'text')).get('long')).toBe(1)
      await index.feed.apply(namespaceId, [put(indexedUnit('long', 4, { vector: several('m', [1, 0]) }))], 4)
      expect(await near([0, 1])).toEqual([
        ['both', 0.71],
        ['short', 0.45],
        ['long', 0],
      ])
      await index.feed.apply(namespaceId, [remove('both', 5)], 5)
      expect([await near([0, 1], 10, 'next'), (await near([0, 1])).length]).toEqual([[], 2])
      expect([...(await index.feed.manifest(namespaceId, 'text')).values()].sort()).toEqual([2, 4])
    })

    it('compares only vectors of the query’s model and plane', async () => {
      const index = await create()
      const own = { model: 'own', values: Float32Array.of(1, 0, 0, 0) }
      const units = [
        indexedUnit('m', 1),
        indexedUnit('own', 2, { vector: own }),
        indexedUnit('none', 3, { vector: null }),
        indexedUnit('audio', 4, { plane: 'audio' }),
      ]
      await index.feed.apply(namespaceId, units.map(put), 4)
      const scopeIds: IndexClause['scopeIds'] = new Map([
        ['text', [openScope]],
        ['audio', [openScope]],
      ])
      const ids = async (changed: Partial<Parameters<VectorIndex['search']>[0]>) =>
        (await index.search({ ...query, ...changed }, filterFor({ scopeIds }), 10)).map((c) => c.unitId)
      expect(await ids({})).toEqual(['m'])
      expect(await ids({ model: 'own' })).toEqual(['own'])
      expect(await ids({ model: 'unheard-of' })).toEqual([])
      expect(await ids({ plane: 'audio' })).toEqual(['audio'])
      expect(await ids({ plane: 'visual' })).toEqual([])
    })

    it('keeps a copy: the array that was put may change', async () => {
      const values = Float32Array.of(1, 0, 0, 0)
      const index = await create()
      await index.feed.apply(namespaceId, [put(indexedUnit('u', 1, { vector: { model: 'm', values } }))], 1)
      values.fill(-1)
      expect((await nearest(index, [1, 0, 0, 0]))[0]?.score).toBeCloseTo(1, 5)
    })
  })
}
