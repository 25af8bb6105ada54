import type { Acl } from '../../../model/unit.ts'

import { integer, type Row, text, texts } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import type { Head } from './head.ts'
import { aclSetOf, internAclSets } from './put-units.ts'
import { select } from './select.ts'
import { from, type UnitSelection } from './select-units.ts'
import { plane } from './unit-columns.ts'
import { addToUnitCounts } from './unit-counters.ts'

const alikeColumns = {
  scopeId: text,
  plane,
  aclSetId: text,
  owner: text,
  groups: texts,
  units: integer,
  vectors: integer,
}

/** Units of one scope, plane and ACL: how many, and how many of them have a vector. */
export type AlikeUnits = Omit<Row<typeof alikeColumns>, 'owner' | 'groups'> & { acl: Acl }

/** Owner and readers of any number of Units. Statements work on all of them: none is read here. */
export function createReaderChanges(db: Db, head: Head) {
  const namespaceId = head.namespace.id
  return {
    /** The Units of a selection, counted by what a change of their readers depends on. */
    alike: async (selection: UnitSelection): Promise<AlikeUnits[]> => {
      const rows = await select(db, alikeColumns)`
        SELECT u.scope_id AS "scopeId", u.plane, a.id AS "aclSetId", a.owner, a.groups, count(*)::int AS units,
          (count(*) FILTER (WHERE u.has_vector))::int AS vectors
        ${from(namespaceId, selection)} GROUP BY u.scope_id, u.plane, a.id, a.owner, a.groups`
      return rows.map(({ owner, groups, ...row }) => ({ ...row, acl: { owner, groups } }))
    },

    /** Gives those of a selection that have these ACLs others, under the next seqs. */
    setAcls: async (
      selection: UnitSelection,
      changes: readonly (AlikeUnits & { to: Acl })[],
      now: number,
    ): Promise<void> => {
      const moved = changes.map(({ to, ...rest }) => ({ ...rest, to: aclSetOf(to) }))
      await internAclSets(db, namespaceId, [...new Map(moved.map(({ to }) => [to.id, to])).values()])
      const map = JSON.stringify(Object.fromEntries(moved.map(({ aclSetId, to }) => [aclSetId, to.id])))
      // A Unit that is sent again afterwards counts as changed, whatever it says: its hash tells nothing of the ACL any more.
      await db.$executeRaw`
        UPDATE unit SET seq = ${head.seq}::bigint + r.number, acl_set_id = r.to_id, updated_at = ${now}::bigint,
          content_hash = split_part(unit.content_hash, '.', 1) || '.', readers_seq = ${head.seq}::bigint + r.number,
          content_seq = CASE WHEN unit.readers_seq = unit.seq THEN unit.content_seq ELSE unit.seq END
        FROM (
          SELECT unit_id, to_id, row_number() OVER (ORDER BY picked.seq) AS number
          FROM (SELECT u.unit_id, u.seq, ${map}::jsonb ->> u.acl_set_id AS to_id ${from(namespaceId, selection)}) picked
          WHERE to_id IS NOT NULL) r
        WHERE unit.namespace_id = ${namespaceId} AND unit.unit_id = r.unit_id`
      await followUnits(db, namespaceId, head.seq)
      const delta = ({ scopeId, plane, units, vectors }: (typeof moved)[number], acl_set_id: string, sign: 1 | -1) => ({
        ...{ scope_id: scopeId, plane, acl_set_id, units: sign * units, vectors: sign * vectors },
      })
      await addToUnitCounts(
        db,
        namespaceId,
        moved.flatMap((one) => [delta(one, one.aclSetId, -1), delta(one, one.to.id, 1)]),
      )
      for (const { plane, units } of moved) {
        head.seq += units
        head.written.push({ plane, change: 'updated', units })
      }
    },
  }
}

/** A document has the groups that all its Units have, after some of them changed above a seq. One that is still coming keeps its own. */
const followUnits = (db: Db, namespaceId: string, seq: number) => db.$executeRaw`
  WITH touched AS MATERIALIZED (
    SELECT DISTINCT document_id FROM unit
    WHERE namespace_id = ${namespaceId} AND seq > ${seq}::bigint AND document_id IS NOT NULL),
  alike AS MATERIALIZED (
    SELECT t.document_id, min(a.groups) AS groups
    FROM touched t JOIN unit u ON u.namespace_id = ${namespaceId} AND u.document_id = t.document_id AND u.state = 'live'
    JOIN acl_set a ON a.namespace_id = u.namespace_id AND a.id = u.acl_set_id
    GROUP BY t.document_id HAVING min(a.groups) = max(a.groups))
  UPDATE ingested_document d SET found = jsonb_set(d.found, '{aclGroups}', to_jsonb(g.groups)),
    acl_groups = CASE WHEN d.status = 'ready' THEN g.groups ELSE d.acl_groups END
  FROM alike g
  WHERE d.namespace_id = ${namespaceId} AND d.document_id = g.document_id AND d.found IS NOT NULL`
