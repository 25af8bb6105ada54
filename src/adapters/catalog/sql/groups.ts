import type { GroupSource, Nesting } from '../../../model/groups.ts'
import { groupSources } from '../../../model/groups.ts'
import type { Listed, PageRange } from '../../../model/page.ts'
import { integer, oneOf, orNull, text, texts, word } from '../database/columns.ts'
import { asJson, type Db } from '../database/db.ts'
import { toKind } from '../database/words.ts'
import { Prisma } from '../generated/client.ts'
import type { Heads } from './head.ts'
import { aclSetOf, internAclSets } from './put-units.ts'
import { select } from './select.ts'
import { opened, type Visibility } from './select-units.ts'
import { counted, recount } from './unit-counters.ts'

/** A group, as far as the reader of `units` may know it. */
export interface GroupRecord {
  name: string
  displayName: string | null
  source: GroupSource
  /** Principals in it, also through other groups. */
  members: number
  /** Groups that it holds, by name. */
  groups: readonly string[]
  /** Live Units that name it, of those that the caller may read. */
  units: number
}

const toSource = oneOf(groupSources, 'a source of groups')

/** The groups of a principal, or of a grant to a principal of another namespace. */
export interface Membership {
  kind: 'principal' | 'grant'
  id: string
  groups: readonly string[]
  inherited: readonly string[]
}

const membershipColumns = {
  kind: word(oneOf(['principal', 'grant'] as const, 'a kind of membership')),
  id: text,
  groups: texts,
  inherited: texts,
}

/** Groups of principals homed in the namespace, and of grants in it to others: a row each. */
const held = (namespaceId: string, now: number) => Prisma.sql`
  SELECT p.principal_id, p.groups, p.inherited_groups FROM principal p
  WHERE p.namespace_id = ${namespaceId} AND p.deleted_at IS NULL
  UNION ALL SELECT g.principal_id, g.groups, g.inherited_groups FROM "grant" g
  JOIN principal p ON p.principal_id = g.principal_id AND p.namespace_id <> g.namespace_id
  WHERE g.namespace_id = ${namespaceId} AND (g.expires_at IS NULL OR g.expires_at > ${now}::bigint)`

/** Live Units by ACL set, of those that a caller may read. */
const readableSets = ({ namespaceId, clauses, planes }: Visibility) => Prisma.sql`
  SELECT a.groups, c.units FROM acl_set a
  JOIN unit_count c ON c.namespace_id = a.namespace_id AND c.acl_set_id = a.id AND c.units > 0
  WHERE a.namespace_id = ${namespaceId} AND c.plane = ANY(${[...planes]}::text[])
    AND ${opened(clauses, Prisma.sql`c.scope_id`)}`

/** Everyone, and the group that each principal has to itself. */
const isNamed = Prisma.sql`name <> '*' AND NOT starts_with(name, 'user:')`

export function createGroupReader(db: Db) {
  return {
    /** Which groups hold which. */
    nestings: (namespaceId: string): Promise<Nesting[]> =>
      db.groupNesting.findMany({ where: { namespaceId }, select: { name: true, member: true } }),

    /** Those whose names begin with a prefix, by name. One that only hidden Units name is none. */
    list: async (
      visibility: Visibility,
      now: number,
      prefix: string,
      range?: PageRange,
    ): Promise<Listed<GroupRecord>> => {
      const { namespaceId } = visibility
      const page = range ? Prisma.sql`LIMIT ${range.limit} OFFSET ${range.cursor}` : Prisma.empty
      const rows = await select(db, {
        name: orNull(text),
        display_name: orNull(text),
        source: orNull(text),
        members: orNull(integer),
        groups: texts,
        units: orNull(integer),
        count: integer,
      })`
        WITH held AS MATERIALIZED (${held(namespaceId, now)}),
          opened AS MATERIALIZED (${readableSets(visibility)}),
          named AS (
            SELECT DISTINCT name FROM (
              SELECT unnest(groups) AS name FROM held UNION ALL SELECT unnest(groups) FROM opened
              UNION ALL SELECT name FROM group_record WHERE namespace_id = ${namespaceId}
              UNION ALL SELECT unnest(ARRAY[name, member]) FROM group_nesting WHERE namespace_id = ${namespaceId}) AS any_name
            WHERE ${isNamed} AND starts_with(name, ${prefix})),
          shown AS (SELECT name FROM named ORDER BY name COLLATE "C" ${page})
        SELECT s.name, r.display_name, r.source, c.count,
          (SELECT count(DISTINCT h.principal_id)::int FROM held h WHERE s.name = ANY(h.groups)) AS members,
          ARRAY(SELECT n.member FROM group_nesting n WHERE n.namespace_id = ${namespaceId} AND n.name = s.name
            ORDER BY n.member COLLATE "C") AS groups,
          (SELECT coalesce(sum(o.units), 0)::int FROM opened o WHERE s.name = ANY(o.groups)) AS units
        FROM (SELECT count(*)::int AS count FROM named) c
        LEFT JOIN shown s ON true
        LEFT JOIN group_record r ON r.namespace_id = ${namespaceId} AND r.name = s.name
        ORDER BY s.name COLLATE "C"`
      const items = rows.flatMap(({ name, display_name, source, members, groups, units }) =>
        name === null
          ? []
          : [
              {
                name,
                displayName: display_name,
                source: source === null ? ('manual' as const) : toSource(source),
                members: members ?? 0,
                groups,
                units: units ?? 0,
              },
            ],
      )
      return { items, count: rows[0]?.count ?? 0 }
    },

    /** By id. `isDirect`: not only through another group. */
    members: async (namespaceId: string, now: number, name: string, range?: PageRange) => {
      const page = range ? Prisma.sql`LIMIT ${range.limit} OFFSET ${range.cursor}` : Prisma.empty
      const rows = await select(db, {
        id: orNull(text),
        name: orNull(text),
        kind: orNull(text),
        direct: orNull(integer),
        count: integer,
      })`
        WITH members AS (
          SELECT principal_id AS id, max((NOT ${name} = ANY(inherited_groups))::int) AS direct
          FROM (${held(namespaceId, now)}) AS held WHERE ${name} = ANY(groups) GROUP BY principal_id),
          shown AS (SELECT id, direct FROM members ORDER BY id COLLATE "C" ${page})
        SELECT s.id, p.name, p.kind, s.direct, c.count FROM (SELECT count(*)::int AS count FROM members) c
        LEFT JOIN shown s ON true LEFT JOIN principal p ON p.principal_id = s.id ORDER BY s.id COLLATE "C"`
      const items = rows.flatMap(({ id, name, kind, direct }) =>
        id === null ? [] : [{ principalId: id, name, kind: toKind(kind ?? ''), direct: direct === 1 }],
      )
      return { items, count: rows[0]?.count ?? 0 }
    },
  }
}

