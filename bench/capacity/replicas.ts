import { LRUCache } from 'lru-cache'
import { below, randomOf } from '../search/random.ts'

export interface Replicas {
  count: number
  /** INDEX_MEMORY_MB of each, in bytes. */
  memory: number
  /** `any`: the load balancer takes turns; `sticky`: it sends a tenant to the same replica each time. */
  routing: 'any' | 'sticky'
}

export interface Served {
  /** Share of the searches whose namespace was in memory already. */
  warm: number
  /** Share of the searches whose namespace is larger than the memory of a replica. */
  tooLarge: number
  /** Bytes that are read from snapshots, per search. */
  loadedPerSearch: number
}

/** Searches to begin with are not counted: the memory is empty. */
const warmUp = 0.5

/**
 * Replicas that keep the indexes of the namespaces that were searched last, as the embedded index does. Tenants are
 * searched in proportion to their size.
 */
export function simulateReplicas(
  sizes: Float64Array,
  bytesPerUnit: number,
  { count, memory, routing }: Replicas,
  { searches, seed }: { searches: number; seed: number },
): Served {
  const random = randomOf(seed, count, memory)
  const cumulative = new Float64Array(sizes.length)
  let total = 0
  for (const [i, size] of sizes.entries()) {
    total += size
    cumulative[i] = total
  }
  const held = Array.from({ length: count }, () => new LRUCache<number, number>({ maxSize: Math.floor(memory) }))
  const seen = { all: 0, warm: 0, tooLarge: 0, loaded: 0 }
  for (let i = 0; i < searches; i += 1) {
    const tenant = tenantAt(cumulative, random() * total)
    const replica = held[routing === 'sticky' ? tenant % count : below(random, count)]
    const bytes = Math.max(1, Math.ceil((sizes[tenant] ?? 0) * bytesPerUnit))
    const isWarm = replica?.get(tenant) !== undefined
    // What is larger than the whole memory is not taken in.
    if (!isWarm) replica?.set(tenant, bytes, { size: bytes })
    if (i < searches * warmUp) continue
    seen.all += 1
    if (isWarm) seen.warm += 1
    else seen.loaded += bytes
    if (bytes > memory) seen.tooLarge += 1
  }
  return { warm: seen.warm / seen.all, tooLarge: seen.tooLarge / seen.all, loadedPerSearch: seen.loaded / seen.all }
}

/** The first tenant whose cumulative size is above the point. */
function tenantAt(cumulative: Float64Array, point: number): number {
  let [low, high] = [0, cumulative.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cumulative[middle] ?? 0) > point) high = middle
    else low = middle + 1
  }
  return low
}
