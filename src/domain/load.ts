import { type Plane, planes } from '../model/unit.ts'
import type { PlaneContent } from '../ports/indexes/index-filter.ts'
import type { Anchoring } from './audit/anchoring.ts'
import type { LogAges } from './audit/log-ages.ts'
import type { RecordQueue } from './audit/record-queue.ts'
import type { Bindings } from './bindings/bindings.ts'
import type { Indexer } from './indexing/indexer.ts'

/** What waits in this process, and what its indexes hold. */
export interface Load {
  /** Known without asking anything. */
  now(): {
    /** Namespaces that are being indexed. */
    indexing: number
    auditRows: number
    /** See `LogAges.oldest`. */
    checkpointAgeMs: number
    anchorIsBehind: boolean
    connections: { busy: number; idle: number; waiting: number } | null
  }
  /** Changes that the indexes lack, by plane. Asks the catalog about namespaces that are being indexed, at most 16. */
  pending(): Promise<ReadonlyMap<Plane, { changes: number; lagMs: number }>>
  /** Null where the engines are elsewhere. */
  content(): Promise<ReadonlyMap<Plane, PlaneContent> | null>
  /** Lookups at the payment provider that wait, counted up to 1,000. */
  billingEvents(): Promise<number>
}

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'clock'> & {
  indexer: Indexer
  anchoring: Anchoring
  records: RecordQueue
  logAges: LogAges
}

const maxNamespaces = 16
const maxEvents = 1000

export function createLoad({ catalog, vectors, texts, clock, indexer, anchoring, records, logAges }: Deps): Load {
  return {
    now: () => ({
      indexing: indexer.atWork().length,
      auditRows: records.length(),
      checkpointAgeMs: logAges.oldest(),
      anchorIsBehind: anchoring.isBehind(),
      connections: catalog.connections?.() ?? null,
    }),
    pending: async () => {
      const sums = new Map(planes.map((plane) => [plane, { changes: 0, lagMs: 0 }]))
      for (const namespaceId of indexer.atWork().slice(0, maxNamespaces)) {
        const cursor = await indexer.cursor(namespaceId)
        for (const [plane, { changes, oldest }] of await catalog.changes.pending(namespaceId, cursor)) {
          const sum = sums.get(plane)
          if (sum === undefined) continue
          sum.changes += changes
          sum.lagMs = Math.max(sum.lagMs, clock.now() - oldest)
        }
      }
      return sums
    },
    content: async () => (await (vectors.content ?? texts.content)?.()) ?? null,
    billingEvents: () => catalog.billing.waiting(maxEvents),
  }
}
