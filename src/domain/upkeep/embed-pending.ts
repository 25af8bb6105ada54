import type { Plane } from '../../model/unit.ts'
import { auditEntry } from '../audit/audit-entry.ts'
import type { Bindings } from '../deps.ts'
import type { Indexer } from '../indexing/indexer.ts'
import type { UpkeepTask } from './upkeep.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'inference' | 'random'> & { indexer: Indexer }

const batchSize = 64
const backoffMs = { first: 1000, most: 60_000 }

/** Embeds Units whose provider failed at ingest, with backoff while it keeps failing. */
export function embedPending(deps: Deps): UpkeepTask {
  let wait = 0
  let notBefore = 0
  return {
    name: 'embed pending Units',
    run: async () => {
      if (deps.clock.now() < notBefore) return 0
      const units = await deps.catalog.changes.unembedded(batchSize)
      try {
        for (const plane of new Set(units.map((unit) => unit.plane))) {
          await embedPlane(
            deps,
            plane,
            units.filter((unit) => unit.plane === plane),
          )
        }
        wait = 0
        return units.length
      } catch (error) {
        wait = Math.min(Math.max(wait * 2, backoffMs.first), backoffMs.most)
        notBefore = deps.clock.now() + wait
        throw error
      }
    },
  }
}

type Unembedded = { namespaceId: string; unitId: string; seq: number; text: string }

async function embedPlane(deps: Deps, plane: Plane, units: readonly Unembedded[]): Promise<void> {
  const { catalog, clock, inference, indexer, random } = deps
  const vectors = await inference.embed(
    plane,
    units.map((unit) => unit.text),
  )
  const model = inference.model(plane)
  for (const [i, { namespaceId, unitId, seq }] of units.entries()) {
    const values = vectors[i]
    await catalog.transact(namespaceId, async (tx) => {
      if (values) await tx.fixDims(plane, model.name, values.length)
      if (!(await tx.units.embed(unitId, seq, values ? { model: model.name, values } : null))) return
      await tx.audit(
        auditEntry({ principalId: 'system', requestId: random.id('embed') }, clock.now(), 'units.embed', unitId, {
          seq: tx.seq(),
        }),
      )
    })
    indexer.notify(namespaceId)
  }
}