/** Units changed by one statement. */
const atOnce = 1000

/** Writes under the head row of the namespace. */
export function createGroupWriter(db: Db, heads: Heads) {
  return {
    ...createGroupReader(db),

    /** Of live principals homed in the namespace; of these, or of all that are in one of these groups, with grants to others. */
    memberships: (namespaceId: string, of: { principals: readonly string[] } | { groups: readonly string[] }) =>
      'principals' in of
        ? select(db, membershipColumns)`
            SELECT 'principal'::text AS kind, principal_id AS id, groups, inherited_groups AS inherited FROM principal
            WHERE namespace_id = ${namespaceId} AND deleted_at IS NULL AND principal_id = ANY(${[...of.principals]}::text[])`
        : select(db, membershipColumns)`
            SELECT 'principal'::text AS kind, principal_id AS id, groups, inherited_groups AS inherited FROM principal
            WHERE namespace_id = ${namespaceId} AND groups && ${[...of.groups]}::text[]
            UNION ALL SELECT 'grant'::text, id, groups, inherited_groups FROM "grant"
            WHERE namespace_id = ${namespaceId} AND groups && ${[...of.groups]}::text[]`,

    saveMemberships: async (namespaceId: string, rows: readonly Membership[]) => {
      await heads.lock(namespaceId)
      for (let i = 0; i < rows.length; i += atOnce) {
        const run = asJson(rows.slice(i, i + atOnce))
        const record = Prisma.sql`json_to_recordset(${run}::json) AS r(kind text, id text, groups text[], inherited text[])`
        await db.$executeRaw`UPDATE principal SET groups = r.groups, inherited_groups = r.inherited FROM ${record}
          WHERE r.kind = 'principal' AND principal_id = r.id AND namespace_id = ${namespaceId}`
        await db.$executeRaw`UPDATE "grant" SET groups = r.groups, inherited_groups = r.inherited FROM ${record}
          WHERE r.kind = 'grant' AND "grant".id = r.id AND namespace_id = ${namespaceId}`
      }
    },

    nest: async (namespaceId: string, name: string, add: readonly string[], remove: readonly string[]) => {
      await heads.lock(namespaceId)
      await db.groupNesting.deleteMany({ where: { namespaceId, name, member: { in: [...remove] } } })
      await db.groupNesting.createMany({
        data: add.map((member) => ({ namespaceId, name, member })),
        skipDuplicates: true,
      })
    },

    describe: async (namespaceId: string, name: string, displayName: string | null) => {
      await heads.lock(namespaceId)
      await db.groupRecord.upsert({
        where: { namespaceId_name: { namespaceId, name } },
        create: { namespaceId, name, displayName },
        update: { displayName },
      })
    },

    /** Whether a principal, a grant, an invitation, another group or a Unit names it, hidden or not. */
    isInUse: async (namespaceId: string, name: string): Promise<boolean> => {
      const [row] = await select(db, { found: integer })`
        SELECT (EXISTS (SELECT FROM principal WHERE namespace_id = ${namespaceId} AND ${name} = ANY(groups))
          OR EXISTS (SELECT FROM "grant" WHERE namespace_id = ${namespaceId} AND ${name} = ANY(groups))
          OR EXISTS (SELECT FROM invitation WHERE namespace_id = ${namespaceId} AND ${name} = ANY(groups))
          OR EXISTS (SELECT FROM group_record WHERE namespace_id = ${namespaceId} AND name = ${name})
          OR EXISTS (SELECT FROM group_nesting WHERE namespace_id = ${namespaceId} AND ${name} IN (name, member))
          OR EXISTS (SELECT FROM acl_set WHERE namespace_id = ${namespaceId} AND ${name} = ANY(groups)))::int AS found`
      return row?.found === 1
    },

    /** Everywhere at once: members, grants, invitations, keys, other groups, documents, and Units under the next seqs. */
    rename: async (namespaceId: string, from: string, to: string) => {
      const head = await heads.lock(namespaceId)
      const inGroups = Prisma.sql`namespace_id = ${namespaceId} AND ${from} = ANY(groups)`
      const renamed = (column: Prisma.Sql) => Prisma.sql`array_replace(${column}, ${from}, ${to})`
      for (const table of [Prisma.sql`principal`, Prisma.sql`"grant"`]) {
        await db.$executeRaw`UPDATE ${table} SET groups = ${renamed(Prisma.sql`groups`)},
          inherited_groups = ${renamed(Prisma.sql`inherited_groups`)} WHERE ${inGroups}`
      }
      await db.$executeRaw`UPDATE invitation SET groups = ${renamed(Prisma.sql`groups`)} WHERE ${inGroups}`
      await db.$executeRaw`
        UPDATE token t SET restriction = jsonb_set(t.restriction, '{groups}',
          (SELECT jsonb_agg(CASE g WHEN ${from} THEN ${to} ELSE g END) FROM jsonb_array_elements_text(t.restriction -> 'groups') g))
        FROM principal p WHERE p.principal_id = t.principal_id AND p.namespace_id = ${namespaceId}
          AND jsonb_exists(t.restriction -> 'groups', ${from})`
      await db.groupRecord.updateMany({ where: { namespaceId, name: from }, data: { name: to } })
      await db.groupNesting.updateMany({ where: { namespaceId, name: from }, data: { name: to } })
      await db.groupNesting.updateMany({ where: { namespaceId, member: from }, data: { member: to } })
      await db.$executeRaw`
        UPDATE ingested_document SET acl_groups = ${renamed(Prisma.sql`acl_groups`)} WHERE namespace_id = ${namespaceId}
          AND ${from} = ANY(acl_groups)`
      await db.$executeRaw`
        UPDATE ingested_document d SET found = jsonb_set(d.found, '{aclGroups}',
          (SELECT jsonb_agg(CASE g WHEN ${from} THEN ${to} ELSE g END) FROM jsonb_array_elements_text(d.found -> 'aclGroups') g))
        WHERE d.namespace_id = ${namespaceId} AND jsonb_exists(d.found -> 'aclGroups', ${from})`
      return renameInUnits(db, head, from, to)
    },
  }
}

