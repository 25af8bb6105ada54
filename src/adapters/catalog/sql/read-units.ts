import { batchesOf } from '../../../async/pieces.ts'
import type { UnitField } from '../../../model/field.ts'
import type { Filter } from '../../../model/filter.ts'
import type { MetadataValue, Plane, Unit } from '../../../model/unit.ts'
import { bigint, type Column, integer, json, jsonOf, orNull, text, texts } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { toPlane } from '../database/words.ts'
import { Prisma } from '../generated/client.ts'
import { fieldOf } from './docs.ts'
import { meets } from './filter.ts'
import { select } from './select.ts'
import type { Visibility } from './select-units.ts'
import { closed, visible } from './select-units.ts'
import {
  isLong,
  type LoadedUnit,
  plane,
  type UnitColumn,
  type UnitRecord,
  unitJoins,
  unitSelect,
  unitTable,
} from './unit-columns.ts'

/** What a search needs before it queries the indexes: one snapshot, read in one statement. */
export interface SearchFacts {
  /** The seq of the namespace's latest change. */
  seq: number
  /** The number of live Units in the given scopes and planes that the reader may not read. */
  hidden: number
  /** The models whose vectors the namespace contains. */
  models: PlaneModel[]
}

export interface PlaneModel {
  plane: Plane
  model: string
  dims: number
  /** False for a model that searches do not use: not yet, or not any more. */
  serving: boolean
}

/** Values of these fields, and whether each of these conditions holds. */
export interface AskedValues {
  fields: readonly UnitField[]
  conditions: readonly Filter[]
}

/** In the order of the question. A value is null where the Unit has none. */
export interface UnitValues {
  unitId: string
  plane: Plane
  scope: string
  values: readonly (MetadataValue | null)[]
  holds: readonly boolean[]
}

interface ChangedUnits {
  seq: number
  changed: string[] | null
}

/** More changed Units than this are not named. */
export const maxChanged = 1000

