import { auditEntry } from '../../model/audit.ts'
import type { Session } from '../../model/session.ts'
import type { Plane } from '../../model/unit.ts'
import type { Catalog } from '../../ports/catalog.ts'
import type { IndexChange, IndexFeed } from '../../ports/indexes/index-filter.ts'
import { admit } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { CompactionInput } from './compaction-input.ts'
import { freshness } from './freshness.ts'
import { feedsOf, type Indexer } from './indexer.ts'

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'clock' | 'inference'> & { indexer: Indexer }

export async function compactionStatus(deps: Deps, session: Session) {
  admit(session, 'compaction')
  return { namespace: session.namespace.name, planes: await freshness(deps, session.namespace.id) }
}

/** Reconciles the indexes with the catalog both ways: puts what is missing or outdated, removes what is gone. */
export async function compact(deps: Deps, session: Session, { planes: wanted = session.keyPlanes }: CompactionInput) {
  admit(session, 'compact', { planes: wanted })
  const namespaceId = session.namespace.id
  await deps.indexer.ready(namespaceId)
  const compacted: Awaited<ReturnType<typeof compactPlane>>[] = []
  for (const plane of new Set(wanted)) compacted.push(await compactPlane(deps, namespaceId, plane))
  const seq = await deps.catalog.transact(namespaceId, async (tx) => {
    await tx.audit(
      auditEntry(
        session,
        deps.clock.now(),
        'compaction.run',
        null,
        Object.fromEntries(
          compacted.flatMap((c) => [
            [`${c.plane}_added`, c.added],
            [`${c.plane}_removed`, c.removed],
          ]),
        ),
      ),
    )
    return tx.seq()
  })
  return { planes: compacted, seq }
}

async function compactPlane(deps: Deps, namespaceId: string, plane: Plane) {
  const started = performance.now()
  const { catalog } = deps
  const live = await catalog.changes.manifest(namespaceId, plane)
  const repaired = { added: new Set<string>(), removed: new Set<string>() }
  for (const feed of feedsOf(deps)) {
    const held = await feed.manifest(namespaceId, plane)
    const missing = [...live].filter(([unitId, seq]) => held.get(unitId) !== seq).map(([unitId]) => unitId)
    await putBack(catalog, feed, namespaceId, missing)
    // Read only now, and the catalog last: a Unit that was deleted while it was put back is removed again.
    const holding = await feed.manifest(namespaceId, plane)
    const living = await catalog.changes.manifest(namespaceId, plane)
    const gone = [...holding].filter(([unitId]) => !living.has(unitId))
    await feed.repair(
      namespaceId,
      gone.map(([unitId, seq]) => ({ kind: 'remove', unitId, seq, plane }) satisfies IndexChange),
    )
    for (const unitId of missing) repaired.added.add(unitId)
    for (const [unitId] of gone) repaired.removed.add(unitId)
  }
  const { added, removed } = repaired
  const tookMs = performance.now() - started
  return { plane, added: added.size, removed: removed.size, unchanged: live.size - added.size, tookMs }
}

async function putBack(catalog: Catalog, feed: IndexFeed, namespaceId: string, unitIds: string[]): Promise<void> {
  for (let i = 0; i < unitIds.length; i += 500) {
    await feed.repair(namespaceId, await catalog.changes.of(namespaceId, unitIds.slice(i, i + 500)))
  }
}
