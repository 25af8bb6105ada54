import type { Load } from '../model/telemetry.ts'
import { planes } from '../model/unit.ts'
import type { Anchoring } from './audit/anchoring.ts'
import type { LogAges } from './audit/log-ages.ts'
import type { RecordQueue } from './audit/record-queue.ts'
import type { Bindings } from './bindings/bindings.ts'
import type { Indexer } from './indexing/indexer.ts'

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
