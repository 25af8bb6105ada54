import type { Plane } from '../../../../model/unit.ts'
import type { ModelChangeWriter } from '../../../../ports/catalog/model-changes.ts'
import { integer, text } from '../../database/columns.ts'
import { asJson, type Db, toNumber } from '../../database/db.ts'
import type { Head } from '../head.ts'
import { select } from '../select.ts'
import { recount } from './counters.ts'
import { hasVectorOf, isSuperseded } from './model-changes.ts'
import { counted, deleteVectors, insertVectors } from './put-units.ts'

export function createModelChangeWriter(db: Db, head: Head): ModelChangeWriter {
  const namespaceId = head.namespace.id
  return {
    begin: async (plane, target, dims, now) => {
      await fixDims(db, namespaceId, plane, target, dims)
      await db.planeModel.updateMany({
        where: { namespaceId, plane, model: target, changeSince: null },
        data: { changeSince: now },
      })
    },

    embed: async (plane, target, units) => {
      const current = await unchanged(db, namespaceId, units)
      const embedded = current.flatMap(({ unitId, values }) =>
        values ? [{ unitId, vector: { model: target, values } }] : [],
      )
      const empty = current.filter(({ values }) => values === null).map(({ unitId }) => unitId)
      await stamp(
        db,
        head,
        current.map(({ unitId }) => unitId),
      )
      if (embedded.length > 0) {
        // There is room for one vector next to the one that searches use: the vector of an abandoned change is
        // replaced.
        await db.$executeRaw`
          DELETE FROM unit_vector v WHERE v.namespace_id = ${namespaceId}
            AND v.unit_id = ANY(${embedded.map(({ unitId }) => unitId)}::text[])
            AND NOT EXISTS (SELECT FROM plane_model m WHERE m.namespace_id = v.namespace_id AND m.plane = ${plane}
              AND m.model = v.model AND m.serving)`
        await insertVectors(db, namespaceId, embedded)
      }
      if (empty.length > 0) await takeVectors(db, head, empty)
      return current.length
    },

    serve: async (plane, target) => {
      const others = { namespaceId, plane, model: { not: 'own' } }
      const begun = await db.planeModel.updateMany({
        where: { ...others, serving: false, AND: { model: target } },
        data: { serving: true },
      })
      const ended = await db.planeModel.updateMany({
        where: { ...others, serving: true, NOT: { model: target } },
        data: { serving: false },
      })
      return begun.count + ended.count > 0
    },

    remove: async (plane, target, unitIds) => {
      const rows = await select(db, { unit_id: text, state: text })`
        DELETE FROM unit_vector v USING unit u
        WHERE v.namespace_id = ${namespaceId} AND v.unit_id = ANY(${[...unitIds]}::text[]) AND v.model <> 'own'
          AND v.model <> ${target} AND u.namespace_id = v.namespace_id AND u.unit_id = v.unit_id
          AND u.plane = ${plane} AND ${isSuperseded(target)}
        RETURNING v.unit_id, u.state`
      const of = (state: string) => [...new Set(rows.filter((row) => row.state === state).map((row) => row.unit_id))]
      await stamp(db, head, of('live'))
      await db.$executeRaw`
        UPDATE unit AS u SET has_vector = false, embed_pending = true
        WHERE u.namespace_id = ${namespaceId} AND u.unit_id = ANY(${of('tombstoned')}::text[])
          AND NOT ${hasVectorOf(target)}`
      return new Set(rows.map((row) => row.unit_id)).size
    },

    end: async (plane, target) => {
      await db.$executeRaw`
        DELETE FROM plane_model m WHERE m.namespace_id = ${namespaceId} AND m.plane = ${plane} AND m.model <> 'own'
          AND m.model <> ${target} AND NOT EXISTS (
            SELECT FROM unit_vector v JOIN unit u ON u.namespace_id = v.namespace_id AND u.unit_id = v.unit_id
            WHERE v.namespace_id = m.namespace_id AND v.model = m.model AND u.plane = m.plane)`
      await db.planeModel.updateMany({
        where: { namespaceId, plane, changeSince: { not: null } },
        data: { changeSince: null },
      })
    },
  }
}

/** See `NamespaceWriter.fixDims`. While another model serves the plane's searches, a new one does not. */
export async function fixDims(db: Db, namespaceId: string, plane: Plane, model: string, dims: number): Promise<number> {
  const [row] = await select(db, { dims: integer })`
    WITH first AS (
      INSERT INTO plane_model (namespace_id, plane, model, dims, serving)
      SELECT ${namespaceId}, ${plane}, ${model}, ${dims}, ${model} = 'own' OR NOT EXISTS (SELECT FROM plane_model
        WHERE namespace_id = ${namespaceId} AND plane = ${plane} AND model <> 'own' AND serving)
      ON CONFLICT DO NOTHING RETURNING dims)
    SELECT dims FROM first UNION ALL
    SELECT dims FROM plane_model WHERE namespace_id = ${namespaceId} AND plane = ${plane} AND model = ${model}`
  return row?.dims ?? dims
}

type Embedded = Parameters<ModelChangeWriter['embed']>[2][number]

/** Those that are live and unchanged since they were read. */
async function unchanged(db: Db, namespaceId: string, units: readonly Embedded[]): Promise<Embedded[]> {
  const rows = await db.unit.findMany({
    where: { namespaceId, state: 'live', unitId: { in: units.map(({ unitId }) => unitId) } },
    select: { unitId: true, seq: true },
  })
  const seqs = new Map(rows.map((row) => [row.unitId, toNumber(row.seq)]))
  return units.filter(({ unitId, seq }) => seqs.get(unitId) === seq)
}

/** Gives Units the next seqs, so that the indexes read them again. */
export async function stamp(db: Db, head: Head, unitIds: readonly string[]): Promise<void> {
  const records = unitIds.map((unit_id, i) => ({ unit_id, seq: head.seq + 1 + i }))
  head.seq += unitIds.length
  await db.$executeRaw`
    UPDATE unit SET seq = r.seq FROM json_to_recordset(${asJson(records)}::json) AS r(unit_id text, seq bigint)
    WHERE unit.namespace_id = ${head.namespace.id} AND unit.unit_id = r.unit_id`
}

async function takeVectors(db: Db, head: Head, unitIds: readonly string[]): Promise<void> {
  const namespaceId = head.namespace.id
  const before = await counted(db, namespaceId, unitIds)
  await deleteVectors(db, namespaceId, unitIds)
  await db.unit.updateMany({ where: { namespaceId, unitId: { in: [...unitIds] } }, data: { hasVector: false } })
  await recount(db, head, before, await counted(db, namespaceId, unitIds))
}
