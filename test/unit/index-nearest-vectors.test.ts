import { describe, expect, it } from 'vitest'
import { TextScratch } from '../../src/adapters/index-embedded/search/rank-text.ts'
import { searchVectors } from '../../src/adapters/index-embedded/search/search.ts'
import { VisibleCache } from '../../src/adapters/index-embedded/shard/visible.ts'
import { possiblyNearest } from '../../src/adapters/index-embedded/vectors/matrix.ts'
import { filterFor, indexedUnit } from '../contract/index-fixtures.ts'
import { shardOf } from '../support/index/shards.ts'

const rows = 1200
const limit = 10
const idOf = (row: number) => `u${String(row).padStart(4, '0')}`

/** Numbers from -1 to 1 that only the seed decides. */
function numbersOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  }
}

const vectorOf = (dims: number, next: () => number) => Float32Array.from({ length: dims }, next)
const moved = (from: Float32Array, by: number, next: () => number) => from.map((value) => value + by * next())

function at(vectors: readonly Float32Array[], place: number): Float32Array {
  const vector = vectors[place]
  if (vector === undefined) throw new Error(`no vector ${place}`)
  return vector
}

/** Kinds of vectors, by row. */
const kinds: Record<string, (dims: number, next: () => number) => Float32Array[]> = {
  'in clusters': (dims, next) => {
    const centres = Array.from({ length: 20 }, () => vectorOf(dims, next))
    return Array.from({ length: rows }, (_, row) => moved(at(centres, row % 20), 0.4, next))
  },
  'in all directions': (dims, next) => Array.from({ length: rows }, () => vectorOf(dims, next)),
  'all near one direction': (dims, next) => {
    const centre = vectorOf(dims, next)
    return Array.from({ length: rows }, () => moved(centre, 0.3, next))
  },
  'of a few values, many of them equal or zero': (dims, next) => {
    const few = Array.from({ length: 15 }, (_, i) => (i === 0 ? new Float32Array(dims) : vectorOf(dims, next)))
    return Array.from({ length: rows }, (_, row) => at(few, row % few.length))
  },
}

function exactly(vectors: readonly Float32Array[], query: Float32Array): string[] {
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
  const cosine = (vector: Float32Array) => dot(vector, query) / Math.sqrt(dot(vector, vector) * dot(query, query)) || 0
  return vectors
    .map((vector, row) => ({ id: idOf(row), cosine: Math.round(cosine(vector) * 1e6) }))
    .sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map(({ id }) => id)
}

describe.each(Object.entries(kinds))('among many vectors %s', (_, make) => {
  it.each([8, 96, 384])('the nearest of %i dimensions are those of a comparison with all', (dims) => {
    const next = numbersOf(dims)
    const vectors = make(dims, next)
    const shard = shardOf(
      vectors.map((values, row) => indexedUnit(idOf(row), row + 1, { vector: { model: 'own', values } })),
    )
    const scratch = { thread: 0, text: new TextScratch(), visible: new VisibleCache() }
    for (let i = 0; i < 20; i++) {
      const query = i % 2 === 0 ? moved(at(vectors, i * 7), 0.2, next) : vectorOf(dims, next)
      const found = searchVectors(
        shard,
        { plane: 'text', model: 'own', vector: query },
        filterFor({}),
        limit,
        scratch,
      ).found(null)
      expect(found.unitIds.split('\0')).toEqual(exactly(vectors, query))
    }
  })
})

it('few of the vectors in clusters are compared', () => {
  const next = numbersOf(1)
  const vectors = kinds['in clusters']?.(384, next) ?? []
  const shard = shardOf(
    vectors.map((values, row) => indexedUnit(idOf(row), row + 1, { vector: { model: 'own', values } })),
  )
  const [matrix] = shard.matrices
  const places =
    matrix && possiblyNearest(matrix, 0, moved(at(vectors, 5), 0.2, next), Uint32Array.from(vectors.keys()), limit)
  expect(places?.length).toBeLessThan(rows / 10)
})
