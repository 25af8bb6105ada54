import type { Plane } from '../../../model/unit.ts'

import { bigint, bool, integer, orNull, type Row, text } from '../database/columns.ts'
import { asJson, type Db, toNumber } from '../database/db.ts'
import { Prisma } from '../generated/client.ts'
import type { Head } from './head.ts'
import { deleteVectors, insertVectors } from './put-units.ts'
import { select } from './select.ts'
import { plane } from './unit-columns.ts'
import { counted, recount } from './unit-counters.ts'

/** A plane of a namespace, one model whose vectors it has, and the target model. */
export interface ModelChange {
  namespaceId: string
  plane: Plane
  from: string
  target: string
}

/** A plane that has vectors of a model other than its target model. */
export interface ChangingPlane {
  namespaceId: string
  plane: Plane
  models: ChangingModel[]
}

export interface ChangingModel {
  model: string
  /** Searches use it. */
  serving: boolean
  /** When the change to this model began, epoch ms. */
  since: number | null
}

/** The progress of a model change, in live Units. */
export interface ChangeProgress {
  /** With a vector of the new model. */
  done: number
  /** With a text, and only a vector of another model. */
  left: number
  /** When it began, epoch ms; null before it begins. */
  since: number | null
}

const modelColumns = { namespace_id: text, model: text, serving: bool, change_since: orNull(bigint) }

/** Whether `u` has a vector of a model. */
const hasVectorOf = (model: string): Prisma.Sql => Prisma.sql`
  EXISTS (SELECT FROM unit_vector t WHERE t.namespace_id = u.namespace_id AND t.unit_id = u.unit_id
    AND t.model = ${model})`

