import { auditEntry } from '../../model/audit-entry.ts'
import type { NamespaceWriter } from '../../ports/catalog.ts'
import type { BackgroundTask } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & { indexer: Indexer }

const batchSize = 500

/** Purges the Units of deleted scopes, and of deleted namespaces: nobody can restore them. Then their documents go. */
export function eraseScopes({ catalog, clock, random, indexer }: Deps): BackgroundTask {
  const eraseBatch = async (tx: NamespaceWriter) => {
    const now = clock.now()
    const unitIds = await tx.scopes.unerasedUnits(batchSize, now)
    if (unitIds.length === 0) return 0
    await tx.units.purge(unitIds, now)
    await tx.audit(
      auditEntry({ principalId: 'system', requestId: random.id('sweep') }, now, 'scope.sweep', null, {
        ...{ units: unitIds.length, seq: tx.seq() },
        purged: true,
      }),
    )
    return unitIds.length
  }
  return {
    name: 'erase deleted scopes',
    run: async (stopping) => {
      for (const namespaceId of await catalog.changes.unerasedScopes()) {
        while (!stopping.aborted && (await catalog.transact(namespaceId, eraseBatch, { orDeleted: true })) > 0)
          indexer.notify(namespaceId)
      }
      return 0
    },
  }
}
