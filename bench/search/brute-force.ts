import { type Dataset, dimensions, isReadable } from './data.ts'

/** For each query the `k` readable Units with the greatest cosine, computed in f64. */
export function exactNeighbours(dataset: Dataset, selectivity: number, k: number): Set<number>[] {
  const readable = Array.from({ length: dataset.size }, (_, unit) => unit).filter((unit) =>
    isReadable(selectivity, unit),
  )
  const lengths = readable.map((unit) => Math.sqrt(dot(dataset.vectors, unit * dimensions, dataset.vector(unit))))
  return dataset.queries.map(({ vector }) => {
    const best: { unit: number; cosine: number }[] = []
    readable.forEach((unit, i) => {
      const cosine = dot(dataset.vectors, unit * dimensions, vector) / (lengths[i] ?? 1)
      if (best.length === k && cosine <= (best[k - 1]?.cosine ?? 0)) return
      const place = best.findIndex((other) => cosine > other.cosine)
      best.splice(place === -1 ? best.length : place, 0, { unit, cosine })
      best.length = Math.min(best.length, k)
    })
    return new Set(best.map(({ unit }) => unit))
  })
}

function dot(vectors: Float32Array, start: number, other: Float32Array): number {
  let sum = 0
  for (let d = 0; d < dimensions; d++) sum += (vectors[start + d] ?? 0) * (other[d] ?? 0)
  return sum
}

/** The share of the exact neighbours that were found, over all queries. */
export function recallOf(found: readonly (readonly string[])[], exact: readonly ReadonlySet<number>[]): number {
  const hits = found.map((ids, i) => ids.filter((id) => exact[i]?.has(unitOf(id))).length)
  return sum(hits) / sum(exact.map((set) => set.size))
}

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)

export const idOf = (unit: number): string => `u${unit}`
const unitOf = (id: string): number => Number(id.slice(1))
