import type { Acl, Plane } from '../../../model/unit.ts'
import { allOrNull, bigint, type Columns, json, orNull, type Row, text, texts } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { Prisma } from '../generated/client.ts'
import type { PlaneModel } from './read-units.ts'
import { maxChanged, models, modelsOf } from './read-units.ts'
import { type Read, select } from './select.ts'
import { type LoadedUnit, type UnitRecord, unitJoins, unitSelect } from './unit-columns.ts'

/** What a process keeps of a namespace is of this seq or a later one. */
export interface Known {
  namespaceId: string
  seq: number
}

/** The live Units of a scope, an ACL and a plane. */
export interface UnitCount {
  scopeId: string
  acl: Acl
  plane: Plane
  units: number
}

/** The state of a namespace, read in the same snapshot as a caller's rights in it. */
export interface Proof {
  namespaceId: string
  seq: number
  /** From which seq the changes are named. -1: from the beginning, because what is known is not of this namespace. */
  since: number
  /** Null: too many to name. */
  changed: string[] | null
  /** The live ones of the changed Units, unless there are many. */
  units: LoadedUnit[]
  models: PlaneModel[]
  /** Undefined: as at the seq that is known. Null: too many to keep. */
  counts: UnitCount[] | null | undefined
}

/** More changed Units than this are only named. */
const maxWhole = 128
const maxCounts = 256

const unit = unitSelect()

const proofColumns = {
  head_id: orNull(text),
  head_seq: orNull(bigint),
  since: orNull(bigint),
  models,
  counts: orNull(json<UnitCount[]>('json')),
  changed: texts,
  nth: orNull(bigint),
  ...allOrNull(unit.columns),
}

/** Lists: only the first of the rows needs them. */
const lists = ['grants', 'scopes']

/**
 * A row of the statement `entering`, and what the process must know about the namespace in its column `target`, in one
 * statement. Null if there is no such row.
 */
export async function readWithProof<C extends Columns>(
  db: Db | Read,
  columns: C,
  entering: Prisma.Sql,
  known: Known | undefined,
): Promise<{ row: Row<C>; proof: Proof | null } | null> {
  const own = Object.keys(columns).map((name) =>
    lists.includes(name) ? `CASE WHEN c.nth > 1 THEN NULL ELSE e.${name} END AS ${name}` : `e.${name}`,
  )
  const rows = await select(db, { ...proofColumns, ...columns })`
    WITH entering AS MATERIALIZED (${entering}),
    at AS MATERIALIZED (
      SELECT h.namespace_id, h.seq,
        CASE WHEN h.namespace_id = ${known?.namespaceId ?? null} AND h.seq >= ${known?.seq ?? -1}::bigint
          THEN ${known?.seq ?? -1}::bigint ELSE -1::bigint END AS since
      FROM entering JOIN head h ON h.namespace_id = entering.target ->> 'id'),
    changed AS MATERIALIZED (
      SELECT u.unit_id FROM at JOIN LATERAL (
        SELECT unit_id FROM unit WHERE namespace_id = at.namespace_id AND seq > at.since
        ORDER BY seq LIMIT ${maxChanged + 1}) u ON TRUE)
    SELECT ${Prisma.raw(own.join(', '))}, at.namespace_id AS head_id, at.seq AS head_seq, at.since,
      (${modelsOf(Prisma.sql`at.namespace_id`)}) AS models,
      CASE WHEN c.nth > 1 OR at.since = at.seq THEN NULL ELSE (${countsOf(Prisma.sql`at.namespace_id`)}) END AS counts,
      ARRAY(SELECT unit_id FROM changed) AS changed, c.*
    FROM entering e LEFT JOIN at ON TRUE LEFT JOIN LATERAL (
      SELECT row_number() OVER () AS nth, ${unit.sql}
      FROM ${unitJoins(Prisma.sql`(
        SELECT * FROM unit WHERE namespace_id = at.namespace_id AND unit_id = ANY(ARRAY(SELECT unit_id FROM changed))
          AND (SELECT count(*) FROM changed) <= ${maxWhole})`)}
      WHERE u.state = 'live') c ON TRUE`
  const row = rows.find(({ nth }) => nth === null || nth === 1)
  return row ? { row, proof: proofOf(row, rows) } : null
}

type ProofRow = Row<typeof proofColumns>

function proofOf({ head_id, head_seq, since, ...row }: ProofRow, rows: readonly ProofRow[]): Proof | null {
  if (head_id === null || head_seq === null || since === null) return null
  return {
    namespaceId: head_id,
    seq: head_seq,
    since,
    changed: row.changed.length > maxChanged ? null : row.changed,
    units: rows.filter(isUnit).map(unit.toLoaded),
    models: row.models ?? [],
    counts: since === head_seq ? undefined : toCounts(row.counts ?? []),
  }
}

const isUnit = (row: ProofRow): row is ProofRow & UnitRecord => row.unit_id !== null

const toCounts = (counts: UnitCount[]) => (counts.length > maxCounts ? null : counts)

const countsOf = (namespaceId: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT json_agg(json_build_object('scopeId', n.scope_id, 'plane', n.plane, 'units', n.units,
    'acl', json_build_object('owner', a.owner, 'groups', a.groups)))
  FROM (SELECT * FROM unit_count WHERE namespace_id = ${namespaceId} AND units > 0 LIMIT ${maxCounts + 1}) n
  JOIN acl_set a ON a.namespace_id = n.namespace_id AND a.id = n.acl_set_id`
