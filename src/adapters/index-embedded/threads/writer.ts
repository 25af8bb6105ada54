import { type Plane, planes } from '../../../model/unit.ts'
import type { IndexChange, PlaneContent } from '../../../ports/indexes/index-filter.ts'
import { changeReaders, compact, type LeftOut, putUnit, removeUnit, seqHeld, seqOfRow } from '../shard/put-unit.ts'
import { contentOf, Shard } from '../shard/shard.ts'
import { readSnapshot, removeSnapshot, writeSnapshot } from '../shard/snapshot.ts'
import type { Applied, Place, Published } from './messages.ts'
import type { Released } from './released.ts'

/** Below this number of rows, dead rows do not matter. */
const fewRows = 64

/** The thread's growing shards. Calls for one namespace must not overlap; the host ensures that. */
export class Writer {
  readonly #directory: string
  readonly #shards: Map<string, Shard>
  readonly #released: Released
  readonly #cursors = new Map<string, number>()

  constructor(directory: string, shards: Map<string, Shard>, released: Released) {
    this.#directory = directory
    this.#shards = shards
    this.#released = released
  }

  async load(namespaceId: string): Promise<Published & { damage: string | null }> {
    const { shard, cursor, damage } = await readSnapshot(this.#directory, namespaceId)
    return { ...this.#publish(namespaceId, shard, cursor), damage }
  }

  apply(namespaceId: string, changes: readonly IndexChange[], place: Place | null): Applied | null {
    const shard = this.#shard(namespaceId)
    const cursor = this.#cursors.get(namespaceId) ?? 0
    if (place !== null && cursor < place.after) return null
    const partial: Applied['partial'] = []
    const due = changes.filter(
      (change) => (place === null || seqOf(change) > cursor) && seqHeld(shard, unitOf(change)) <= seqOf(change),
    )
    for (const change of due) {
      const without = take(shard, change)
      if (without.length > 0) partial.push({ unitId: unitOf(change), without })
    }
    this.#released.add(
      changeReaders(
        shard,
        due.filter((change) => change.kind === 'readers'),
      ),
    )
    // Publishes last, so that a batch that fails halfway is delivered again.
    const grown = mostlyDead(shard) ? compact(shard) : shard
    return { ...this.#publish(namespaceId, grown, Math.max(cursor, place?.upTo ?? 0)), partial }
  }

  manifest(namespaceId: string, plane: Plane): ReadonlyMap<string, number> {
    return this.#shard(namespaceId).manifest(planes.indexOf(plane))
  }

  /** By place, the seq of a Unit, 0 for one without a row; ids are joined by NUL. */
  held(namespaceId: string, unitIds: string): Float64Array {
    const shard = this.#shard(namespaceId)
    return Float64Array.from(unitIds.split('\0'), (unitId) => seqOfRow(shard, unitId))
  }

  content(): ReadonlyMap<Plane, PlaneContent> {
    const sums = planes.map((): PlaneContent => ({ units: 0, bytes: 0 }))
    for (const shard of this.#shards.values()) {
      for (const [i, { units, bytes }] of contentOf(shard).entries()) {
        const sum = sums[i]
        if (sum) Object.assign(sum, { units: sum.units + units, bytes: sum.bytes + bytes })
      }
    }
    return new Map(planes.map((plane, i) => [plane, sums[i] ?? { units: 0, bytes: 0 }]))
  }

  async save(namespaceId: string): Promise<Published> {
    const held = this.#shard(namespaceId)
    const shard = holdsMoreThanLives(held) ? compact(held) : held
    const cursor = this.#cursors.get(namespaceId) ?? 0
    await writeSnapshot(this.#directory, namespaceId, shard, cursor)
    return this.#publish(namespaceId, shard, cursor)
  }

  async reset(namespaceId: string): Promise<Published> {
    await removeSnapshot(this.#directory, namespaceId)
    return this.#publish(namespaceId, new Shard(), 0)
  }

  #shard(namespaceId: string): Shard {
    const shard = this.#shards.get(namespaceId)
    if (shard === undefined) throw new Error(`the namespace ${namespaceId} is not loaded`)
    return shard
  }

  #publish(namespaceId: string, shard: Shard, cursor: number): Published {
    const older = this.#shards.get(namespaceId)
    if (older && older !== shard) this.#released.add(older.bytes)
    this.#shards.set(namespaceId, shard)
    this.#cursors.set(namespaceId, cursor)
    return { cursor, bytes: shard.bytes, state: shard.state }
  }
}

function take(shard: Shard, change: IndexChange): LeftOut[] {
  if (change.kind === 'put') return putUnit(shard, change.unit)
  if (change.kind === 'remove') removeUnit(shard, change.unitId, change.seq)
  return []
}

const mostlyDead = (shard: Shard) => shard.rowCount > fewRows && 2 * shard.deadRows > shard.rowCount

/** Dead rows, or ids of removed Units that never had a row. */
const holdsMoreThanLives = (shard: Shard) => shard.deadRows > 0 || shard.unitIds.size > shard.rowCount

const unitOf = (change: IndexChange): string => (change.kind === 'put' ? change.unit : change).unitId
const seqOf = (change: IndexChange): number => (change.kind === 'put' ? change.unit.seq : change.seq)
