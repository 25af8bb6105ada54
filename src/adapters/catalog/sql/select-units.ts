import type { Filter } from '../../../model/filter.ts'
import type { Moment } from '../../../model/session.ts'
import type { Acl, Metadata, Plane, ReadClause, Reader } from '../../../model/unit.ts'
import { bigint, bool, json, oneOf, orNull, type Row, text, texts, word } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { Prisma } from '../generated/client.ts'
import { meets } from './filter.ts'
import { select } from './select.ts'
import { plane } from './unit-columns.ts'

/** What a read may see: the scopes and planes that the session opened, each with the readers that count there. */
export interface Visibility {
  namespaceId: string
  clauses: readonly ReadClause[]
  planes: readonly Plane[]
  /** The state that these rights were read in. A read may answer from it for a short while. */
  asOf?: Moment | undefined
}

/** `mayRead` in SQL, over an `acl_set a`. */
function readable(reader: Reader): Prisma.Sql {
  if (reader === 'unlimited') return Prisma.sql`TRUE`
  const opens = ({ principalId, groups }: Omit<typeof reader, 'also'>) =>
    Prisma.sql`(a.owner = ${principalId} OR ${shares([...groups, '*'])})`
  return reader.also ? Prisma.sql`(${opens(reader)} AND ${opens(reader.also)})` : opens(reader)
}

/** `&&` compares each with each; `= ANY` of many values hashes them once. */
const shares = (groups: string[]): Prisma.Sql =>
  groups.length <= 16
    ? Prisma.sql`a.groups && ${groups}::text[]`
    : Prisma.sql`EXISTS (SELECT FROM unnest(a.groups) AS named WHERE named = ANY(${groups}::text[]))`

/** Whether the clauses allow reading an `acl_set a` in the scope of a column. */
export const opened = (clauses: readonly ReadClause[], scopeId: Prisma.Sql): Prisma.Sql =>
  inScopes(clauses, scopeId, readable)

/** Whether the scope of a column is in the clauses, but they do not allow reading its `acl_set a`. */
export const closed = (clauses: readonly ReadClause[], scopeId: Prisma.Sql): Prisma.Sql =>
  inScopes(clauses, scopeId, (reader) => Prisma.sql`NOT ${readable(reader)}`)

function inScopes(
  clauses: readonly ReadClause[],
  scopeId: Prisma.Sql,
  condition: (reader: Reader) => Prisma.Sql,
): Prisma.Sql {
  if (clauses.length === 0) return Prisma.sql`FALSE`
  const either = clauses.map(
    ({ reader, scopeIds }) => Prisma.sql`${scopeId} = ANY(${[...scopeIds]}::text[]) AND ${condition(reader)}`,
  )
  return Prisma.sql`(${Prisma.join(either, ' OR ')})`
}

/** The condition of every read of Units, over `unitJoins`. */
export const visible = ({ namespaceId, clauses, planes }: Visibility): Prisma.Sql => Prisma.sql`
  u.namespace_id = ${namespaceId} AND u.state = 'live'
  AND u.plane = ANY(${[...planes]}::text[]) AND ${opened(clauses, Prisma.sql`u.scope_id`)}`

/** Where the caller may change Units: those it may read, in scopes where it may write. */
export interface UnitReach {
  clauses: readonly ReadClause[]
  planes: readonly Plane[]
}

export interface UnitSelection extends UnitReach {
  states: readonly ('live' | 'tombstoned')[]
  ids?: readonly string[]
  documentIds?: readonly string[]
  filter?: Filter
}

const known = {
  unitId: text,
  scopeId: text,
  externalId: orNull(text),
  plane,
  sourceUri: orNull(text),
  sourceByWriter: bool,
  owner: text,
  groups: texts,
  contentHash: text,
  embedPending: bool,
}

const stored = {
  ...known,
  state: word(oneOf(['live', 'tombstoned'] as const, 'a state of a Unit that can be changed')),
  seq: bigint,
  writer: text,
  metadata: json<Metadata>(),
  title: orNull(text),
}

/** A row with an ACL in one field. */
type WithAcl<Selected extends { owner: string; groups: string[] }> = Omit<Selected, 'owner' | 'groups'> & { acl: Acl }

/** What an ingest needs to know about the Unit that it replaces. */
export type KnownUnit = WithAcl<Row<typeof known>>

/** What a change in place needs to know about a Unit. */
export type StoredUnit = WithAcl<Row<typeof stored>>

const namedSource = Prisma.sql`u.source_uri AS "sourceUri", u.source_by_writer IS NOT FALSE AS "sourceByWriter"`

