import { batchesOf } from '../../../async/batches.ts'
import type { Unit } from '../../../model/unit.ts'
import type { PlaneModel, SearchFacts, UnitReader } from '../../../ports/catalog/catalog.ts'
import type { Visibility } from '../../../ports/catalog/visibility.ts'
import { bigint, type Column, integer, jsonOf, orNull, text, texts } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { toPlane } from '../database/words.ts'
import { Prisma } from '../generated/client.ts'
import { select } from './select.ts'
import {
  isLong,
  type LoadedUnit,
  type UnitColumn,
  type UnitRecord,
  unitJoins,
  unitSelect,
  unitTable,
} from './unit-columns.ts'
import { closed, meets, visible } from './unit-conditions.ts'

/** Reads that leave the per-Unit rule to their caller, which is the catalog's memory alone. */
export interface UnitLoader {
  /** Live Units of all readers, and the namespace's seq: 0 if there is no such Unit. */
  load(namespaceId: string, unitIds: readonly string[]): Promise<{ seq: number; units: LoadedUnit[] }>
  /** The namespace's seq, and the Units that changed after `seq`: none without one, null if there are many. */
  changedSince(namespaceId: string, seq: number | null): Promise<ChangedUnits>
  /** Both, in one statement. */
  factsSince(visibility: Visibility, seq: number | null): Promise<SearchFacts & ChangedUnits>
}

interface ChangedUnits {
  seq: number
  changed: string[] | null
}

/** More changed Units than this are not named. */
export const maxChanged = 1000

export function createUnitReader(db: Db, table: readonly UnitColumn[] = unitTable): UnitReader & UnitLoader {
  const { columns, sql, toUnit, toLoaded } = unitSelect(table)

  const read = (statement: Prisma.Sql): Promise<UnitRecord[]> => select(db, columns)`${statement}`

  /** Looks up the given Units first: otherwise the planner may look them up once per ACL that the reader passes. */
  const picked = (namespaceId: string, unitIds: readonly string[]) => Prisma.sql`
    WITH picked AS MATERIALIZED
      (SELECT * FROM unit WHERE namespace_id = ${namespaceId} AND unit_id = ANY(${[...unitIds]}::text[]))`

  const hydrate = async (visibility: Visibility, unitIds: readonly string[]): Promise<Unit[]> => {
    const rows = await read(Prisma.sql`
      ${picked(visibility.namespaceId, unitIds)}
      SELECT ${sql} FROM ${unitJoins(Prisma.sql`picked`)} WHERE ${visible(visibility)}`)
    return whole(visibility, rows)
  }

  /** Units that changed or vanished between the two reads are read again, one by one. */
  const whole = async (visibility: Visibility, rows: readonly UnitRecord[]): Promise<Unit[]> => {
    const texts = await readLongTexts(db, visibility.namespaceId, rows)
    const units: Unit[] = []
    for (const row of rows) {
      const text = isLong(row) ? texts.get(row.unit_id) : row.text
      if (text !== undefined) units.push(toUnit({ ...row, text }))
      else units.push(...(await hydrate(visibility, [row.unit_id])))
    }
    return units
  }

  const factsSince = async (visibility: Visibility, known: number | null) => {
    const { namespaceId } = visibility
    const [row] = await select(db, { ...changedColumns, hidden: integer, models })`
      SELECT ${seqAndChanged(namespaceId, known)}, (${hiddenUnits(visibility)}) AS hidden,
        (${modelsOf(Prisma.sql`${namespaceId}`)}) AS models`
    return { ...changedUnits(row), hidden: row?.hidden ?? 0, models: row?.models ?? [] }
  }

  return {
    get: async (visibility, unitId) => (await hydrate(visibility, [unitId]))[0] ?? null,

    getOwn: async (visibility, writer, externalId) => {
      const [row] = await read(Prisma.sql`
        SELECT ${sql} FROM ${unitJoins(Prisma.sql`unit`)}
        WHERE ${visible(visibility)} AND u.writer = ${writer} AND u.external_id = ${externalId}
        ORDER BY u.ordinal LIMIT 1`)
      return row ? toUnit(row) : null
    },

    list: async (visibility, filters, offset, limit) => {
      const rows = await read(Prisma.sql`
        SELECT ${sql} FROM ${unitJoins(Prisma.sql`unit`)} WHERE ${visible(visibility)} AND ${meets(filters)}
        ORDER BY u.ordinal OFFSET ${offset} LIMIT ${limit}`)
      return whole(visibility, rows)
    },

    hydrate: async (visibility, unitIds) => (unitIds.length === 0 ? [] : hydrate(visibility, unitIds)),

    countHidden: async (visibility) => {
      const [row] = await select(db, { hidden: integer })`${hiddenUnits(visibility)}`
      return row?.hidden ?? 0
    },

    countHiddenAmong: async ({ namespaceId, clauses }, unitIds) => {
      const [row] = await select(db, { hidden: integer })`
        ${picked(namespaceId, unitIds)}
        SELECT count(*)::int AS hidden
        FROM picked u JOIN acl_set a ON a.namespace_id = u.namespace_id AND a.id = u.acl_set_id
        WHERE u.state = 'live' AND ${closed(clauses, Prisma.sql`u.scope_id`)}`
      return row?.hidden ?? 0
    },

    searchFacts: async (visibility) => {
      const { changed: _, ...facts } = await factsSince(visibility, null)
      return facts
    },

    load: async (namespaceId, unitIds) => {
      const rows = await select(db, { ...columns, head_seq: bigint })`
        ${picked(namespaceId, unitIds)}
        SELECT ${sql}, (SELECT seq FROM head WHERE namespace_id = ${namespaceId}) AS head_seq
        FROM ${unitJoins(Prisma.sql`picked`)} WHERE u.state = 'live'`
      return { seq: rows[0]?.head_seq ?? 0, units: rows.map(toLoaded) }
    },

    changedSince: async (namespaceId, seq) => {
      const [row] = await select(db, changedColumns)`SELECT ${seqAndChanged(namespaceId, seq)}`
      return changedUnits(row)
    },

    factsSince,
  }
}

