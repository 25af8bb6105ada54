import type { Plane } from '../../../../model/unit.ts'
import type { ChangingModel, ModelChange, ModelChangeReader } from '../../../../ports/catalog/model-changes.ts'
import { bigint, bool, integer, orNull, type Row, text } from '../../database/columns.ts'
import { type Db, toNumber } from '../../database/db.ts'
import { Prisma } from '../../generated/client.ts'
import { select } from '../select.ts'

const modelColumns = { namespace_id: text, model: text, serving: bool, change_since: orNull(bigint) }

/** Whether `u` has a vector of a model. */
export const hasVectorOf = (model: string): Prisma.Sql => Prisma.sql`
  EXISTS (SELECT FROM unit_vector t WHERE t.namespace_id = u.namespace_id AND t.unit_id = u.unit_id
    AND t.model = ${model})`

/** Whether the vector `v` of `u`, not of `target`, is no longer needed; see `ModelChangeReader.superseded`. */
export const isSuperseded = (target: string): Prisma.Sql => Prisma.sql`
  (${hasVectorOf(target)} OR (u.state = 'tombstoned' AND u.text IS NOT NULL))`

/** Namespaces whose plane has a model besides these two. By ranges of an index: almost all have no other. */
const changing = (plane: Plane, target: string): Prisma.Sql => {
  const [low, high] = [Prisma.sql`least('own', ${target}::text)`, Prisma.sql`greatest('own', ${target}::text)`]
  const within = (range: Prisma.Sql) =>
    Prisma.sql`SELECT o.namespace_id FROM plane_model o WHERE o.plane = ${plane} AND ${range}`
  const ranges = [
    Prisma.sql`o.model < ${low}`,
    Prisma.sql`o.model > ${low} AND o.model < ${high}`,
    Prisma.sql`o.model > ${high}`,
  ]
  return Prisma.join(ranges.map(within), ' UNION ')
}

const withVector = ({ namespaceId, plane, from }: ModelChange): Prisma.Sql => Prisma.sql`
  unit_vector v JOIN unit u ON u.namespace_id = v.namespace_id AND u.unit_id = v.unit_id AND u.plane = ${plane}
  WHERE v.namespace_id = ${namespaceId} AND v.model = ${from}`

export function createModelChangeReader(db: Db): ModelChangeReader {
  return {
    planes: async (plane, target) => {
      const rows = await select(db, modelColumns)`
        WITH changing AS MATERIALIZED (${changing(plane, target)})
        SELECT m.namespace_id, m.model, m.serving, m.change_since
        FROM changing c JOIN plane_model m ON m.namespace_id = c.namespace_id AND m.plane = ${plane} AND m.model <> 'own'
        JOIN namespace n ON n.id = m.namespace_id AND n.deleted_at IS NULL
        ORDER BY m.namespace_id, m.model`
      const byNamespace = Map.groupBy(rows, (row) => row.namespace_id)
      return [...byNamespace].map(([namespaceId, group]) => ({ namespaceId, plane, models: group.map(toModel) }))
    },

    outdated: async (change, after, limit) => {
      const rows = await select(db, { unit_id: text, seq: bigint, text: text })`
        SELECT u.unit_id, u.seq, u.text FROM ${withVector(change)} AND v.unit_id > ${after}
          AND u.state = 'live' AND u.text IS NOT NULL AND NOT ${hasVectorOf(change.target)}
        ORDER BY v.unit_id LIMIT ${limit}`
      return rows.map(({ unit_id, seq, text }) => ({ unitId: unit_id, seq: toNumber(seq), text }))
    },

    superseded: async (change, limit) => {
      const rows = await select(db, { unit_id: text })`
        SELECT u.unit_id FROM ${withVector(change)} AND ${isSuperseded(change.target)}
        ORDER BY v.unit_id LIMIT ${limit}`
      return rows.map((row) => row.unit_id)
    },

    progress: async (namespaceId, plane, target, seq) => {
      const [row] = await select(db, { done: integer, remaining: integer, since: orNull(bigint) })`
        SELECT
          (SELECT count(*)::int FROM ${withVector({ namespaceId, plane, from: target, target })}
            AND u.state = 'live') AS done,
          (SELECT count(DISTINCT u.unit_id)::int
            FROM unit_vector v JOIN unit u ON u.namespace_id = v.namespace_id AND u.unit_id = v.unit_id
            WHERE v.namespace_id = ${namespaceId} AND v.model <> 'own' AND v.model <> ${target} AND u.plane = ${plane}
              AND u.state = 'live' AND u.text IS NOT NULL AND u.seq <= ${seq} AND NOT ${hasVectorOf(target)}) AS remaining,
          (SELECT change_since FROM plane_model
            WHERE namespace_id = ${namespaceId} AND plane = ${plane} AND model = ${target}) AS since`
      const since = row?.since ?? null
      return { done: row?.done ?? 0, left: row?.remaining ?? 0, since: since === null ? null : toNumber(since) }
    },
  }
}

function toModel({ model, serving, change_since: since }: Row<typeof modelColumns>): ChangingModel {
  return { model, serving, since: since === null ? null : toNumber(since) }
}