/** Returns the number of live Units that named it. */
async function renameInUnits(db: Db, head: Awaited<ReturnType<Heads['lock']>>, from: string, to: string) {
  const namespaceId = head.namespace.id
  const sets = await db.aclSet.findMany({ where: { namespaceId, groups: { has: from } } })
  const named = sets.map(({ id, owner, groups }) => {
    const renamed = groups.map((group) => (group === from ? to : group)).sort()
    return { was: id, ...aclSetOf({ owner, groups: renamed }) }
  })
  if (named.length === 0) return 0
  await internAclSets(db, namespaceId, named)
  const rows = await select(db, { unit_id: text, state: text })`
    SELECT unit_id, state FROM unit
    WHERE namespace_id = ${namespaceId} AND acl_set_id = ANY(${named.map(({ was }) => was)}::text[]) ORDER BY seq`
  const idOf = asJson(named.map(({ was, id }) => ({ was, id })))
  for (let i = 0; i < rows.length; i += atOnce) {
    const run = rows.slice(i, i + atOnce)
    const ids = run.map((row) => row.unit_id)
    const before = await counted(db, namespaceId, ids)
    // The ACL is part of the hash: sent again as before, such a Unit counts as changed.
    await db.$executeRaw`
      UPDATE unit SET acl_set_id = r.id, content_hash = split_part(content_hash, '.', 1) || '.renamed'
      FROM json_to_recordset(${idOf}::json) AS r(was text, id text)
      WHERE namespace_id = ${namespaceId} AND unit_id = ANY(${ids}::text[]) AND acl_set_id = r.was`
    await recount(db, head, before, await counted(db, namespaceId, ids))
    const live = run.filter(({ state }) => state === 'live')
    const stamped = live.map(({ unit_id }, at) => ({ unit_id, seq: head.seq + 1 + at }))
    head.seq += live.length
    await db.$executeRaw`
      UPDATE unit SET seq = r.seq FROM json_to_recordset(${asJson(stamped)}::json) AS r(unit_id text, seq bigint)
      WHERE unit.namespace_id = ${namespaceId} AND unit.unit_id = r.unit_id`
  }
  return rows.filter(({ state }) => state === 'live').length
}

export type GroupReader = ReturnType<typeof createGroupReader>
