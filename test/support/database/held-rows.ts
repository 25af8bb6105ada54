import type { Plane } from '../../../src/model/unit.ts'
import type { IndexedUnit } from '../../../src/ports/indexes/index-filter.ts'
import type { IndexSink } from '../../../src/ports/indexes/index-sink.ts'
import { indexedUnit } from '../../contract/index-fixtures.ts'

/**
 * The outcome of one request. `done`: applied. `refused`: an error. `lost`: the request does not arrive. `unanswered`:
 * it is applied, but the answer is lost. `late`: the caller gives up, and the request is applied later. `repeated`: it
 * succeeds, and is applied a second time later. `killed`: its process ends, and the request is applied later.
 */
export type Outcome = 'done' | 'refused' | 'lost' | 'unanswered' | 'late' | 'repeated' | 'killed'

/** An engine that several feeds write to. It applies writes in the order of arrival. */
export interface HeldRows extends IndexSink {
  rows(namespaceId: string): Map<string, IndexedUnit>
  /** New writes wait from now on; the returned function releases them. */
  hold(): () => void
  failing: boolean
  /** Outcomes of the next requests, one per Unit of a write; later requests are `done`. */
  outcomes: Outcome[]
  /** The number of killed processes; `nextKill` resolves at the next kill. */
  kills: number
  nextKill(): Promise<void>
  /** Applies the late requests now, in the order in which they were sent. */
  arrive(): void
}

type Rows = Map<string, IndexedUnit>

export function createHeldRows(): HeldRows {
  const namespaces = new Map<string, Rows>()
  let late: (() => void)[] = []
  let kill = Promise.withResolvers<void>()
  const rows = (namespaceId: string) => {
    const held = namespaces.get(namespaceId) ?? new Map<string, IndexedUnit>()
    namespaces.set(namespaceId, held)
    return held
  }
  const seqs = (units: Iterable<IndexedUnit>) => new Map([...units].map(({ unitId, seq }) => [unitId, seq]))
  let gate: Promise<void> | null = null

  async function request(outcome: Outcome, apply: () => void, unsettled: () => void): Promise<void> {
    if (outcome === 'refused') throw new Error('the engine is busy')
    if (outcome === 'late' || outcome === 'repeated' || outcome === 'killed') late.push(apply)
    if (outcome === 'killed') {
      engine.kills += 1
      kill.resolve()
      kill = Promise.withResolvers()
      return new Promise(() => {})
    }
    if (outcome !== 'done') unsettled()
    if (outcome === 'done' || outcome === 'unanswered' || outcome === 'repeated') apply()
    if (outcome !== 'done' && outcome !== 'repeated') throw new Error('the engine does not answer')
  }

  const engine: HeldRows = {
    rows,
    failing: false,
    outcomes: [],
    kills: 0,
    nextKill: () => kill.promise,
    arrive: () => {
      for (const apply of late) apply()
      late = []
    },
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return () => {
        gate = null
        resolve()
      }
    },
    identity: async () => 'rows',
    write: async (namespaceId, { puts, removals }, { signal, unsettled }) => {
      await gate
      if (engine.failing) throw new Error('the engine takes nothing')
      const requests = [
        ...puts.map((unit) => () => void rows(namespaceId).set(unit.unitId, unit)),
        ...removals.map(
          ({ unitId }) =>
            () =>
              void rows(namespaceId).delete(unitId),
        ),
      ]
      for (const apply of requests) {
        signal.throwIfAborted()
        await request(engine.outcomes.shift() ?? 'done', apply, unsettled)
      }
    },
    changeReaders: async (namespaceId, changes, { signal, unsettled }) => {
      for (const { unitId, seq, acl, updatedAt, plane } of changes) {
        signal.throwIfAborted()
        const apply = () => {
          const row = rows(namespaceId).get(unitId) ?? indexedUnit(unitId, seq, { plane, text: null })
          rows(namespaceId).set(unitId, { ...row, seq, acl, updatedAt })
        }
        await request(engine.outcomes.shift() ?? 'done', apply, unsettled)
      }
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
