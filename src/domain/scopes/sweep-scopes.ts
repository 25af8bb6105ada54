import { auditEntry } from '../../model/audit-entry.ts'
import type { NamespaceWriter } from '../../ports/catalog.ts'
import type { BackgroundTask } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random' | 'telemetry'> & { indexer: Indexer }

const batchSize = 500

/** Tombstones the Units left in deleted scopes, including those of deleted namespaces, in short transactions. */
export function sweepScopes({ catalog, clock, random, telemetry, indexer }: Deps): BackgroundTask {
  const sweepBatch = async (tx: NamespaceWriter) => {
    const now = clock.now()
    const unitIds = await tx.scopes.unsweptUnits(batchSize, now)
    if (unitIds.length === 0) return
    await tx.units.tombstone(unitIds, now)
    await tx.audit(
      auditEntry({ principalId: 'system', requestId: random.id('sweep') }, now, 'scope.sweep', null, {
        units: unitIds.length,
        seq: tx.seq(),
      }),
    )
  }
  return {
    name: 'sweep scopes',
    run: async () => {
      const namespaces = await catalog.changes.unswept()
      telemetry.queued('sweep', namespaces.length)
      for (const namespaceId of namespaces) {
        await catalog.transact(namespaceId, sweepBatch, { orDeleted: true })
        indexer.notify(namespaceId)
      }
      return namespaces.length
    },
  }
}