const changedColumns = { seq: orNull(bigint), changed: orNull(texts) }

const seqAndChanged = (namespaceId: string, seq: number | null): Prisma.Sql => Prisma.sql`
  (SELECT seq FROM head WHERE namespace_id = ${namespaceId}) AS seq,
  ${seq === null ? Prisma.sql`ARRAY[]::text[]` : changedIds(namespaceId, seq)} AS changed`

/** Of purged Units, too: their stubs have a seq. */
const changedIds = (namespaceId: string, seq: number): Prisma.Sql => Prisma.sql`
  ARRAY(SELECT unit_id FROM unit WHERE namespace_id = ${namespaceId} AND seq > ${seq}::bigint LIMIT ${maxChanged + 1})`

function changedUnits(row: { seq: number | null; changed: string[] | null } | undefined): ChangedUnits {
  const changed = row?.changed ?? []
  return { seq: row?.seq ?? 0, changed: changed.length > maxChanged ? null : changed }
}

export const models: Column<PlaneModel[] | null> = orNull({
  type: 'json',
  read: (value) => jsonOf<PlaneModel[]>(value).map((model) => ({ ...model, plane: toPlane(model.plane) })),
})

export const modelsOf = (namespaceId: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT json_agg(json_build_object('plane', m.plane, 'model', m.model, 'dims', m.dims, 'serving', m.serving)
    ORDER BY m.model, m.plane)
  FROM plane_model m WHERE m.namespace_id = ${namespaceId}`

const hiddenUnits = ({ namespaceId, clauses, planes }: Visibility): Prisma.Sql => Prisma.sql`
  SELECT coalesce(sum(c.units), 0)::int AS hidden
  FROM unit_count c JOIN acl_set a ON a.namespace_id = c.namespace_id AND a.id = c.acl_set_id
  WHERE c.namespace_id = ${namespaceId} AND c.plane = ANY(${[...planes]}::text[])
    AND ${closed(clauses, Prisma.sql`c.scope_id`)}`

/** How much text one statement reads, unless one Unit has more: a result is decoded at once. Bytes of UTF-8. */
const batchBytes = 2 ** 19

type LongUnit = Pick<UnitRecord, 'unit_id' | 'seq' | 'text_bytes'>

/** The texts that the rows leave out, by Unit; none for a Unit that has changed since. */
export async function readLongTexts(
  db: Db,
  namespaceId: string,
  rows: readonly LongUnit[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const batch of batchesOf(rows.filter(isLong), { maxSize: batchBytes, sizeWith })) {
    const keys = batch.map(({ unit_id, seq }) => Prisma.sql`(${unit_id}, ${seq}::bigint)`)
    const found = await select(db, { unit_id: text, text: text })`
      SELECT unit_id, text FROM unit
      WHERE namespace_id = ${namespaceId} AND state = 'live' AND (unit_id, seq) IN (${Prisma.join(keys)})`
    for (const { unit_id, text } of found) texts.set(unit_id, text)
  }
  return texts
}

const sizeWith = ({ text_bytes }: LongUnit, before: number) => before + (text_bytes ?? 0)
