import { randomOf } from '../search/random.ts'

/** How the Units of all tenants are spread over shards; a tenant is never split. */
export interface Spread {
  /** Units of the fullest shard. */
  fullest: number
  /** The same to the mean of all. */
  skew: number
}

/** By a hash of the name, as a load balancer does it without a table. */
export function byHash(sizes: Float64Array, shards: number, seed: number): Spread {
  const random = randomOf(seed, shards)
  return spreadOf(sizes, shards, () => Math.floor(random() * shards))
}

/** By a table: the largest first, each to the shard that has the least (Graham, 1969). */
export const byTable = (sizes: Float64Array, shards: number): Spread =>
  spreadOf(sizes, shards, (loads) => loads.indexOf(Math.min(...loads)))

function spreadOf(sizes: Float64Array, shards: number, choose: (loads: number[]) => number): Spread {
  const loads = new Array<number>(shards).fill(0)
  for (const size of sizes) {
    const shard = choose(loads)
    loads[shard] = (loads[shard] ?? 0) + size
  }
  const fullest = Math.max(...loads)
  const mean = loads.reduce((sum, load) => sum + load, 0) / shards
  return { fullest, skew: fullest / mean }
}
