import type { Plane } from '../../src/model/unit.ts'
import type { IndexedUnit } from '../../src/ports/index-filter.ts'
import type { IndexSink } from '../../src/ports/index-sink.ts'

/** An engine that several feeds write to: it takes what it is given, in whatever order that comes. */
export interface HeldRows extends IndexSink {
  rows(namespaceId: string): Map<string, IndexedUnit>
  /** Writes that begin from now on wait until they are let through. */
  hold(): () => void
  failing: boolean
}

export function createHeldRows(): HeldRows {
  const namespaces = new Map<string, Map<string, IndexedUnit>>()
  const rows = (namespaceId: string) => {
    const held = namespaces.get(namespaceId) ?? new Map<string, IndexedUnit>()
    namespaces.set(namespaceId, held)
    return held
  }
  const seqs = (units: Iterable<IndexedUnit>) => new Map([...units].map(({ unitId, seq }) => [unitId, seq]))
  let gate: Promise<void> | null = null
  const engine: HeldRows = {
    rows,
    failing: false,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return () => {
        gate = null
        resolve()
      }
    },
    identity: async () => 'rows',
    write: async (namespaceId, { puts, removals }) => {
      await gate
      if (engine.failing) throw new Error('the engine takes nothing')
      for (const unit of puts) rows(namespaceId).set(unit.unitId, unit)
      for (const { unitId } of removals) rows(namespaceId).delete(unitId)
    },
    held: async (namespaceId, units) => {
      const wanted = new Set(units.map(({ unitId }) => unitId))
      return seqs([...rows(namespaceId).values()].filter(({ unitId }) => wanted.has(unitId)))
    },
    manifest: async (namespaceId: string, plane: Plane) =>
      seqs([...rows(namespaceId).values()].filter((unit) => unit.plane === plane)),
    drop: async (namespaceId) => rows(namespaceId).clear(),
  }
  return engine
}
