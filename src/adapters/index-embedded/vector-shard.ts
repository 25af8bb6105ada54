import type { IndexedUnit, IndexFilter } from '../../ports/index-filter.ts'
import type { VectorQuery } from '../../ports/vector-index.ts'
import { RowTable } from './row-table.ts'
import type { TopK } from './top-k.ts'
import type { Shard } from './unit-store.ts'

interface StoredVector {
  model: string
  values: Float32Array
  /** 1 / its length; 0 for a zero vector, whose cosine thereby is 0. */
  inverseNorm: number
}

export class VectorShard implements Shard {
  // Units without a vector have rows too: the manifest answers for every live Unit.
  readonly #table = new RowTable<StoredVector | null>()

  put(unit: IndexedUnit): void {
    const stored = unit.vector && {
      model: unit.vector.model,
      values: unit.vector.values.slice(),
      inverseNorm: inverseNorm(unit.vector.values),
    }
    this.#table.put(unit, stored)
    if (this.#table.mostlyDead) this.#table.compact()
  }

  remove(unitId: string): void {
    this.#table.remove(unitId)
    if (this.#table.mostlyDead) this.#table.compact()
  }

  manifest(): ReadonlyMap<string, number> {
    return this.#table.manifest()
  }

  /** Offers every visible Unit with a vector of the query's model. */
  search(query: VectorQuery, filter: IndexFilter, scopeIds: readonly string[], best: TopK): void {
    const scale = inverseNorm(query.vector)
    const visible = this.#table.visible(filter, scopeIds)
    this.#table.rows.forEach((row, number) => {
      const stored = row?.payload
      if (visible[number] === 0 || row == null || stored == null || stored.model !== query.model) return
      const cosine = dot(query.vector, stored.values) * scale * stored.inverseNorm
      // Rounding may carry parallel vectors a bit past 1.
      best.offer(row.unitId, Math.max(-1, Math.min(1, cosine)))
    })
  }
}

function inverseNorm(vector: Float32Array): number {
  const squared = dot(vector, vector)
  if (!Number.isFinite(squared)) throw new RangeError('a vector component is not a finite number')
  return squared === 0 ? 0 : 1 / Math.sqrt(squared)
}

/** Summed in four lanes, always in the same order: equal vectors score equal to the bit. */
function dot(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length)
    throw new RangeError(`vectors of ${a.length} and ${b.length} dimensions are not comparable`)
  let [s0, s1, s2, s3] = [0, 0, 0, 0]
  const whole = a.length - (a.length % 4)
  for (let i = 0; i < whole; i += 4) {
    s0 += (a[i] ?? 0) * (b[i] ?? 0)
    s1 += (a[i + 1] ?? 0) * (b[i + 1] ?? 0)
    s2 += (a[i + 2] ?? 0) * (b[i + 2] ?? 0)
    s3 += (a[i + 3] ?? 0) * (b[i + 3] ?? 0)
  }
  for (let i = whole; i < a.length; i++) s0 += (a[i] ?? 0) * (b[i] ?? 0)
  return s0 + s1 + s2 + s3
}
