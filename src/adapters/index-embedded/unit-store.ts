import type { Plane } from '../../model/unit.ts'
import type { IndexChange, IndexedUnit, UnitIndex } from '../../ports/index-filter.ts'

/** The rows of one (namespace, plane). */
export interface Shard {
  /** Adds the Unit or replaces what is held of it. Throws before it changes anything. */
  put(unit: IndexedUnit): void
  remove(unitId: string): void
  /** unitId -> seq. */
  manifest(): ReadonlyMap<string, number>
}

interface Held<S> {
  cursor: number
  shards: Map<Plane, S>
  /** Removals are remembered too (`plane` null): else an older put that is delivered late would bring the Unit back. */
  latest: Map<string, { seq: number; plane: Plane | null }>
}

/** What both embedded indexes do alike: take changes in, once each, and keep them by namespace and plane. */
export class UnitStore<S extends Shard> implements UnitIndex {
  readonly engine = 'embedded'
  readonly #namespaces = new Map<string, Held<S>>()
  readonly #createShard: () => S

  constructor(createShard: () => S) {
    this.#createShard = createShard
  }

  async cursor(namespaceId: string): Promise<number> {
    return this.#namespaces.get(namespaceId)?.cursor ?? 0
  }

  async apply(namespaceId: string, changes: readonly IndexChange[], upTo: number): Promise<void> {
    const held = this.#held(namespaceId)
    for (const change of changes) if (seqOf(change) > held.cursor) this.#take(held, change)
    // Last, so that a batch that fails halfway is delivered again.
    held.cursor = Math.max(held.cursor, upTo)
  }

  async repair(namespaceId: string, changes: readonly IndexChange[]): Promise<void> {
    const held = this.#held(namespaceId)
    for (const change of changes) this.#take(held, change)
  }

  async manifest(namespaceId: string, plane: Plane): Promise<ReadonlyMap<string, number>> {
    return this.shard(namespaceId, plane)?.manifest() ?? new Map()
  }

  async ping(): Promise<void> {}

  protected shard(namespaceId: string, plane: Plane): S | undefined {
    return this.#namespaces.get(namespaceId)?.shards.get(plane)
  }

  #held(namespaceId: string): Held<S> {
    const held = this.#namespaces.get(namespaceId) ?? { cursor: 0, shards: new Map(), latest: new Map() }
    this.#namespaces.set(namespaceId, held)
    return held
  }

  #take(held: Held<S>, change: IndexChange): void {
    const unitId = change.kind === 'put' ? change.unit.unitId : change.unitId
    const plane = change.kind === 'put' ? change.unit.plane : null
    const seq = seqOf(change)
    const known = held.latest.get(unitId)
    if (known !== undefined && known.seq > seq) return
    if (change.kind === 'put') {
      const shard = held.shards.get(change.unit.plane) ?? this.#createShard()
      held.shards.set(change.unit.plane, shard)
      shard.put(change.unit)
    }
    if (known?.plane != null && known.plane !== plane) held.shards.get(known.plane)?.remove(unitId)
    held.latest.set(unitId, { seq, plane })
  }
}

const seqOf = (change: IndexChange): number => (change.kind === 'put' ? change.unit.seq : change.seq)