/** Whether the vector `v` of `u`, not of `target`, is no longer needed; see `ModelChangeReader.superseded`. */
const isSuperseded = (target: string): Prisma.Sql => Prisma.sql`
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

/** The reads that a change of a plane's model needs. Vectors sent by callers (`own`) are not part of it. */
export function createModelChangeReader(db: Db) {
  return {
    /** The namespaces in which the plane has vectors of models other than the given one. */
    planes: async (plane: Plane, target: string): Promise<ChangingPlane[]> => {
      const rows = await select(db, modelColumns)`
        WITH changing AS MATERIALIZED (${changing(plane, target)})
        SELECT m.namespace_id, m.model, m.serving, m.change_since
        FROM changing c JOIN plane_model m ON m.namespace_id = c.namespace_id AND m.plane = ${plane} AND m.model <> 'own'
        JOIN namespace n ON n.id = m.namespace_id AND n.deleted_at IS NULL
        ORDER BY m.namespace_id, m.model`
      const byNamespace = Map.groupBy(rows, (row) => row.namespace_id)
      return [...byNamespace].map(([namespaceId, group]) => ({ namespaceId, plane, models: group.map(toModel) }))
    },

    /** Live Units with a text and a vector of `from` but none of `target`, by ascending id, after the given one. */
    outdated: async (
      change: ModelChange,
      after: string,
      limit: number,
    ): Promise<{ unitId: string; seq: number; text: string }[]> => {
      const rows = await select(db, { unit_id: text, seq: bigint, text: text })`
        SELECT u.unit_id, u.seq, u.text FROM ${withVector(change)} AND v.unit_id > ${after}
          AND u.state = 'live' AND u.text IS NOT NULL AND NOT ${hasVectorOf(change.target)}
        ORDER BY v.unit_id LIMIT ${limit}`
      return rows.map(({ unit_id, seq, text }) => ({ unitId: unit_id, seq: toNumber(seq), text }))
    },

    /**
     * Units whose vector of `from` is not needed any more: those with one of `target`, and tombstoned ones with a text,
     * which are embedded when they are restored.
     */
    superseded: async (change: ModelChange, limit: number): Promise<string[]> => {
      const rows = await select(db, { unit_id: text })`
        SELECT u.unit_id FROM ${withVector(change)} AND ${isSuperseded(change.target)}
        ORDER BY v.unit_id LIMIT ${limit}`
      return rows.map((row) => row.unit_id)
    },

    /** Counts Units up to a seq. */
    progress: async (namespaceId: string, plane: Plane, target: string, seq: number): Promise<ChangeProgress> => {
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

/** The writes of such a change, under the head row. All can be repeated. */
export function createModelChangeWriter(db: Db, head: Head) {
  const namespaceId = head.namespace.id
  return {
    /** Records the start time; only the first call does. */
    begin: async (plane: Plane, target: string, dims: number, now: number) => {
      await fixDims(db, namespaceId, plane, target, dims)
      await db.planeModel.updateMany({
        where: { namespaceId, plane, model: target, changeSince: null },
        data: { changeSince: now },
      })
    },

    /**
     * Adds vectors of `target` next to those that searches use, under the next seqs, if a Unit has not changed since
     * `seq`. A Unit with nothing to embed loses its vector. Returns the number of changed Units.
     */
    embed: async (
      plane: Plane,
      target: string,
      units: readonly { unitId: string; seq: number; values: Float32Array | null }[],
    ) => {
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

    /**
     * From now on searches use `target`, and Units without a vector, whose texts the model before did not understand, wait for
     * one; false if searches already did.
     */
    serve: async (plane: Plane, target: string) => {
      const others = { namespaceId, plane, model: { not: 'own' } }
      const begun = await db.planeModel.updateMany({
        where: { ...others, serving: false, AND: { model: target } },
        data: { serving: true },
      })
      const ended = await db.planeModel.updateMany({
        where: { ...others, serving: true, NOT: { model: target } },
        data: { serving: false },
      })
      if (begun.count + ended.count === 0) return false
      await db.$executeRaw`
        UPDATE unit SET embed_pending = true
        WHERE namespace_id = ${namespaceId} AND plane = ${plane} AND NOT has_vector AND state <> 'purged' AND ${isEmbeddable}`
      return true
    },

    /** Removes what `superseded` found, if it is still superseded, under the next seqs; returns the number of Units. */
    remove: async (plane: Plane, target: string, unitIds: readonly string[]) => {
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

    /** Ends the change: removes models that have no vectors left. */
    end: async (plane: Plane, target: string) => {
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
async function stamp(db: Db, head: Head, unitIds: readonly string[]): Promise<void> {
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

/** Units changed by one statement. */
const resetAtOnce = 1000

/**
 * Takes their own vectors from all Units of a plane, the live ones under the next seqs, so that a model embeds them again.
 * Returns the number of live ones.
 */
export async function resetOwnVectors(db: Db, head: Head, plane: Plane): Promise<number> {
  const namespaceId = head.namespace.id
  const rows = await select(db, { unit_id: text, state: text })`
    SELECT u.unit_id, u.state FROM unit_vector v
    JOIN unit u ON u.namespace_id = v.namespace_id AND u.unit_id = v.unit_id AND u.plane = ${plane}
    WHERE v.namespace_id = ${namespaceId} AND v.model = 'own' ORDER BY v.unit_id`
  const live = rows.filter(({ state }) => state === 'live').map((row) => row.unit_id)
  for (let i = 0; i < rows.length; i += resetAtOnce) {
    const run = rows.slice(i, i + resetAtOnce).map((row) => row.unit_id)
    const before = await counted(db, namespaceId, run)
    await takeOwnVectors(db, namespaceId, run)
    await recount(db, head, before, await counted(db, namespaceId, run))
  }
  for (let i = 0; i < live.length; i += resetAtOnce) await stamp(db, head, live.slice(i, i + resetAtOnce))
  await db.planeModel.deleteMany({ where: { namespaceId, plane, model: 'own' } })
  return live.length
}

/**
 * Before Units are restored: the first own vector of a plane fixes its dimensions again, and those of other dimensions,
 * which could not be compared any more, are dropped.
 */
export async function fitOwnVectors(db: Db, namespaceId: string, unitIds: readonly string[]): Promise<void> {
  const rows = await select(db, { unit_id: text, plane, dims: integer })`
    SELECT u.unit_id, u.plane, octet_length(v.vector) / 4 AS dims FROM unit u
    JOIN unit_vector v ON v.namespace_id = u.namespace_id AND v.unit_id = u.unit_id AND v.model = 'own'
    WHERE u.namespace_id = ${namespaceId} AND u.unit_id = ANY(${[...unitIds]}::text[]) AND u.state = 'tombstoned'
    ORDER BY u.seq`
  const fixed = new Map<Plane, number>()
  const others: string[] = []
  for (const { unit_id, plane, dims } of rows) {
    const known = fixed.get(plane) ?? (await fixDims(db, namespaceId, plane, 'own', dims))
    fixed.set(plane, known)
    if (dims !== known) others.push(unit_id)
  }
  if (others.length > 0) await takeOwnVectors(db, namespaceId, others)
}

/** Their text waits for an embedding. With another hash, the same vector counts as a change when it is sent again. */
async function takeOwnVectors(db: Db, namespaceId: string, unitIds: readonly string[]): Promise<void> {
  const ids = [...unitIds]
  await db.unitVector.deleteMany({ where: { namespaceId, model: 'own', unitId: { in: ids } } })
  await db.$executeRaw`
    UPDATE unit SET has_vector = false, embed_pending = ${isEmbeddable}, content_hash = 'reset-' || content_hash
    WHERE namespace_id = ${namespaceId} AND unit_id = ANY(${ids}::text[])`
}

const isEmbeddable = Prisma.sql`coalesce(text, '') <> ''`

export type ModelChangeReader = ReturnType<typeof createModelChangeReader>
export type ModelChangeWriter = ReturnType<typeof createModelChangeWriter>