export function createUnitReader(db: Db, table: readonly UnitColumn[] = unitTable) {
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

  /** What `searchFacts` and `changedSince` tell, in one statement. */
  const factsSince = async (visibility: Visibility, known: number | null): Promise<SearchFacts & ChangedUnits> => {
    const { namespaceId } = visibility
    const [row] = await select(db, { ...changedColumns, hidden: integer, models })`
      SELECT ${seqAndChanged(namespaceId, known)}, (${hiddenUnits(visibility)}) AS hidden,
        (${modelsOf(Prisma.sql`${namespaceId}`)}) AS models`
    return { ...changedUnits(row), hidden: row?.hidden ?? 0, models: row?.models ?? [] }
  }

  return {
    get: async (visibility: Visibility, unitId: string): Promise<Unit | null> =>
      (await hydrate(visibility, [unitId]))[0] ?? null,

    /** The oldest visible Unit that this writer ingested under the external id. */
    getOwn: async (visibility: Visibility, writer: string, externalId: string): Promise<Unit | null> => {
      const [row] = await read(Prisma.sql`
        SELECT ${sql} FROM ${unitJoins(Prisma.sql`unit`)}
        WHERE ${visible(visibility)} AND u.writer = ${writer} AND u.external_id = ${externalId}
        ORDER BY u.ordinal LIMIT 1`)
      return row ? toUnit(row) : null
    },

    /** In ingest order or against it, by offset among the visible Units that meet the filters. */
    list: async (
      visibility: Visibility,
      filters: Filter,
      offset: number,
      limit: number,
      order: 'ingest' | 'newest' = 'ingest',
    ): Promise<Unit[]> => {
      const sorted = order === 'ingest' ? Prisma.sql`u.ordinal` : Prisma.sql`u.created_at DESC, u.ordinal DESC`
      const rows = await read(Prisma.sql`
        SELECT ${sql} FROM ${unitJoins(Prisma.sql`unit`)} WHERE ${visible(visibility)} AND ${meets(filters)}
        ORDER BY ${sorted} OFFSET ${offset} LIMIT ${limit}`)
      return whole(visibility, rows)
    },

    /** The visible Units among the given ids, in any order. */
    hydrate: async (visibility: Visibility, unitIds: readonly string[]): Promise<Unit[]> =>
      unitIds.length === 0 ? [] : hydrate(visibility, unitIds),

    /** The number of live Units in the given scopes and planes that the reader may not read, from counters. */
    countHidden: async (visibility: Visibility) => {
      const [row] = await select(db, { hidden: integer })`${hiddenUnits(visibility)}`
      return row?.hidden ?? 0
    },

    /** The same for given Units. */
    countHiddenAmong: async ({ namespaceId, clauses }: Visibility, unitIds: readonly string[]) => {
      const [row] = await select(db, { hidden: integer })`
        ${picked(namespaceId, unitIds)}
        SELECT count(*)::int AS hidden
        FROM picked u JOIN acl_set a ON a.namespace_id = u.namespace_id AND a.id = u.acl_set_id
        WHERE u.state = 'live' AND ${closed(clauses, Prisma.sql`u.scope_id`)}`
      return row?.hidden ?? 0
    },

    searchFacts: async (visibility: Visibility): Promise<SearchFacts> => {
      const { changed: _, ...facts } = await factsSince(visibility, null)
      return facts
    },

    /** What results are arranged by: of the visible Units among the given ids that meet the filters, in any order. */
    values: async (visibility: Visibility, filters: Filter, unitIds: readonly string[], asked: AskedValues) => {
      const values = [
        ...asked.fields.map((field) => shortened(fieldOf(field))),
        ...asked.conditions.map((condition) => Prisma.sql`to_jsonb(${meets(condition)} IS TRUE)`),
      ]
      const rows = await select(db, { unit_id: text, plane, path: text, found: json<unknown[]>() })`
        ${picked(visibility.namespaceId, unitIds)}
        SELECT u.unit_id, u.plane, s.path, jsonb_build_array(${values.length > 0 ? Prisma.join(values) : Prisma.empty}) AS found
        FROM ${unitJoins(Prisma.sql`picked`)} WHERE ${visible(visibility)} AND ${meets(filters)}`
      return rows.map(({ unit_id, plane, path, found }): UnitValues => {
        const values = found.slice(0, asked.fields.length) as UnitValues['values']
        return { unitId: unit_id, plane, scope: path, values, holds: found.slice(asked.fields.length) as boolean[] }
      })
    },

    // The next three leave the per-Unit rule to their caller, which is the catalog's memory alone.

    /** Live Units of all readers, and the namespace's seq: 0 if there is no such Unit. */
    load: async (namespaceId: string, unitIds: readonly string[]): Promise<{ seq: number; units: LoadedUnit[] }> => {
      const rows = await select(db, { ...columns, head_seq: bigint })`
        ${picked(namespaceId, unitIds)}
        SELECT ${sql}, (SELECT seq FROM head WHERE namespace_id = ${namespaceId}) AS head_seq
        FROM ${unitJoins(Prisma.sql`picked`)} WHERE u.state = 'live'`
      return { seq: rows[0]?.head_seq ?? 0, units: rows.map(toLoaded) }
    },

    /** The namespace's seq, and the Units that changed after `seq`: none without one, null if there are many. */
    changedSince: async (namespaceId: string, seq: number | null): Promise<ChangedUnits> => {
      const [row] = await select(db, changedColumns)`SELECT ${seqAndChanged(namespaceId, seq)}`
      return changedUnits(row)
    },

    factsSince,
  }
}

/** A longer text is cut, and another longer value is left out. UTF-16 units, and bytes of JSON. */
const longestValue = 512

const shortened = (field: Prisma.Sql): Prisma.Sql => Prisma.sql`(SELECT CASE
  WHEN jsonb_typeof(value) = 'string' THEN to_jsonb(left(value #>> '{}', ${longestValue}))
  WHEN octet_length(value::text) <= ${longestValue} THEN value END FROM (SELECT to_jsonb(${field}) AS value) v)`

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

/** Reads for the catalog's memory. */
export type UnitLoader = ReturnType<typeof createUnitReader>
export type UnitReader = Omit<UnitLoader, 'load' | 'changedSince' | 'factsSince'>