export function createUnitSelection(db: Db, namespaceId: string) {
  return {
    /** Live Units that this writer ingested earlier under these external ids, in any scope. */
    findExternal: async (writer: string, externalIds: readonly string[]): Promise<KnownUnit[]> => {
      const rows = await select(db, known)`
        SELECT u.unit_id AS "unitId", u.scope_id AS "scopeId", u.external_id AS "externalId", ${namedSource}, u.plane, a.owner, a.groups,
          coalesce(u.content_hash, '') AS "contentHash", u.embed_pending AS "embedPending"
        FROM unit u
        JOIN acl_set a ON a.namespace_id = u.namespace_id AND a.id = u.acl_set_id
        WHERE u.namespace_id = ${namespaceId} AND u.writer = ${writer} AND u.state = 'live'
          AND u.external_id = ANY(${[...externalIds]}::text[])`
      return rows.map(({ owner, groups, ...unit }) => ({ ...unit, acl: { owner, groups } }))
    },

    /** Ids, oldest change first. */
    select: async (selection: UnitSelection, limit: number): Promise<string[]> => {
      const rows = await select(db, { unit_id: text })`
        SELECT u.unit_id ${reached(namespaceId, selection)} LIMIT ${limit}`
      return rows.map((row) => row.unit_id)
    },

    /**
     * The Units with these ids inside a selection, one per id: the Unit with that id, else the one that this writer
     * ingested under it as external id (a live one first, then the oldest).
     */
    resolve: async (
      { ids, ...selection }: UnitSelection & { ids: readonly string[] },
      writer: string,
    ): Promise<string[]> => {
      const asked = Prisma.sql`ANY(${[...ids]}::text[])`
      const rows = await select(db, { unit_id: text })`
        SELECT DISTINCT ON (found.id) found.unit_id
        FROM (
          SELECT u.unit_id AS id, u.unit_id, 1 AS way, u.state, u.ordinal
            ${from(namespaceId, selection)} AND u.unit_id = ${asked}
          UNION ALL
          SELECT u.external_id, u.unit_id, 2, u.state, u.ordinal
            ${from(namespaceId, selection)} AND u.writer = ${writer} AND u.external_id = ${asked}
        ) found
        ORDER BY found.id, found.way, found.state <> 'live', found.ordinal`
      return [...new Set(rows.map((row) => row.unit_id))]
    },

    /** The Units of a selection, with the data needed to change them. */
    read: async (selection: UnitSelection, limit: number): Promise<StoredUnit[]> => {
      const rows = await select(db, stored)`
        SELECT u.unit_id AS "unitId", u.state, u.seq, u.scope_id AS "scopeId", u.plane, u.writer,
          u.external_id AS "externalId", ${namedSource}, a.owner, a.groups, u.metadata, u.title, coalesce(u.content_hash, '') AS "contentHash",
          u.embed_pending AS "embedPending"
        ${reached(namespaceId, selection)} LIMIT ${limit}`
      return rows.map(({ owner, groups, ...unit }) => ({ ...unit, acl: { owner, groups } }))
    },

    /**
     * Those of these Units whose place (scope, writer, external id) is taken by a live Unit, and whether that Unit is
     * readable and inside the selection.
     */
    replaced: (
      unitIds: readonly string[],
      { clauses, planes }: UnitReach,
    ): Promise<{ unitId: string; readable: boolean }[]> => {
      return select(db, { unitId: text, readable: bool })`
        SELECT u.unit_id AS "unitId",
          ${opened(clauses, Prisma.sql`other.scope_id`)} AND other.plane = ANY(${[...planes]}::text[]) AS readable
        FROM unit u
        JOIN unit other ON other.namespace_id = u.namespace_id AND other.writer = u.writer
          AND other.external_id = u.external_id AND other.scope_id = u.scope_id AND other.state = 'live'
        JOIN acl_set a ON a.namespace_id = other.namespace_id AND a.id = other.acl_set_id
        WHERE u.namespace_id = ${namespaceId} AND u.unit_id = ANY(${[...unitIds]}::text[]) AND u.state <> 'live'`
    },

    /** Live Units of these documents, by writer. */
    writersOf: async (docIds: readonly string[]): Promise<{ docId: string; writer: string; units: number }[]> => {
      const rows = await db.unit.groupBy({
        by: ['docId', 'writer'],
        where: { namespaceId, docId: { in: [...docIds] }, state: 'live', scope: { deletedAt: null } },
        _count: true,
      })
      return rows.map(({ docId, writer, _count }) => ({ docId: docId ?? '', writer, units: _count }))
    },
  }
}

const reached = (namespaceId: string, selection: UnitSelection): Prisma.Sql => Prisma.sql`
  ${from(namespaceId, selection)} ORDER BY u.seq`

/**
 * The Units of a selection, over `unit u` and its `acl_set a`. OFFSET 0 makes the planner look up the ACL set and the scope of each
 * Unit, which it remembers. Where a filter lets through many more Units than it expects, it joined each with each.
 */
export const from = (namespaceId: string, selection: UnitSelection): Prisma.Sql => Prisma.sql`
  FROM unit u
  CROSS JOIN LATERAL (SELECT * FROM acl_set WHERE namespace_id = u.namespace_id AND id = u.acl_set_id OFFSET 0) a
  CROSS JOIN LATERAL (SELECT FROM scope WHERE namespace_id = u.namespace_id AND id = u.scope_id AND deleted_at IS NULL OFFSET 0) s
  WHERE u.namespace_id = ${namespaceId} AND ${Prisma.join(conditions(selection), ' AND ')}`

function conditions(selection: UnitSelection): Prisma.Sql[] {
  const { clauses, ids, documentIds, filter = [] } = selection
  const found = [
    opened(clauses, Prisma.sql`u.scope_id`),
    Prisma.sql`u.plane = ANY(${[...selection.planes]}::text[])`,
    Prisma.sql`u.state = ANY(${[...selection.states]}::text[])`,
  ]
  if (ids !== undefined) found.push(Prisma.sql`u.unit_id = ANY(${[...ids]}::text[])`)
  if (documentIds !== undefined) found.push(Prisma.sql`u.document_id = ANY(${[...documentIds]}::text[])`)
  found.push(meets(filter))
  return found
}
